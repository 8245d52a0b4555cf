"""Paper A, section 5: parameters of the case studies, and NAS Parallel Benchmarks on them (table 1, figures 7 to 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from models.params import CacheParams, CamParams, LinkParams, SwitchParams
from sim.analysis.zero_load import zero_load_latency
from sim.config import load
from sim.papers.axes import bars, dress, figure
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
    echoed,
    found,
    varied,
)
from sim.papers.traces import operations_per_unit, trace_file, trace_folder
from sim.schedule.files import open_schedule
from sim.schedule.job import Job
from sim.schedule.mapping import mapped
from sim.schedule.ti.groups import GroupRule
from sim.schedule.ti.timed_part import WHOLE, Mark, TimedPart
from sim.schedule.ti.trace import FLOPS, TraceOptions
from sim.workload.replay import replay
from sim.workload.result import WorkloadResult

CASES: dict[int, dict[str, float]] = {
    1: {"lookup": 25, "hit": 2, "rest": 75, "tflops": 5},
    2: {"lookup": 20, "hit": 2, "rest": 40, "tflops": 50},
}
SETTINGS = {"bare": (0, 0.0), "cables and overheads": (8, 250.0)}
"""Cycles of a cable, 20 ns as found for figure 11, and ns of overhead at either end of a message."""
CYCLE_NS = 2.56  # 64-byte flits on a link of 200 Gb/s
NETWORKS: dict[str, dict[str, Any]] = {
    "torus 4×4×4": {"topology.kind": "torus", "topology.radix": [4, 4, 4]},
    "torus 4×8×8": {"topology.kind": "torus", "topology.radix": [4, 8, 8]},
    "random, 64 switches of degree 6": {
        "topology.kind": "random_regular",
        "topology.switches": 64,
        "topology.degree": 6,
        "routing.kind": "minimal",
    },
}
SUFFIXES = {
    64: ("64.5it", "64.3it", "64.1it", "64.6it", "64.20it"),
    256: ("256.5it", "256.3it", "256.1it", "256.6it", "256.20it"),
}
KERNELS = {
    "BT": ("bt.B", 0, TimedPart(Mark("barrier", 1), Mark("allreduce", 1))),
    "CG": ("cg.B", 1, TimedPart(Mark("barrier", 1), Mark("reduce", 1))),
    "EP": ("ep.B", 2, TimedPart(Mark("barrier", 1), Mark("allreduce", 4))),
    "FT": ("ft.A", 3, TimedPart(Mark("barrier", 1))),
    "IS": ("is.A", 1, TimedPart(Mark("alltoallv", 1), Mark("reduce", 1))),
    "LU": ("lu.B", 0, TimedPart(Mark("barrier", 2), Mark("allreduce", 3))),
    "MG": ("mg.B", 4, TimedPart(Mark("barrier", 6), Mark("reduce", 1))),
    "SP": ("sp.B", 0, TimedPart(Mark("barrier", 1), Mark("allreduce", 1))),
}
"""Trace, index of its suffix, and the part that the benchmark times (README of the traces)."""

MAPPINGS = ("linear", *(f"random:{seed}" for seed in range(1, 6)))
"""Where ranks are: rank k on node k, and five draws."""
FT_GROUPS = (GroupRule("alltoall", 256, 128, 2), GroupRule("alltoall", 16384, 2))
"""Communicators of FT, class A, among 256 ranks: NPB's layout of 128 × 2 processes (np1 = nz = 128, np2 = 2).

Process `me` has me1 = me div np2 and me2 = me mod np2. Each transposition is an all-to-all of 256·256·128 ÷ 256
elements per rank: 16,384 to each of the np2 ranks of the same me1, or 256 to each of the np1 ranks of the same me2.
"""


def hop_times(case: int) -> list[Record]:
    """Return the simulated latency of a switch, cycles of 1 ns: the difference of two hops and one, without a cable."""
    one = CASES[case]
    cam = CamParams(latency=int(one["lookup"]), occupancy=1)
    rows = []
    for name, entries, lookup in (("conventional", 0, "hit"), ("hit", 2048, "hit"), ("miss", 2048, "miss")):
        switch = SwitchParams(ports=7, cache=CacheParams(entries=entries), cam=cam, stage_delay=int(one["rest"]) - 1)
        link = LinkParams(latency=0)
        took = zero_load_latency(switch, link, 2, 1, lookup) - zero_load_latency(switch, link, 1, 1, lookup)  # type: ignore[arg-type]
        rows.append({"case": case, "switch": name, "ns": took})
    return rows


PRINTED = {
    1: {"conventional": 100, "hit": 77, "miss": 102},
    2: {"conventional": 60, "hit": 42, "miss": 62},
}
"""Table 1, ns per switch: routing and the rest."""


def table1_parts(_: Options) -> list[Part]:
    """Return one part per case."""
    return [Part("hops", hop_times, {"case": case}) for case in CASES]


def table1(tables: Tables) -> Findings:
    """Parameters of the case studies, as the switch has them."""
    frame = tables["hops"]
    rows: list[Row] = [
        echoed(f"case {row.case}: {row.switch}, ns per switch", PRINTED[row.case][row.switch], float(row.ns))
        for row in frame.itertuples()
    ]
    rows.append(
        found(
            "case 1 / 2: TFlop/s per node",
            f"{CASES[1]['tflops']} / {CASES[2]['tflops']}",
            "5 and 50 in the paper; scales the traces' calculations.",
        )
    )
    drawn, (axes,) = figure()
    names = ["conventional", "hit", "miss"]
    bars(
        axes,
        names,
        {f"case {case}": list(frame[frame["case"] == case].set_index("switch").loc[names, "ns"]) for case in CASES},
    )
    dress(axes, "a hop through the switch, 1 GHz", "", "ns")
    return Findings(
        rows,
        drawn,
        "Times of the model's switch (sim/analysis/zero_load.py, held to simulations pair by pair) with the "
        "parameters of table 1.",
    )


def stage_delay(hop_ns: float) -> int:
    """Return the `switch.stage_delay` with which a hop of a switch with linear tables takes `hop_ns`, rounded."""
    link = LinkParams(latency=0)

    def hop(delay: int) -> int:
        switch = SwitchParams(ports=7, vcs=4, routing="linear", table_entries=64, stage_delay=delay)
        return zero_load_latency(switch, link, 2, 1) - zero_load_latency(switch, link, 1, 1)

    return round(hop_ns / CYCLE_NS) - hop(0)


def kernel_trace(kernel: str, ranks: int) -> tuple[str, TimedPart, Sequence[GroupRule]]:
    """Return the trace of a kernel, what the benchmark times of it, and its groups that the trace does not name."""
    name, place, part = KERNELS[kernel]
    return f"{name}.{SUFFIXES[ranks][place]}", part, FT_GROUPS if (kernel, ranks) == ("FT", 256) else ()


def relative_speed(
    case: int, network: str, kernel: str, ranks: int, folder: str, setting: str, timed: bool, mapping: str
) -> list[Record]:
    """Return the run times of a kernel with the switch times of a case without and with route caches, and their ratio.

    Both switches have one mechanism, a table read in the cycle in which a header arrives, and differ by their times
    alone. Of the part that the benchmark times, to which its operations per second refer, or of the whole trace.
    """
    one = CASES[case]
    link, overhead = SETTINGS[setting]
    common = NETWORKS[network] | {
        "switch.routing": "linear",
        "link.latency": link,
        "workload.send_overhead": overhead,
        "workload.receive_overhead": overhead,
    }
    times = []
    for lookup in ("lookup", "hit"):
        given = common | {"switch.stage_delay": stage_delay(one[lookup] + one["rest"])}
        times.append(replayed(case, kernel, ranks, folder, given, timed, mapping))
    return [
        {
            "case": case,
            "network": network,
            "kernel": kernel,
            "setting": setting,
            "timed": timed,
            "mapping": mapping,
            "trace": kernel_trace(kernel, ranks)[0],
            "conventional_ns": times[0].run_time_ns,
            "cached_ns": times[1].run_time_ns,
            "speed": times[0].run_time_ns / times[1].run_time_ns,
            "compute": float(times[1].ranks.compute.mean()) / times[1].run_time_ns,
        }
    ]


def replayed(
    case: int, kernel: str, ranks: int, folder: str, given: dict[str, Any], timed: bool, mapping: str
) -> WorkloadResult:
    """Return the replay of a kernel on a network of 4 VCs of 64 flits, with the node's speed of a case."""
    trace, part, groups = kernel_trace(kernel, ranks)
    # Units of `compute` are counted at `FLOPS` per second; converted to operations, they take the time of the node's
    # speed.
    scale = operations_per_unit(folder, trace) * FLOPS / (CASES[case]["tflops"] * 1e12)
    common = {
        "switch.vcs": 4,
        "switch.depth": 64,
        "switch.data_width": 512,
        "workload.cycle_ns": CYCLE_NS,
        "workload.packet_bytes": 2048,
        "workload.zero_copy": "true",
        "workload.compute_scale": scale,
    }
    config = load(None, [f"{key}={value}" for key, value in (common | given).items()], workload=True)
    schedule = open_schedule(trace_file(folder, trace), TraceOptions(part=part if timed else WHOLE, groups=groups))
    job = Job(schedule, mapped(mapping, schedule.ranks, config))
    return replay([job], config, slow_down=False)


def speed_parts(case: int, network: str, ranks: int, quick: tuple[str, ...], mappings: Sequence[str]) -> Any:
    """Return the function that makes a figure's parts: one per kernel, setting and mapping.

    Ranks are on nodes drawn at random only where switches have the greatest weight (`bare`).
    """

    def parts(options: Options) -> list[Part]:
        names = quick if options.quick else tuple(KERNELS)
        where = {"case": case, "network": network, "ranks": ranks, "folder": trace_folder(options)}
        drawn = mappings[:2] if options.quick else mappings
        return [
            Part(
                "speed",
                relative_speed,
                where | {"kernel": name, "setting": setting, "timed": True, "mapping": mapping},
            )
            for name in names
            for setting in SETTINGS
            for mapping in (drawn if setting == "bare" else drawn[:1])
        ]

    return parts


def speed(printed: float, title: str) -> Any:
    """Return the function that concludes from the relative speeds."""

    def conclude(tables: Tables) -> Findings:
        frame = tables["speed"].sort_values(["kernel", "setting", "mapping"])
        linear = frame[frame["mapping"] == "linear"]
        kernels = sorted(frame["kernel"].unique())
        rows: list[Row] = []
        for setting in SETTINGS:
            gains = 100 * (frame[frame["setting"] == setting].groupby("mapping")["speed"].mean() - 1)
            note = f"{OPEN}{_spread(gains, '%')}"
            quantity = f"mean gain of {len(kernels)} kernels, {setting}, ranks in order, %"
            whole = len(kernels) == len(KERNELS)
            if setting == "bare":
                rows.append(compare_at(whole, quantity, printed, float(gains["linear"]), note, "more"))
            else:
                rows.append(varied(quantity, printed, float(gains["linear"]), note))
        rows.append(_claim_of_least(linear, "ranks in order"))
        if frame["mapping"].nunique() > 1:
            rows.append(_claim_of_least(frame[frame["mapping"] != "linear"], "ranks on nodes drawn at random"))
        for row in linear.itertuples():
            mine = frame[(frame["kernel"] == row.kernel) & (frame["setting"] == row.setting)]
            gains = 100 * (mine.set_index("mapping")["speed"] - 1)
            note = f"{100 * float(row.compute):.0f} % of the time is calculation.{_spread(gains, '%')}"
            rows.append(found(f"{row.kernel}, {row.setting}: gain, ranks in order, %", float(gains["linear"]), note))
        return Findings(rows, _drawn(frame, kernels, printed, title), TEXT)

    return conclude


def _spread(values: pd.Series, unit: str) -> str:
    """Return in words how a quantity spreads over random mappings; nothing if there are none."""
    random = values.drop("linear")
    if random.empty:
        return ""
    return (
        f" On {len(random)} random mappings: {random.min():.3g} to {random.max():.3g} {unit}, "
        f"mean {random.mean():.3g} {unit}."
    )


def _claim_of_least(frame: pd.DataFrame, where: str) -> Row:
    """Return the row of the paper's claim that no kernel gets slower."""
    least = float(frame["speed"].min())
    slow = frame[frame["speed"] < 1].itertuples()
    note = "; ".join(f"{row.kernel}, {row.setting}, {row.mapping}: {row.speed:.4f}" for row in slow)
    if note:
        note += (
            ". Packets then meet in another order, and may wait longer than a quicker switch saves; flows have none. "
            "Tried: the flow-level model (cache.fig7.flow), where no kernel gets slower; other mappings (rows below)."
        )
    return claim(f"least relative speed, {where}", "every kernel ≥ 1.0", least, least >= 1.0, note)


def _drawn(frame: pd.DataFrame, kernels: list[str], printed: float, title: str) -> Figure:
    """Draw the relative speeds: the mean over mappings, and their least and greatest."""
    drawn, (axes,) = figure(width=7.0)
    names = [*kernels, "mean"]
    by = frame.groupby(["setting", "mapping", "kernel"])["speed"].mean().unstack("kernel")
    by["mean"] = by[kernels].mean(axis=1)
    series: dict[str, list[float]] = {"conventional": [1.0] * len(names)}
    spreads = [np.zeros((2, len(names)))]
    for setting in SETTINGS:
        mine = by.loc[setting][names]
        series[f"cache, {setting}"] = list(mine.mean())
        spreads.append(np.array([mine.mean() - mine.min(), mine.max() - mine.mean()]))
    bars(axes, names, series, spreads=spreads)
    label = f"paper's mean, {1 + printed / 100:.3f}"
    axes.axhline(1 + printed / 100, color="#1c2733", linewidth=0.8, linestyle=":", label=label)
    axes.set_ylim(0.9, max(1.12, float(frame["speed"].max()) + 0.04))
    dress(axes, f"{title} (axis cut)", "", "relative speed (1 / run time)", zero=False)
    return drawn


OPEN = (
    "The paper's simulator (SimGrid 3.12, flow level) has latencies of links and of the MPI library that are not "
    "given. "
    "Tried: neither, so that switches have the greatest weight, and 20 ns per cable (as found for figure 11) with "
    "250 ns of overhead at both ends of a message. The paper's own method on the same traces: cache.fig7.flow."
)
TEXT = (
    "Traces of the kernels (class B; IS and FT class A), iterations cut, replayed message by message on the "
    "cycle-accurate network: flits of 64 B in 2.56 ns (200 Gb/s), packets of 2,048 B, 4 VCs of 64 flits, zero-copy, "
    "collectives as in docs/how_to/workloads.md. Both switches have the same mechanism, a linear table that is read in "
    "one cycle, as caches never miss in the paper (cache.fig7.cam: why not a CAM); a hop takes the conventional "
    "switch's time or that of a hit, to the nearest cycle. Bars are means over mappings of ranks to nodes (in order, "
    "and five drawn at random), with the least and the greatest; of 256 ranks "
    "in order alone. The part that the benchmark times; CG, IS and others begin with set-up and a pass that count for "
    "nothing. FT among 256 ranks: all-to-alls on communicators of 128 and of 2 ranks (NPB's two-dimensional layout), "
    "which the trace does not name."
)
for key, title, parts, conclude in (
    ("cache.table1", "parameters of the two case studies", table1_parts, table1),
    (
        "cache.fig7",
        "NAS Parallel Benchmarks, case 1, 64 switches",
        speed_parts(1, "torus 4×4×4", 64, ("EP", "IS", "LU"), MAPPINGS),
        speed(5.2, "case 1, 4×4×4 torus"),
    ),
    (
        "cache.fig8",
        "NAS Parallel Benchmarks, case 1, 256 switches",
        speed_parts(1, "torus 4×8×8", 256, ("EP",), ("linear",)),
        speed(6.9, "case 1, 4×8×8 torus"),
    ),
    (
        "cache.fig9",
        "NAS Parallel Benchmarks, case 2, 64 switches, random topology",
        speed_parts(2, "random, 64 switches of degree 6", 64, ("EP",), MAPPINGS),
        speed(5.5, "case 2, random topology of 64 switches"),
    ),
):
    CATALOGUE.enter(Study(key, "A", title, parts, conclude))
