"""Paper A, section 5: parameters of the case studies, and NAS Parallel Benchmarks on them (table 1, figures 7 to 9)."""

from __future__ import annotations

from typing import Any

import numpy as np

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
    compare,
    compare_at,
    found,
)
from sim.papers.traces import operations_per_unit, trace_file, trace_folder
from sim.schedule.files import open_schedule
from sim.schedule.job import Job
from sim.schedule.ti.timed_part import WHOLE, Mark, TimedPart
from sim.schedule.ti.trace import FLOPS, TraceOptions
from sim.workload.replay import replay

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


LARGE_FT = TimedPart(Mark("barrier", 1), Mark("reduce", 1))
"""Part of FT on 256 ranks that is run, to save time: the first transform and one of its six equal iterations."""


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
        compare(f"case {row.case}: {row.switch}, ns per switch", PRINTED[row.case][row.switch], float(row.ns))
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


def relative_speed(
    case: int, network: str, kernel: str, ranks: int, folder: str, setting: str, timed: bool
) -> list[Record]:
    """Return the run times of a kernel without and with route caches that never miss, and their ratio.

    They are those of the part that the benchmark times for its operations per second, or of the whole trace.
    """
    name, place, part = KERNELS[kernel]
    part = LARGE_FT if kernel == "FT" and ranks == 256 else part
    trace = f"{name}.{SUFFIXES[ranks][place]}"
    one = CASES[case]
    # Units of `compute` are counted at `FLOPS` per second; converted to operations, they take the time of the node's
    # speed.
    scale = operations_per_unit(folder, trace) * FLOPS / (one["tflops"] * 1e12)
    rest = round((one["lookup"] + one["rest"]) / CYCLE_NS) - round(one["lookup"] / CYCLE_NS) - 1
    common = NETWORKS[network] | {
        "switch.vcs": 4,
        "switch.depth": 64,
        "switch.data_width": 512,
        "switch.stage_delay": rest,
        "link.latency": SETTINGS[setting][0],
        "workload.send_overhead": SETTINGS[setting][1],
        "workload.receive_overhead": SETTINGS[setting][1],
        "workload.cycle_ns": CYCLE_NS,
        "workload.packet_bytes": 2048,
        "workload.zero_copy": "true",
        "workload.compute_scale": scale,
    }
    conventional = {
        "switch.routing": "table",
        "cache.entries": 0,
        "cache.ways": 1,
        "cam.latency": round(one["lookup"] / CYCLE_NS),
        "cam.occupancy": 1,
    }
    cached = {"switch.routing": "linear"}
    times = []
    for settings in (conventional, cached):
        given = [f"{key}={value}" for key, value in (common | settings).items()]
        schedule = open_schedule(trace_file(folder, trace), TraceOptions(part=part if timed else WHOLE))
        times.append(replay([Job(schedule)], load(None, given, workload=True), slow_down=False))
    return [
        {
            "case": case,
            "network": network,
            "kernel": kernel,
            "setting": setting,
            "timed": timed,
            "trace": trace,
            "conventional_ns": times[0].run_time_ns,
            "cached_ns": times[1].run_time_ns,
            "speed": times[0].run_time_ns / times[1].run_time_ns,
            "compute": float(times[1].ranks.compute.mean()) / times[1].run_time_ns,
        }
    ]


def speed_parts(case: int, network: str, ranks: int, quick: tuple[str, ...], whole: bool = False) -> Any:
    """Return the function that makes a figure's parts: one per kernel; with `whole`, also of whole traces."""

    def parts(options: Options) -> list[Part]:
        names = quick if options.quick else tuple(KERNELS)
        where = {"case": case, "network": network, "ranks": ranks, "folder": trace_folder(options)}
        return [
            Part("speed", relative_speed, where | {"kernel": name, "setting": setting, "timed": timed})
            for timed in ((True, False) if whole and not options.quick else (True,))
            for name in names
            for setting in SETTINGS
        ]

    return parts


def speed(printed: float, title: str) -> Any:
    """Return the function that concludes from the relative speeds."""

    def conclude(tables: Tables) -> Findings:
        every = tables["speed"].sort_values("kernel")
        frame = every[every["timed"]]
        by = {setting: frame[frame["setting"] == setting] for setting in SETTINGS}
        whole = len(by["bare"]) == len(KERNELS)
        rows: list[Row] = []
        note = OPEN + ("" if every["timed"].all() else " Tried, too: whole traces, see below.")
        for setting, mine in by.items():
            mean = 100 * (float(mine["speed"].mean()) - 1)
            rows.append(compare_at(whole, f"mean gain of {len(mine)} kernels, {setting}, %", printed, mean, note))
        for setting, mine in every[~every["timed"]].groupby("setting", sort=False):
            mean = 100 * (float(mine["speed"].mean()) - 1)
            rows.append(found(f"mean gain of {len(mine)} kernels, {setting}, whole traces, %", mean))
        least = float(frame["speed"].min())
        slow = frame[frame["speed"] < 1].itertuples()
        lost = ", ".join(f"{row.kernel} ({row.setting}) {row.speed:.3f}" for row in slow)
        note = f"{lost}. {LOST}" if lost else ""
        rows.append(claim("least relative speed", "every kernel ≥ 1.0", least, least >= 1.0, note))
        rows += [
            found(
                f"{row.kernel}, {row.setting}: gain, %",
                100 * (float(row.speed) - 1),
                f"{100 * float(row.compute):.0f} % of the time is calculation.",
            )
            for row in frame.itertuples()
        ]
        drawn, (axes,) = figure(width=7.0)
        names = [*by["bare"]["kernel"], "mean"]
        series: dict[str, list[float]] = {"conventional": [1.0] * len(names)}
        series |= {f"cache, {setting}": [*mine["speed"], mine["speed"].mean()] for setting, mine in by.items()}
        bars(axes, names, series)
        label = f"paper's mean, {1 + printed / 100:.3f}"
        axes.axhline(1 + printed / 100, color="#1c2733", linewidth=0.8, linestyle=":", label=label)
        axes.set_ylim(0.9, max(1.12, float(np.max(frame["speed"])) + 0.04))
        dress(axes, title, "", "relative speed (1 / run time)", zero=False)
        return Findings(rows, drawn, TEXT)

    return conclude


OPEN = (
    "The paper's simulator (SimGrid 3.12, flow level) has latencies of links and of the MPI library that are not "
    "given. "
    "Tried: neither, so that switches have the greatest weight, and 20 ns per cable (as found for figure 11) with "
    "250 ns of overhead at both ends of a message. The gain depends on all other delays of a message."
)
LOST = (
    "Every switch is quicker, but messages then meet on the links in another order, which can cost more than is won "
    "(not traced to a message); a flow-level simulator shares links evenly, and has no order. Tried: both settings."
)
TEXT = (
    "Traces of the kernels (class B; IS and FT class A), iterations cut, replayed message by message on the "
    "cycle-accurate network: "
    "flits of 64 B in 2.56 ns (200 Gb/s), packets of 2,048 B, 4 VCs of 64 flits, zero-copy, "
    "ranks on "
    "nodes in order, collectives as in docs/how_to/workloads.md. "
    "Without cache the CAM takes any number of lookups at once, "
    "and caches never "
    "miss, as the paper assumes: a linear table, read in the one cycle of 2.56 ns that a hit takes. "
    "The part that the benchmark times; CG, IS and others begin with set-up and a pass that count for nothing. Of FT "
    "among 256 ranks one iteration of six."
)
for key, title, parts, conclude in (
    ("cache.table1", "parameters of the two case studies", table1_parts, table1),
    (
        "cache.fig7",
        "NAS Parallel Benchmarks, case 1, 64 switches",
        speed_parts(1, "torus 4×4×4", 64, ("EP", "IS"), whole=True),
        speed(5.2, "case 1, 4×4×4 torus"),
    ),
    (
        "cache.fig8",
        "NAS Parallel Benchmarks, case 1, 256 switches",
        speed_parts(1, "torus 4×8×8", 256, ("EP",)),
        speed(6.9, "case 1, 4×8×8 torus"),
    ),
    (
        "cache.fig9",
        "NAS Parallel Benchmarks, case 2, 64 switches, random topology",
        speed_parts(2, "random, 64 switches of degree 6", 64, ("EP", "IS"), whole=True),
        speed(5.5, "case 2, random topology of 64 switches"),
    ),
):
    CATALOGUE.enter(Study(key, "A", title, parts, conclude))
