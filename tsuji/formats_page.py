"""`python -m tsuji.formats_page > docs/reference/formats.md`: the field layouts, printed from `models.formats`."""

from __future__ import annotations

from collections.abc import Callable

from models import formats
from models.formats import Counter, Layout
from models.params import CamParams, LpiParams, SwitchParams

HINTING = SwitchParams(routing="dimension_order", radix=(8, 8), lpi=LpiParams(hints=3))


def _ternary(layout: Callable[[SwitchParams], Layout]) -> Callable[[SwitchParams], Layout]:
    """Return the layout for the default switch with ternary match."""
    return lambda params: layout(params.model_copy(update={"cam": CamParams(match="ternary")}))


LAYOUTS: tuple[tuple[str, Callable[[SwitchParams], Layout], str], ...] = (
    ("Flit", formats.flit, "`link_in_<i>_flit_payload`, `link_out_<i>_flit_payload`, beside `…_valid`."),
    ("Credit", formats.credit, "`link_in_<i>_credit_payload`, `link_out_<i>_credit_payload`, beside `…_valid`."),
    ("Route", formats.route, "As stored in caches and tables."),
    ("Route or drop", formats.route_or_drop, "As returned by the components that compute routes."),
    ("CAM request", formats.cam_request, "`cam_request_payload`, beside `…_valid` and `…_ready`."),
    ("CAM answer", formats.cam_answer, "`cam_answer`, beside `cam_answer_valid`."),
    ("Programming", formats.program, "`program_payload`, beside `program_valid`."),
    ("Programming, ternary match", _ternary(formats.program), '`program_payload` with `cam.match` = `"ternary"`.'),
    ("Time of low-power idle", formats.lpi_time, "`lpi_time_payload`, beside `lpi_time_valid`."),
    (
        "Wake hint",
        lambda _: formats.wake_hint(HINTING),
        "`hint_in_<i>_payload`, `hint_out_<i>_payload`, beside `…_valid`; here of an 8×8 mesh, 3 links ahead. "
        "`hops`: ceil(log2 `lpi.hints`) bits.",
    ),
    (
        "Reservation request",
        lambda params: formats.reserve_request(params, params.ports),
        "`reserve_<i>_payload`, beside `reserve_<i>_valid`; `output` has ceil(log2) of the crossbar's ports.",
    ),
    ("Reservation answer", formats.reserve_answer, "`answer_<i>_payload`, beside `answer_<i>_valid`."),
    ("CAM entry", formats.cam_entry, "As stored in an off-chip CAM: 12 bytes. The switch keeps only the route."),
    ("CAM entry, ternary match", _ternary(formats.cam_entry), "As stored in an off-chip ternary CAM."),
)

HEAD = """\
# Formats

`python -m tsuji.formats_page` prints this page from `models/formats.py`. Widths are those of the default switch;
`tsuji formats` prints those of any switch, beside its ports and rules. Fields are packed from bit 0 upwards.
`vc`, `vc_first` and `vc_last` have ceil(log2 vcs) bits, `out` and `port` have
ceil(log2 ports) bits, each at least 1 bit; `data` has `data_width` bits and `tag` has `tag_width` bits.
"""


def page() -> str:
    """Return the page."""
    params = SwitchParams()
    parts = [HEAD]
    for title, layout, place in LAYOUTS:
        rows, low = [], 0
        for field in layout(params):
            bits = f"{low + field.width - 1}…{low}" if field.width > 1 else str(low)
            rows.append(f"| {bits} | `{field.name}` | {field.width} | {field.meaning} |")
            low += field.width
        heads = "| bits | field | width | meaning |\n| --- | --- | ---: | --- |\n"
        parts.append(f"## {title}\n\n{place}\n\n{heads}" + "\n".join(rows) + "\n")
    rows = [f"| {counter.value} | `{counter.name.lower()}` |" for counter in Counter]
    parts.append(
        "## Counters\n\nValues of `counter_number`; `counter_data` is valid one cycle later.\n"
        "[microarchitecture.md](../explanation/microarchitecture.md), section 9, says what each counter counts.\n\n"
        "| number | counter |\n| ---: | --- |\n" + "\n".join(rows) + "\n"
    )
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(), end="")
