"""Paper B: run time, power and energy of all-to-alls against T_lt (figures 6, 7 and 10)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from sim.config import load
from sim.config.power import PowerParams
from sim.papers.axes import bars, dress, figure, line, paper_points
from sim.papers.framework.digest import ROOT
from sim.papers.framework.study import (
    CATALOGUE,
    Findings,
    Options,
    Part,
    Row,
    Study,
    Tables,
    claim,
    compare_at,
    echoed,
    found,
)
from sim.papers.power import EXAMPLE, OFF, OPEN, PAPER_RADIX, PROGRAMS, alltoall, in_bursts

ICC_LINKS = 10
"""Links of the chip from which paper B takes its power (reference 12), inferred: 17.80 W + 10 × 1.02 W are its 28 W."""
PAPERS_T_LT = 9.0  # µs: the mark in figures 7 and 10


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


ALGORITHM = "Follows from algorithm, torus and packet size alone."


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
            echoed("packets", 261_632, float(one["packets"]), ALGORITHM),
            echoed("packet-hops", 1_572_864, float(one["packet_hops"]), ALGORITHM),
            found(
                "links busy, %",
                100 * float(frame[frame["t_lt_us"].isna()]["busy"].iloc[0]),
                "7.117 in the paper, from which the pace is inferred: no test of the model.",
            ),
            echoed("bytes of packets, 48 per packet as the listing counts", 12_558_336, 48 * float(one["packets"])),
            echoed("bytes × hops, 48 per packet", 75_497_472, 48 * float(one["packet_hops"])),
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
    whole = radix == "8×8×8"
    alike = _alike(frame, 9)
    rows: list[Row] = [
        compare_at(
            whole,
            f"a router of {ICC_LINKS} links that sleep alike, T_lt = 9 µs, W",
            LISTED,
            alike.watts,
            f"The paper's listing: energy ÷ ticks is 24,149,221.65, which it prints as the mean power; read as µW per "
            f"router it asks for {100 * alike.needed:.2f} % of the time in LPI, and our links have "
            f"{100 * alike.lpi:.2f} %.",
        ),
        compare_at(
            whole,
            f"power less at T_lt = 9 µs, {ICC_LINKS} links that sleep alike, %",
            15,
            alike.saved,
            f"Of {alike.awake:.1f} W; the paper's listing, read as above, saves "
            f"{100 * (1 - LISTED / alike.awake):.1f} %. The pace is inferred from how busy the links are. "
            f"{_bursts(tables)}",
            "less",
        ),
        found(
            "power less at T_lt = 9 µs, the torus's own six links, %",
            at["power"],
            f"Six links always asleep save {_most_saved(frame):.1f} %. Tried, too: transitions at the power of links "
            f"asleep, {_saved(frame, 9):.1f} %.",
        ),
        found("energy less at T_lt = 9 µs, %", at["energy"], "The paper has power alone; a longer run spends more."),
    ]
    drawn, (axes,) = figure()
    line(axes, power["t_lt_us"], power["relative"], 0, "mean power")
    line(axes, energy["t_lt_us"], energy["relative"], 1, "energy")
    paper_points(axes, [9], [0.85], "paper, power")
    dress(axes, f"power and energy, {radix} torus, relative to LPI off", "T_lt, µs", "of LPI off", zero=False)
    return Findings(rows, drawn, OPEN)


LISTED = 24.149
"""W per router: the paper's listing (figure 3), energy ÷ ticks, read as µW."""


class Alike(NamedTuple):
    """A router of `ICC_LINKS` links that sleep as those of the torus do.

    Attributes
    ----------
    awake, watts : float
        Power without LPI and with it, W.
    saved : float
        The difference, %.
    lpi, needed : float
        Share of the time in LPI: that of the torus's links, and that with which `watts` is what the paper lists.
    """

    awake: float
    watts: float
    saved: float
    lpi: float
    needed: float


def _table1() -> PowerParams:
    """Return the powers and times of the paper's table 1."""
    values = load(ROOT / EXAMPLE, workload=True).power
    assert values is not None
    return values


def _alike(frame: pd.DataFrame, t_lt_us: float) -> Alike:
    """Return the power of a router of `ICC_LINKS` links, all of which sleep as those of the torus at a T_lt."""
    values = _table1()
    lpi = float(frame[frame["t_lt_us"] == t_lt_us]["lpi"].iloc[0])
    most = ICC_LINKS * (values.active_w - values.lpi_w)
    awake = values.base_w + ICC_LINKS * values.active_w
    return Alike(awake, awake - most * lpi, 100 * most * lpi / awake, lpi, (awake - LISTED) / most)


def _most_saved(frame: pd.DataFrame) -> float:
    """Return the power that a router of the torus saves if all its links sleep all the time, %."""
    values = _table1()
    links = 2 * len(str(frame["radix"].iloc[0]).split("×"))
    return 100 * links * (values.active_w - values.lpi_w) / (values.base_w + links * values.active_w)


def _bursts(tables: Tables) -> str:
    """Return the power saved at the same pace if a rank sends several messages in a row."""
    frame = tables["alltoall"]
    off = frame[frame["t_lt_us"].isna()]["mean_w"].iloc[0]
    each = (f"{row.messages} {100 * (1 - row.mean_w / off):.1f} %" for row in tables["bursts"].itertuples())
    return (
        "A link rests longer if messages come in bursts. Tried, at the same mean pace, by messages in a row: "
        f"{', '.join(each)}."
    )


def _saved(frame: pd.DataFrame, t_lt_us: float) -> float:
    """Return the power saved at a T_lt, %, if links that go to sleep or wake drew the power of links asleep.

    Transitions are counted by wakes; a final sleep does not count.
    """
    values = _table1()
    off, on = frame[frame["t_lt_us"].isna()].iloc[0], frame[frame["t_lt_us"] == t_lt_us].iloc[0]
    routers = int(np.prod([int(size) for size in str(on["radix"]).split("×")]))
    transitions = float(on["wakes"]) * (values.t_ls_ns + values.t_lw_ns) / float(on["run_time_ns"]) / routers
    less = float(off["mean_w"] - on["mean_w"]) + (values.active_w - values.lpi_w) * transitions
    return 100 * less / float(off["mean_w"])


NON_BLOCKING = ("simple_spread", "ring, non-blocking", "pairwise, non-blocking")


def fig10_parts(options: Options) -> list[Part]:
    """Return one part per program and T_lt."""
    radix = [4, 4, 4] if options.quick else PAPER_RADIX
    every, some = ((0, 3, 9), (0, 9)) if options.quick else ((0, 1, 2, 3, 6, 9, 12, 15, 20), (0, 3, 9, 15))
    return [
        Part("alltoall", alltoall, {"algorithm": algorithm, "radix": radix, "t_lt_ns": t})
        for algorithm in PROGRAMS
        for t in (OFF, *(1000.0 * t for t in (some if algorithm.endswith("non-blocking") else every)))
    ]


def fig10(tables: Tables) -> Findings:
    """Draw power, energy and run time by program, at the T_lt of the paper's mark."""
    frame = tables["alltoall"]
    radix = frame["radix"].iloc[0]
    columns = {"power": "mean_w", "energy": "energy_j", "run time": "run_time_ns"}
    relative = {
        (algorithm, name): _relative(frame[frame["algorithm"] == algorithm], column).set_index("t_lt_us")["relative"]
        for algorithm in PROGRAMS
        for name, column in columns.items()
    }
    saved = {each: _alike(frame[frame["algorithm"] == each], PAPERS_T_LT).saved for each in PROGRAMS}
    most = max(NON_BLOCKING, key=lambda each: saved[each])
    rows: list[Row] = [
        compare_at(
            radix == "8×8×8",
            f"most power saved at T_lt = 9 µs, {ICC_LINKS} links that sleep alike, non-blocking programs, %",
            15.3,
            saved[most],
            f"By {_named(most)}. A router of {ICC_LINKS} links as in power.fig7; 9 µs is the paper's mark. Tried: "
            "blocking calls, which wait for a message in each round and so have another pace: "
            + ", ".join(f"{_named(each)} {saved[each]:.1f} %" for each in PROGRAMS if each not in NON_BLOCKING)
            + ".",
            "less",
        )
    ]
    for algorithm in PROGRAMS:
        at_nine = ", ".join(f"{relative[algorithm, name][PAPERS_T_LT]:.3f}" for name in columns)
        rows.append(
            found(
                f"{_named(algorithm)}: power, energy and run time at T_lt = 9 µs, of LPI off",
                at_nine,
                f"Six links. With {ICC_LINKS} links that sleep alike, {saved[algorithm]:.1f} % less power.",
            )
        )
    for name in ("power", "energy"):
        best = {each: relative[each, name].idxmin() for each in PROGRAMS}
        rows.append(
            found(
                f"T_lt of least {name}, µs",
                ", ".join(f"{_named(each)} {t:g}" for each, t in best.items()),
                "Of those tried. " + LEAST[name],
            )
        )
    for algorithm in PROGRAMS:
        power, time = relative[algorithm, "power"], relative[algorithm, "run time"]
        quantity = f"{_named(algorithm)}: power saved where the run is at most 1 % longer, %"
        quick = power[time <= 1.01]
        if len(quick):
            rows.append(found(quantity, 100 * (1 - float(quick.min())), f"At T_lt = {quick.idxmin():g} µs."))
        else:
            note = f"Of those tried; the shortest run is {float(time.min()):.2f} times as long."
            rows.append(found(quantity, "no such T_lt", note))
    drawn, (axes,) = figure(width=6.4)
    series = {name: [float(relative[each, name][PAPERS_T_LT]) for each in PROGRAMS] for name in columns}
    bars(axes, [_named(each).replace(", ", ",\n") for each in PROGRAMS], series)
    dress(axes, f"{radix} torus, T_lt = 9 µs", "", "of LPI off")
    return Findings(rows, drawn, OPEN)


def _named(program: str) -> str:
    """Return the name of a program for readers."""
    return program.replace("_", " ")


LEAST = {
    "power": "The paper picks T_lt by power and marks 9 µs. At T_lt = 0 links sleep most and power is least, but the "
    "run takes several times as long.",
    "energy": "Power × run time: what a site pays for.",
}
for key, title, parts, conclude in (
    ("power.fig6", "run time against T_lt, simple spread", sweep_parts, fig6),
    ("power.fig7", "power against T_lt, simple spread", fig7_parts, fig7),
    ("power.fig10", "power by algorithm, at the paper's T_lt and at each one's best", fig10_parts, fig10),
):
    CATALOGUE.enter(Study(key, "B", title, parts, conclude))
