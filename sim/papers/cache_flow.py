"""Paper A, figure 7, by the paper's own method: a flow-level simulator, beside our cycle-accurate network."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sim.papers.axes import bars, dress, figure
from sim.papers.cache_applications import CASES, KERNELS, kernel_trace, relative_speed
from sim.papers.flow_level import lacking, replay_times, version
from sim.papers.framework.study import (
    CATALOGUE,
    Findings,
    Options,
    Part,
    Record,
    Row,
    Study,
    Tables,
    claim,
    compare_at,
    found,
)
from sim.papers.traces import operations_per_unit, trace_file, trace_folder
from sim.schedule.ti.trace import TraceOptions

BANDWIDTH = 25e9  # bytes per second: 200 Gb/s
TORI = {64: ("torus 4×4×4", (4, 4, 4), 5.2), 256: ("torus 4×8×8", (4, 8, 8), 6.9)}
"""By ranks: our network, its radix, and the paper's mean gain, %."""
COMPUTE = ("CPU seconds", "operations")
"""What the node's speed divides: recorded seconds at 10 Gop/s, or operations as the benchmark counts them."""


LEFT_OUT = {("IS", 64), ("IS", 256), ("FT", 256)}
"""SimGrid 3.32 ends with a segmentation fault in IS, and did not end FT of 256 ranks in 6 minutes of CPU."""


def flow_speed(kernel: str, ranks: int, folder: str, compute: str) -> list[Record]:
    """Return the run times of a kernel at flow level with the hops of case 1 without and with route caches."""
    trace, part, groups = kernel_trace(kernel, ranks)
    one = CASES[1]
    per_unit = operations_per_unit(folder, trace) if compute == "operations" else 1.0
    conventional, cached = replay_times(
        trace_file(folder, trace),
        TraceOptions(part=part, groups=groups),
        TORI[ranks][1],
        [one["lookup"] + one["rest"], one["hit"] + one["rest"]],
        BANDWIDTH,
        one["tflops"] * 1e12 / per_unit,
    )
    return [
        {
            "kernel": kernel,
            "ranks": ranks,
            "compute": compute,
            "trace": trace,
            "simgrid": version(),
            "conventional_ns": conventional,
            "cached_ns": cached,
            "speed": conventional / cached,
        }
    ]


def flow_parts(options: Options) -> list[Part]:
    """Return the parts at flow level, and those at cycle level that they are compared with."""
    names = ("EP", "CG") if options.quick else tuple(KERNELS)
    sizes = (64,) if options.quick else tuple(TORI)
    where = {"folder": trace_folder(options)}
    flow = [
        Part("flow", flow_speed, where | {"kernel": name, "ranks": ranks, "compute": compute})
        for ranks in sizes
        for name in names
        for compute in COMPUTE
        if (name, ranks) not in LEFT_OUT
    ]
    cycle = [
        Part(
            "speed",
            relative_speed,
            where
            | {"case": 1, "network": TORI[ranks][0], "ranks": ranks, "kernel": name, "setting": "bare"}
            | {"timed": True, "mapping": "linear"},
        )
        for ranks in sizes
        for name in names
        if (name, ranks) not in LEFT_OUT
    ]
    return flow + cycle


def _gains(frame: pd.DataFrame) -> pd.Series:
    """Return the gain of each kernel, %."""
    return 100 * (frame.set_index("kernel")["speed"].sort_index() - 1)


def flow(tables: Tables) -> Findings:
    """Gains at flow level beside the paper's, and kernel by kernel beside those at cycle level."""
    frame, speed = tables["flow"], tables["speed"]
    sizes = sorted(frame["ranks"].unique())
    rows: list[Row] = []
    drawn, panels = figure(len(sizes), width=5.6)
    for ranks, axes in zip(sizes, panels, strict=True):
        network, _, printed = TORI[ranks]
        cycle = _gains(speed[speed["network"] == network])
        series = {}
        for compute in COMPUTE:
            mine = _gains(frame[(frame["ranks"] == ranks) & (frame["compute"] == compute)])
            series[f"flow level, {compute}"] = mine
            quantity = f"{ranks} ranks: mean gain of {len(mine)} kernels at flow level, {compute}, %"
            rows.append(compare_at(len(mine) >= len(KERNELS) - 2, quantity, printed, float(mine.mean()), OPEN, "more"))
            least = float(mine.min())
            rows.append(
                claim(f"{ranks} ranks: least gain at flow level, {compute}, %", "no kernel slower", least, least >= 0)
            )
        series["cycle level, operations"] = cycle
        for name in cycle.index:
            both = series["flow level, operations"][name], float(cycle[name])
            note = f"{both[0]:.3g} at flow level, {both[1]:.3g} at cycle level, both with operations counted."
            rows.append(found(f"{ranks} ranks, {name}: cycle level less flow level, points", both[1] - both[0], note))
        names = [*cycle.index, "mean"]
        bars(axes, names, {label: [*values, values.mean()] for label, values in series.items()})
        axes.axhline(printed, color="#1c2733", linewidth=0.8, linestyle=":", label=f"paper's mean, {printed:g}")
        axes.set_ylim(min(0.0, float(np.min([values.min() for values in series.values()]))), None)
        dress(axes, f"{ranks} ranks, {network}", "", "gain, %")
    return Findings(rows, drawn, f"{TEXT} SimGrid {', '.join(sorted(frame['simgrid'].astype(str).unique()))}.")


OPEN = (
    "The paper prints neither its overheads of MPI nor the gains of single kernels in numbers. "
    "Tried: recorded CPU seconds, and operations counted, both at 5 TFlop/s."
)
TEXT = (
    "The traces of cache.fig7 (timed parts, ranks in order) replayed by SimGrid's flow-level model, the "
    "paper's method: torus links of 25 GB/s, 100 or 77 ns per hop, SimGrid's own collectives and overheads. Beside it "
    "the cycle-accurate network of cache.fig7, setting `bare`, where packets wait for links, buffers "
    "and arbiters; a flow does not. The replay needs SimGrid's command smpirun (Debian package libsimgrid-dev); parts "
    "that are kept do not. Without IS, in which SimGrid ends with a segmentation fault, and without FT among "
    "256 ranks, whose replay did not end within six minutes of CPU time."
)
TITLE = "NAS Parallel Benchmarks at flow level, 64 switches"
CATALOGUE.enter(Study("cache.fig7.flow", "A", TITLE, flow_parts, flow, lacking))
