"""Paper A, figure 7: why both of its switches must look up routes in the same way to be compared by their times."""

from __future__ import annotations

from sim.papers.axes import bars, dress, figure
from sim.papers.cache_applications import CASES, NETWORKS, replayed, stage_delay
from sim.papers.framework.study import CATALOGUE, Findings, Options, Part, Record, Row, Study, Tables, found
from sim.papers.traces import trace_folder

LOOKUP = 10  # cycles of 2.56 ns: 25 ns
RUNS = (("table", 1), ("table", LOOKUP), ("CAM", LOOKUP), ("CAM", 2 * LOOKUP))


def two_mechanisms(kernel: str, folder: str, vcs: int) -> list[Record]:
    """Return the run times of a kernel, 64 ranks, case 1, with tables and with a CAM, by cycles of a lookup.

    A port with the CAM has one lookup under way; a table takes a lookup of each VC in each cycle.
    """
    rest = stage_delay(CASES[1]["lookup"] + CASES[1]["rest"]) - LOOKUP + 1
    rows = []
    for mechanism, cycles in RUNS:
        given = NETWORKS["torus 4×4×4"] | {"switch.vcs": vcs, "link.latency": 0}
        if mechanism == "table":
            given |= {"switch.routing": "linear", "switch.stage_delay": rest + cycles - 1}
        else:
            given |= {"cache.entries": 0, "cache.ways": 1, "cam.latency": cycles, "cam.occupancy": 1}
            given |= {"switch.routing": "table", "switch.stage_delay": rest}
        result = replayed(1, kernel, 64, folder, given, True, "linear")
        rows.append({"vcs": vcs, "mechanism": mechanism, "cycles": cycles, "run_time_ns": result.run_time_ns})
    return rows


def parts(options: Options) -> list[Part]:
    """Return one part per number of VCs."""
    where = {"kernel": "CG", "folder": trace_folder(options)}
    return [Part("mechanism", two_mechanisms, where | {"vcs": vcs}) for vcs in ((4,) if options.quick else (2, 4, 8))]


def mechanism(tables: Tables) -> Findings:
    """Draw the run time of CG by mechanism and time of a lookup."""
    frame = tables["mechanism"].sort_values("vcs")
    rows: list[Row] = []
    drawn, (axes,) = figure()
    series = {}
    for vcs, mine in frame.groupby("vcs"):
        at = mine.set_index(["mechanism", "cycles"])["run_time_ns"] / 1000
        series[f"{vcs} VCs"] = [float(at[run]) for run in RUNS]
        for name, other, one in (
            ("a table whose lookup takes 10 cycles, not 1", RUNS[1], RUNS[0]),
            ("a CAM, with the same 10 cycles, for the table", RUNS[2], RUNS[1]),
            ("a CAM of 20 cycles for one of 10", RUNS[3], RUNS[2]),
        ):
            note = f"{at[one]:,.0f} → {at[other]:,.0f} µs."
            rows.append(found(f"CG, {vcs} VCs: run time with {name}, %", 100 * float(at[other] / at[one] - 1), note))
    names = [f"{name}, {cycles}" for name, cycles in RUNS]
    bars(axes, names, series)
    least = 0.9 * min(min(values) for values in series.values())
    axes.set_ylim(least, None)
    dress(axes, "CG, 64 ranks, case 1 (axis cut)", "mechanism, cycles of a lookup", "run time, µs", zero=False)
    return Findings(rows, drawn, TEXT)


TEXT = (
    "Question: may figure 7 compare a switch whose routes come from a CAM with one of tables? Answer: no. With tables, "
    "each cycle per hop costs run time. With a CAM the same cycles cost less, and a slower CAM may even be faster. The "
    "reason is not time but the mechanism: a port with a CAM has one lookup under way, so the heads in its VCs reach "
    "the allocators one after another, and packets leave staggered. Tried by hand, with the gain as it is: 32 to 512 "
    "flits per VC, virtual cut-through, packets that do not hold an output, and a crossbar twice as fast. Without "
    "gain: a delay of each head at the front of its own VC (head_delay) in place of the CAM, which does not stagger. "
    "Other kernels and mappings need not gain. So both switches of figures 7 to 9 have tables, and differ by their "
    "times alone."
)
TITLE = "what a CAM changes besides time, CG on 64 switches"
CATALOGUE.enter(Study("cache.fig7.cam", "A", TITLE, parts, mechanism))
