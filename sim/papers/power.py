"""Paper B: power of an interconnect with low-power idle under all-to-alls (figures 5 to 10)."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from sim.config import load
from sim.papers.axes import bars, dress, figure, line, paper_points
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
    compare_at,
    found,
)
from sim.workload.mpi_run import ProgramOptions, run_mpi
from sim.workload.replay import Records

EXAMPLE = "examples/power_torus8x8x8.toml"
PROGRAMS = {
    "simple_spread": "examples/mpi/alltoall_simple_spread.py",
    "ring": "examples/mpi/alltoall_ring.py",
    "pairwise": "examples/mpi/alltoall_pairwise.py",
}
ALL = -1  # in place of a switch's number: all switches
OFF = "off"
PAPER_RADIX = [8, 8, 8]
ICC_LINKS = 10
"""Links of the chip from which paper B takes its power (reference 12), inferred: 17.80 W + 10 × 1.02 W are its 28 W."""


def alltoall(algorithm: str, radix: list[int], t_lt_ns: float | str) -> list[Record]:
    """Return run time, power and energy of an all-to-all at paper B's pace."""
    given = [f"topology.radix={radix}", f"power.t_lt_ns={t_lt_ns}"]
    config = load(ROOT / EXAMPLE, given, workload=True)
    program = ROOT / PROGRAMS[algorithm]
    result, _ = run_mpi(program, int(np.prod(radix)), config, slow_down=False)
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
    program = ROOT / PROGRAMS["simple_spread"]
    result, _ = run_mpi(program, int(np.prod(radix)), config, options=options, slow_down=False)
    power = result.power
    assert power is not None
    return [{"messages": messages, "mean_w": power.mean_w / power.switches, "run_time_ns": result.run_time_ns}]


def over_time(algorithm: str, radix: list[int], t_lt_ns: float, chunk_ns: float) -> list[Record]:
    """Return the mean power of all switches in each chunk of time, and that of each switch in four chunks."""
    given = [f"topology.radix={radix}", f"power.t_lt_ns={t_lt_ns}", f"power.chunk_ns={chunk_ns}"]
    config = load(ROOT / EXAMPLE, given, workload=True)
    program = ROOT / PROGRAMS[algorithm]
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


def sweep_parts(options: Options) -> list[Part]:
    """Return simple spread at each T_lt."""
    radix = [4, 4, 4] if options.quick else PAPER_RADIX
    times: list[float | str] = [OFF, *(1000.0 * t for t in ((0, 1, 3, 9, 20) if options.quick else range(21)))]
    return [Part("alltoall", alltoall, {"algorithm": "simple_spread", "radix": radix, "t_lt_ns": t}) for t in times]


def fig7_parts(options: Options) -> list[Part]:
    """Return simple spread at each T_lt, and in bursts at 9 µs."""
    radix = [4, 4, 4] if options.quick else PAPER_RADIX
    bursts = (8,) if options.quick else (4, 8, 32)
    return sweep_parts(options) + [
        Part("bursts", in_bursts, {"radix": radix, "t_lt_ns": 9000.0, "messages": each}) for each in bursts
    ]


def _relative(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the runs with low-power idle, a column relative to the run without."""
    off = frame[frame["t_lt_us"].isna()][column].iloc[0]
    on = frame[~frame["t_lt_us"].isna()].sort_values("t_lt_us")
    return on.assign(relative=on[column] / off)


OPEN = (
    "Open in the paper: the pace. One message per rank in 5.76 µs makes links as busy as its listing says; cables of "
    "51 ns, 2 VCs of 64 flits, virtual cut-through. "
    "T_ls = 4,480 ns, T_lw = 2,880 ns; P_base 17.80 W per router, 1.02 and 0.10 W per link."
)


def fig6(tables: Tables) -> Findings:
    """Draw the run time against T_lt."""
    frame = tables["alltoall"]
    on = _relative(frame, "run_time_ns")
    first, best = float(on["relative"].iloc[0]), float(on[on["t_lt_us"] == 9]["relative"].iloc[0])
    one = frame.iloc[0]
    rows: list[Row] = [
        claim("run time at T_lt = 0 over that without LPI", "small T_lt slows the run badly", first, first > 1.1),
        found("run time at T_lt = 9 µs over that without LPI", best),
    ]
    if one["radix"] == "8×8×8":
        rows += [
            compare_at(True, "packets", 261_632, float(one["packets"])),
            compare_at(True, "packet-hops", 1_572_864, float(one["packet_hops"])),
            found(
                "links busy, %",
                100 * float(frame[frame["t_lt_us"].isna()]["busy"].iloc[0]),
                "7.117 in the paper, from which the pace is inferred: no test of the model.",
            ),
            compare_at(
                True, "bytes of packets, 48 per packet as the listing counts", 12_558_336, 48 * float(one["packets"])
            ),
            compare_at(True, "bytes × hops, 48 per packet", 75_497_472, 48 * float(one["packet_hops"])),
            found(
                "run time without LPI, ms",
                float(frame[frame["t_lt_us"].isna()]["run_time_ns"].iloc[0]) / 1e6,
                "7.117 % busy means 2.95 ms.",
            ),
        ]
    drawn, (axes,) = figure()
    line(axes, on["t_lt_us"], on["relative"], 0, "simple spread")
    dress(axes, f"run time, {one['radix']} torus, relative to LPI off", "T_lt, µs", "run time")
    return Findings(rows, drawn, OPEN)


def fig7(tables: Tables) -> Findings:
    """Draw the mean power, and the energy, against T_lt."""
    frame = tables["alltoall"]
    power, energy = _relative(frame, "mean_w"), _relative(frame, "energy_j")
    radix = frame["radix"].iloc[0]
    at = {
        name: 100 * (1 - float(one[one["t_lt_us"] == 9]["relative"].iloc[0]))
        for name, one in (("power", power), ("energy", energy))
    }
    rows: list[Row] = [
        compare_at(
            radix == "8×8×8",
            "power less at T_lt = 9 µs, %",
            15,
            at["power"],
            f"The pace is inferred from how busy the links are, see below. {_bursts(tables)} Tried, too: transitions "
            f"at the power of links asleep, {_saved(frame, 9, transitions=False):.1f} %.",
        ),
        found("energy less at T_lt = 9 µs, %", at["energy"], "The paper has power alone; a longer run spends more."),
    ]
    drawn, (axes,) = figure()
    line(axes, power["t_lt_us"], power["relative"], 0, "mean power")
    line(axes, energy["t_lt_us"], energy["relative"], 1, "energy")
    paper_points(axes, [9], [0.85], "paper, power")
    dress(axes, f"power and energy, {radix} torus, relative to LPI off", "T_lt, µs", "of LPI off", zero=False)
    return Findings(rows, drawn, OPEN)


def _bursts(tables: Tables) -> str:
    """Return the power saved at the same pace if a rank sends several messages in a row."""
    frame = tables["alltoall"]
    off = frame[frame["t_lt_us"].isna()]["mean_w"].iloc[0]
    each = (f"{row.messages} {100 * (1 - row.mean_w / off):.1f} %" for row in tables["bursts"].itertuples())
    return (
        "A link rests longer if messages come in bursts. Tried, at the same mean pace, by messages in a row: "
        f"{', '.join(each)}."
    )


def _saved(frame: pd.DataFrame, t_lt_us: float, *, transitions: bool = True, more_links: int = 0) -> float:
    """Return the power saved at a T_lt, %. Transitions are counted by wakes; a final sleep does not count.

    Parameters
    ----------
    frame : data frame
        Runs of one algorithm.
    t_lt_us : float
    transitions : bool
        Whether links that go to sleep or wake draw the power of active ones, as the paper says.
    more_links : int
        Unconnected links of each router; they never sleep.
    """
    values = load(ROOT / EXAMPLE, workload=True).power
    assert values is not None
    a_link = values.active_w - values.lpi_w
    off, on = frame[frame["t_lt_us"].isna()].iloc[0], frame[frame["t_lt_us"] == t_lt_us].iloc[0]
    less = float(off["mean_w"] - on["mean_w"])
    if not transitions:
        routers = int(np.prod([int(size) for size in str(on["radix"]).split("×")]))
        less += a_link * float(on["wakes"]) * (values.t_ls_ns + values.t_lw_ns) / float(on["run_time_ns"]) / routers
    return 100 * less / (float(off["mean_w"]) + more_links * values.active_w)


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


def fig10_parts(options: Options) -> list[Part]:
    """Return one part per algorithm and T_lt."""
    radix = [4, 4, 4] if options.quick else PAPER_RADIX
    times: list[float | str] = [
        OFF,
        *(1000.0 * t for t in ((0, 3, 9) if options.quick else (0, 1, 2, 3, 6, 9, 12, 15, 20))),
    ]
    return [
        Part("alltoall", alltoall, {"algorithm": algorithm, "radix": radix, "t_lt_ns": t})
        for algorithm in PROGRAMS
        for t in times
    ]


def _at_nine(frame: pd.DataFrame) -> str:
    """Return the power saved by each algorithm at a T_lt of 9 µs, and its run time."""
    said = []
    for name in PROGRAMS:
        mine = frame[frame["algorithm"] == name]
        time = _relative(mine, "run_time_ns").set_index("t_lt_us")["relative"][9]
        said.append(f"{name.replace('_', ' ')} {_saved(mine, 9):.1f} % in {time:.2f} times the run time")
    return ", ".join(said)


def fig10(tables: Tables) -> Findings:
    """Draw power by algorithm, at the T_lt of least power."""
    frame = tables["alltoall"]
    radix = frame["radix"].iloc[0]
    rows: list[Row] = []
    series: dict[str, list[float]] = {"power": [], "energy": [], "run time": []}
    for algorithm in PROGRAMS:
        mine = frame[frame["algorithm"] == algorithm]
        power = _relative(mine, "mean_w")
        best = power.loc[power["relative"].idxmin()]
        for name, column in (("power", "mean_w"), ("energy", "energy_j"), ("run time", "run_time_ns")):
            one = _relative(mine, column)
            series[name].append(float(one[one["t_lt_us"] == best["t_lt_us"]]["relative"].iloc[0]))
        rows.append(
            found(
                f"{algorithm}: power, energy and run time at its best T_lt of {best['t_lt_us']:g} µs, of LPI off",
                ", ".join(f"{values[-1]:.3f}" for values in series.values()),
            )
        )
    most = 100 * (1 - min(series["power"]))
    winner = frame[frame["algorithm"] == list(PROGRAMS)[int(np.argmin(series["power"]))]]
    first = float(_relative(winner, "mean_w").sort_values("relative")["t_lt_us"].iloc[0])
    rows.append(
        compare_at(
            radix == "8×8×8",
            "most power saved, %",
            15.3,
            most,
            "At the pace inferred for simple spread; the other algorithms wait for each message. The T_lt of least "
            "power makes runs several times as long, and takes several times the energy (rows above). Tried: 9 µs, "
            f"the T_lt of figure 7, for all: {_at_nine(frame)}; a router of {ICC_LINKS} links, of which the torus uses "
            f"six and the others never sleep (28.0 W without LPI, what the chip draws): "
            f"{_saved(winner, first, more_links=ICC_LINKS - 6):.1f} %.",
        )
    )
    for algorithm in PROGRAMS:
        mine = frame[frame["algorithm"] == algorithm]
        power, time = _relative(mine, "mean_w"), _relative(mine, "run_time_ns")
        quick = power[time["relative"].to_numpy() <= 1.01]
        if len(quick):
            one = quick.loc[quick["relative"].idxmin()]
            rows.append(
                found(
                    f"{algorithm}: power saved where the run is at most 1 % longer, %",
                    100 * (1 - float(one["relative"])),
                    f"At T_lt = {one['t_lt_us']:g} µs.",
                )
            )
        else:
            rows.append(
                found(
                    f"{algorithm}: power saved where the run is at most 1 % longer, %",
                    "no such T_lt",
                    f"Of those tried; the shortest run is {float(time['relative'].min()):.2f} times as long.",
                )
            )
    drawn, (axes,) = figure()
    bars(axes, [name.replace("_", " ") for name in PROGRAMS], series)
    dress(axes, f"{radix} torus, at the T_lt of least power, of LPI off", "", "of LPI off")
    return Findings(rows, drawn, OPEN)


for key, title, parts, conclude in (
    ("power.fig5", "8×8×8 torus coloured by power, ring", ring_parts(PAPER_RADIX, [4, 4, 4]), stills),
    ("power.fig6", "run time against T_lt, simple spread", sweep_parts, fig6),
    ("power.fig7", "power against T_lt, simple spread", fig7_parts, fig7),
    ("power.fig8", "power over time, ring, 4×4×4", ring_parts([4, 4, 4], [4, 4, 4]), fig8),
    ("power.fig9", "4×4×4 torus coloured by power, ring", ring_parts([4, 4, 4], [4, 4, 4]), stills),
    ("power.fig10", "power by algorithm at each one's best T_lt", fig10_parts, fig10),
):
    CATALOGUE.enter(Study(key, "B", title, parts, conclude))
