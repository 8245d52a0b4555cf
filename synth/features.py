"""Area and clock of each feature: the plain switch with one feature at a time, and with all of them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from synth.ecp5 import Result
from synth.report import PRESETS

BASE = "plain"

_TABLE = ('switch.routing="table"', "switch.radix=[]")

# Overrides of `[section] key` for the plain switch. Published costs of some features are in the note below.
FEATURES: dict[str, tuple[str, ...]] = {
    "CAM interface, no cache": (*_TABLE, "cache.entries=0"),
    "route cache": (*_TABLE, "cache.entries=64", "cache.ways=4"),
    "linear table, 64 entries": ('switch.routing="linear"', "switch.radix=[]", "switch.table_entries=64"),
    "prediction, static": ('prediction.kind="static"',),
    "prediction, static, local ports too": ('prediction.kind="static"', 'prediction.local="longer_x"'),
    "prediction, latest": ('prediction.kind="latest"',),
    "prediction, history": ('prediction.kind="history"',),
    "low-power idle": ("lpi.idle=1000",),
    "low-power idle, hints to 3 links": ("lpi.idle=1000", "lpi.hints=3"),
    "static buffering": ('switch.buffering="static"', "switch.max_packet=4"),
    "dynamic buffering": ('switch.buffering="dynamic"', "switch.max_packet=4"),
    "matrix arbiters": ('switch.arbiter="matrix"',),
    "allocation, output first": ('switch.allocator="output_first"',),
    "allocation, ports first": ('switch.allocator="ports_first"',),
    "counters, 32 bits": ("switch.counter_width=32",),
    "adaptive, escape": ('adaptive.kind="escape"',),
    "head delay, 2 cycles": ("switch.head_delay=2",),
    "VC stage": ("switch.vc_stage=true",),
    "VC stage, input first": ("switch.vc_stage=true", 'switch.vc_allocator="input_first"'),
    "VC stage, speculation": ("switch.vc_stage=true", 'switch.allocator="output_first"', 'switch.speculation="equal"'),
    "VC stage, speculation behind": (
        "switch.vc_stage=true",
        'switch.allocator="ports_first"',
        'switch.speculation="behind"',
    ),
    "stage delay, 40 cycles": ("switch.stage_delay=40",),
    "speed-up of 2": ("switch.speedup=2",),
    "output queues of 2 flits": ("switch.output_buffer=2",),
    "two node_ports, 6 ports": ("switch.node_ports=2", "switch.ports=6"),
    "torus": ("switch.wrap=true",),
    "torus, fixed classes": ("switch.wrap=true", 'switch.ring_classes="fixed"'),
    "all": (
        *_TABLE,
        "cache.entries=64",
        "cache.ways=4",
        'prediction.kind="latest"',
        "lpi.idle=1000",
        'switch.buffering="static"',
        "switch.max_packet=4",
        "switch.counter_width=32",
    ),
}

CLAIMS = (
    "Published, other technologies: a route cache takes about 2 % of a switch chip (paper A); prediction adds 6.4 to "
    "15.9 % of a router's area (prediction routers, as paper C builds them)."
)


def variants() -> dict[str, tuple[str, ...]]:
    """Return the overrides of every switch to measure; the plain switch is the first."""
    return {BASE: PRESETS[BASE], **{name: (*PRESETS[BASE], *more) for name, more in FEATURES.items()}}


def features_table(results: Sequence[Result]) -> Table:
    """Return the results as a table, each row with its difference from the first."""
    base = results[0]
    shown = Table(title="Lattice ECP5 LFE5U-85F: the plain switch with one feature at a time")
    shown.add_column("switch")
    for heading in ("LUT4", "FF", "DPR16X4", "DP16KD", "eq", "eq more", "FF more", "Fmax MHz"):
        shown.add_column(heading, justify="right")
    for result in results:
        cells = result.area
        more = ("", "") if result is base else (_more(cells.eq, base.area.eq), _more(cells.ff, base.area.ff))
        clock = f"{result.best_mhz:.1f}" if result.best_mhz is not None else "–"
        counts = (cells.lut4, cells.ff, cells.dpr16x4, cells.dp16kd, cells.eq)
        shown.add_row(result.name, *(f"{count:,}" for count in counts), *more, clock)
    shown.caption = CLAIMS
    return shown


def _more(value: int, base: int) -> str:
    return f"{100 * (value - base) / base:+.1f} %"
