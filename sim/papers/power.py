"""Paper B: power of an interconnect with low-power idle under all-to-alls, in time and space (figures 5, 8 and 9)."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from sim.config import load
from sim.papers.axes import dress, figure, line
from sim.papers.framework.digest import ROOT
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
    found,
)
from sim.workload.mpi_run import ProgramOptions, run_mpi
from sim.workload.replay import Records

EXAMPLE = "examples/power_torus8x8x8.toml"
ALL_AT_ONCE = ("2048", "0", "0")
"""Arguments with which a program waits for no message before its last."""
PROGRAMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "simple_spread": ("examples/mpi/alltoall_simple_spread.py", ()),
    "ring": ("examples/mpi/alltoall_ring.py", ()),
    "pairwise": ("examples/mpi/alltoall_pairwise.py", ()),
    "ring, non-blocking": ("examples/mpi/alltoall_ring.py", ALL_AT_ONCE),
    "pairwise, non-blocking": ("examples/mpi/alltoall_pairwise.py", ALL_AT_ONCE),
}
ALL = -1  # in place of a switch's number: all switches
OFF = "off"
PAPER_RADIX = [8, 8, 8]


def alltoall(algorithm: str, radix: list[int], t_lt_ns: float | str) -> list[Record]:
    """Return run time, power and energy of an all-to-all at paper B's pace."""
    given = [f"topology.radix={radix}", f"power.t_lt_ns={t_lt_ns}"]
    config = load(ROOT / EXAMPLE, given, workload=True)
    program, arguments = PROGRAMS[algorithm]
    options = ProgramOptions(arguments=list(arguments))
    result, _ = run_mpi(ROOT / program, int(np.prod(radix)), config, options=options, slow_down=False)
    power = result.power
    assert power is not None
    links = result.links
    assert links is not None  # a network needs them
    return [
        {
            "algorithm": algorithm,
            "radix": "×".join(map(str, radix)),
            "t_lt_us": None if t_lt_ns == OFF else float(t_lt_ns) / 1000,
            "run_time_ns": result.run_time_ns,
            "mean_w": power.mean_w / power.switches,
            "energy_j": power.energy_j,
            "lpi": power.share_by_state["lpi"],
            "wakes": power.wakes,
            "packets": result.packets,
            "packet_hops": (result.flit_hops or 0) // 32,
            "busy": float(links["busy"].mean()),
        }
    ]


def in_bursts(radix: list[int], t_lt_ns: float, messages: int) -> list[Record]:
    """Return the power of simple spread at the same mean pace, with `messages` messages in a row, then a pause."""
    given = [f"topology.radix={radix}", f"power.t_lt_ns={t_lt_ns}", "workload.send_overhead=0"]
    config = load(ROOT / EXAMPLE, given, workload=True)
    pace = load(ROOT / EXAMPLE, workload=True).workload
    assert pace is not None
    options = ProgramOptions(arguments=["2048", str(messages * pace.send_overhead), str(messages)])
    program = ROOT / PROGRAMS["simple_spread"][0]
    result, _ = run_mpi(program, int(np.prod(radix)), config, options=options, slow_down=False)
    power = result.power
    assert power is not None
    return [{"messages": messages, "mean_w": power.mean_w / power.switches, "run_time_ns": result.run_time_ns}]


def over_time(algorithm: str, radix: list[int], t_lt_ns: float, chunk_ns: float) -> list[Record]:
    """Return the mean power of all switches in each chunk of time, and that of each switch in four chunks."""
    given = [f"topology.radix={radix}", f"power.t_lt_ns={t_lt_ns}", f"power.chunk_ns={chunk_ns}"]
    config = load(ROOT / EXAMPLE, given, workload=True)
    program = ROOT / PROGRAMS[algorithm][0]
    with TemporaryDirectory() as folder:
        records = Records(power=Path(folder) / "power.csv")
        run_mpi(program, int(np.prod(radix)), config, records=records, slow_down=False)
        frame = pd.read_csv(Path(folder) / "power.switches.csv", comment="#")
    about = {"algorithm": algorithm, "radix": "×".join(map(str, radix))}
    whole = sorted(frame["chunk"].unique())[:-1]  # the last one ends with the run
    shown = {whole[round(k * (len(whole) - 1) / 3)] for k in range(4)}
    rows: list[Record] = []
    for chunk in whole:
        mine = frame[frame["chunk"] == chunk]
        power = mine["mean_w"]
        when = about | {"chunk": int(chunk), "start_ns": float(mine["start_ns"].iloc[0])}
        rows.append(when | {"switch": ALL, "mean_w": power.mean(), "least_w": power.min(), "most_w": power.max()})
        if chunk in shown:
            rows += [when | {"switch": int(row.switch), "mean_w": row.mean_w} for row in mine.itertuples()]
    return rows


OPEN = (
    "Open in the paper: the pace. One message per rank in 5.76 µs makes links as busy as its listing says; cables of "
    "51 ns, 2 VCs of 64 flits, virtual cut-through. "
    "T_ls = 4,480 ns, T_lw = 2,880 ns; P_base 17.80 W per router, 1.02 and 0.10 W per link."
)

HOT = 0.05
"""Share of routers that count as hot spots."""


def ring_parts(radix: list[int], reduced: list[int]) -> Any:
    """Return the function that makes the part of a figure over time."""

    def parts(options: Options) -> list[Part]:
        size = reduced if options.quick else radix
        return [
            Part("over_time", over_time, {"algorithm": "ring", "radix": size, "t_lt_ns": 9000.0, "chunk_ns": 50_000.0})
        ]

    return parts


def fig8(tables: Tables) -> Findings:
    """Draw power over time."""
    frame = tables["over_time"]
    whole = frame[frame["switch"] == ALL].set_index("start_ns")["mean_w"].sort_index()
    spread = 100 * float((whole.max() - whole.min()) / whole.mean())
    rows = [claim("power varies from chunk to chunk, (most − least) ÷ mean, %", "varies", spread, spread > 0.5)]
    drawn, (axes,) = figure(width=7.0)
    line(axes, whole.index / 1000, whole, 0, "mean of all routers", drawstyle="steps-post", marker="")
    dress(axes, f"ring, {frame['radix'].iloc[0]} torus", "time, µs", "W per router, in 50 µs", zero=False)
    return Findings(rows, drawn, OPEN)


def stills(tables: Tables) -> Findings:
    """Draw the torus in three dimensions, coloured by power, at four times."""
    frame = tables["over_time"]
    radix = [int(size) for size in str(frame["radix"].iloc[0]).split("×")]
    every, each = frame[frame["switch"] == ALL], frame[frame["switch"] != ALL]
    times = sorted(each["chunk"].unique())
    drawn = Figure(figsize=(3.6 * len(times), 3.6), dpi=110, layout="constrained")
    low, high = float(every["least_w"].min()), float(every["most_w"].max())
    hottest = []
    for number, chunk in enumerate(times):
        mine = each[each["chunk"] == chunk].sort_values("switch")
        place = np.unravel_index(mine["switch"].astype(int), radix, order="F")
        axes: Any = drawn.add_subplot(1, len(times), number + 1, projection="3d")
        shown = axes.scatter(*place, c=mine["mean_w"], cmap="inferno", vmin=low, vmax=high, s=18)
        axes.set_title(f"{float(mine['start_ns'].iloc[0]) / 1000:.0f} µs", fontsize=10)
        hottest.append(set(mine.nlargest(max(1, round(HOT * len(mine))), "mean_w")["switch"]))
    drawn.colorbar(shown, ax=drawn.axes, shrink=0.7, label="W per router")
    stay = float(np.mean([100 * len(one & other) / len(one) for one, other in pairwise(hottest)]))
    rows: list[Row] = [
        claim(
            f"of the hottest {100 * HOT:.0f} % of routers, still among them at the next of these times, mean, %",
            "hot spots move over time",
            stay,
            stay < 50,
        ),
        found("power of a router in a chunk, least and most, W", f"{low:.2f} to {high:.2f}"),
    ]
    return Findings(
        rows, drawn, OPEN + " An interactive page with a time slider is made from such files by `tsuji view`."
    )


for key, title, parts, conclude in (
    ("power.fig5", "8×8×8 torus coloured by power, ring", ring_parts(PAPER_RADIX, [4, 4, 4]), stills),
    ("power.fig8", "power over time, ring, 4×4×4", ring_parts([4, 4, 4], [4, 4, 4]), fig8),
    ("power.fig9", "4×4×4 torus coloured by power, ring", ring_parts([4, 4, 4], [4, 4, 4]), stills),
):
    CATALOGUE.enter(Study(key, "B", title, parts, conclude))
