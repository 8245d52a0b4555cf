"""Beyond the papers: wake hints that run ahead of packets on paper B's torus, whose links sleep when idle."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from sim.config import load
from sim.papers.axes import dress, figure, line
from sim.papers.framework.digest import ROOT
from sim.papers.framework.study import CATALOGUE, Findings, Options, Part, Record, Row, Study, Tables, found
from sim.papers.power import EXAMPLE, OFF, PROGRAMS
from sim.power.account import PowerFigures
from sim.simulation import simulate
from sim.workload.mpi_run import run_mpi

RADIX = [4, 4, 4]
DIAMETER = 6  # links between switches on the longest path: hints over as many reach its end
HOPS = (0, 1, 2, 3, DIAMETER)
SLEEPS = (0.0, 1000.0, 3000.0, 9000.0)  # T_lt, ns; the last one is paper B's
PAPER_SLEEP = SLEEPS[-1]
LIGHT = 0.01  # flits/node/cycle, a seventh of the pace of paper B
SEEDS = (1, 2, 3)
KINDS = {"all-to-all": "time_us", "uniform": "latency_us"}  # what is to be short


def _given(t_lt_ns: float | str, hints: int) -> list[str]:
    """Return the settings of T_lt and of the hints."""
    hinted = [f"lpi.hints={hints}"] if hints else []
    return [f"topology.radix={RADIX}", f"power.t_lt_ns={t_lt_ns}", *hinted]


def _record(kind: str, t_lt_ns: float | str, hints: int, power: PowerFigures) -> Record:
    """Return the figures that both workloads have."""
    return {
        "kind": kind,
        "t_lt_us": None if t_lt_ns == OFF else float(t_lt_ns) / 1000,
        "hints": hints,
        "mean_w": power.mean_w / power.switches,
        "energy_j": power.energy_j,
        "lpi": power.share_by_state["lpi"],
        "wakes": power.wakes,
        "waited_us": power.wake_delay_ns / power.packets / 1000,
        "hint_wakes": power.hint_wakes,
        "hint_wakes_used": power.hint_wakes_used,
    }


def alltoall(t_lt_ns: float | str, hints: int) -> list[Record]:
    """Return the figures of simple spread at paper B's pace."""
    config = load(ROOT / EXAMPLE, _given(t_lt_ns, hints), workload=True)
    program = ROOT / PROGRAMS["simple_spread"][0]
    result, _ = run_mpi(program, int(np.prod(RADIX)), config, slow_down=False)
    assert result.power is not None
    return [_record("all-to-all", t_lt_ns, hints, result.power) | {"time_us": result.run_time_ns / 1000}]


def uniform(t_lt_ns: float | str, hints: int, seed: int, periods: int) -> list[Record]:
    """Return the figures of the same torus under uniform traffic at a light load."""
    settings = {
        "traffic.load": LIGHT,
        "traffic.packet_size": 32,
        "measure.period": 20_000,
        "measure.warmup_periods": 1,
        "measure.max_warmup_periods": 1,
        "measure.measure_periods": periods,
        "measure.max_measure_periods": periods,
        "run.seed": seed,
    }
    given = [f"{key}={value}" for key, value in settings.items()] + _given(t_lt_ns, hints)
    config = load(ROOT / EXAMPLE, given, workload=True)
    figures = simulate(config).figures
    assert figures.power is not None
    assert config.power is not None
    assert figures.packet_latency.mean is not None
    latency = figures.packet_latency.mean * config.power.cycle / 1000
    return [_record("uniform", t_lt_ns, hints, figures.power) | {"seed": seed, "latency_us": latency}]


def parts(options: Options) -> list[Part]:
    """Return T_lt × links ahead for both workloads, and each without low-power idle."""
    sleeps = (0.0, PAPER_SLEEP) if options.quick else SLEEPS
    hops = (0, 1, DIAMETER) if options.quick else HOPS
    seeds, periods = ((1,), 4) if options.quick else (SEEDS, 10)
    runs: list[tuple[float | str, int]] = [(OFF, 0), *((t_lt, k) for t_lt in sleeps for k in hops)]
    made = [Part("alltoall", alltoall, {"t_lt_ns": t_lt, "hints": k}) for t_lt, k in runs]
    return made + [
        Part("uniform", uniform, {"t_lt_ns": t_lt, "hints": k, "seed": seed, "periods": periods})
        for t_lt, k in runs
        for seed in seeds
    ]


def _means(frame: pd.DataFrame, t_lt_us: float | None) -> pd.DataFrame:
    """Return the means over seeds at a T_lt, or without low-power idle, by number of links ahead."""
    there = frame["t_lt_us"].isna() if t_lt_us is None else frame["t_lt_us"] == t_lt_us
    return frame[there].groupby("hints").mean(numeric_only=True)


def _hidden(means: pd.DataFrame, hints: int) -> float:
    """Return the share of the wait for links that hints hide, %; below 0 if packets wait longer."""
    return 100 * (1 - float(means["waited_us"][hints] / means["waited_us"][0]))


def _changed(means: pd.DataFrame, column: str, hints: int) -> float:
    """Return by how much a figure is above that without hints, %."""
    return 100 * (float(means[column][hints] / means[column][0]) - 1)


def _rows(kind: str, frame: pd.DataFrame, t_lt_us: float) -> list[Row]:
    """Return what hints hide and cost at a T_lt, for each number of links ahead."""
    means, off = _means(frame, t_lt_us), _means(frame, None)
    rows = []
    for hints in means.index[1:]:
        spared = [100 * (1 - float(means["mean_w"][k] / off["mean_w"][0])) for k in (0, hints)]
        time = KINDS[kind]
        used = 100 * float(means["hint_wakes_used"][hints] / means["hint_wakes"][hints])
        rows.append(
            found(
                f"{kind}, T_lt = {t_lt_us:g} µs, lpi.hints = {hints}: wake time hidden, %",
                _hidden(means, hints),
                f"A packet waits {means['waited_us'][hints]:.2f} µs, {means['waited_us'][0]:.2f} without hints; "
                f"{'run time' if kind == 'all-to-all' else 'mean latency'} {means[time][hints]:.2f} and "
                f"{means[time][0]:.2f} µs. Power saved by low-power idle {spared[1]:.2f} and {spared[0]:.2f} %; energy "
                f"{_changed(means, 'energy_j', hints):+.2f} %. Of the wakes that hints began, {used:.0f} % were used.",
            )
        )
    return rows


def _more_or_less(percent: float) -> str:
    """Return a change in words."""
    return f"{abs(percent):.1f} % {'more' if percent > 0 else 'less'}"


def _answer(kinds: Mapping[str, pd.DataFrame]) -> str:
    """Return the answer in two sentences: at the T_lt of paper B, and at T_lt = 0."""
    light, paced = (_means(frame, PAPER_SLEEP / 1000) for frame in kinds.values())
    none, all_links = _means(kinds["uniform"], 0), DIAMETER
    first, second = ([f"{_hidden(means, k):.0f} %" for k in (all_links, 1)] for means in (light, paced))
    latency = [f"{light['latency_us'][k]:.1f}" for k in (all_links, 0)]
    watts, joules, time, late, lost = (
        _more_or_less(_changed(means, column, all_links))
        for means, column in (
            (light, "mean_w"),
            (paced, "energy_j"),
            (paced, "time_us"),
            (none, "latency_us"),
            (none, "mean_w"),
        )
    )
    return (
        f"At T_lt = {PAPER_SLEEP / 1000:g} µs hints to all {all_links} links of a path hide {first[0]} of the wait "
        f"under uniform traffic (to the next link alone {first[1]}), for a latency of {latency[0]} µs instead of "
        f"{latency[1]} at {watts} power, and {second[0]} ({second[1]}) in the all-to-all, at {joules} energy in {time} "
        "time. "
        "With T_lt = 0 a link that a hint wakes is asleep again before the packet comes: under uniform traffic latency "
        f"is {late}, at {lost} power."
    )


def hints(tables: Tables) -> Findings:
    """Answer how much of the wake time hints hide, and what they cost."""
    kinds = {"uniform": tables["uniform"], "all-to-all": tables["alltoall"]}
    sleeps = sorted(tables["uniform"]["t_lt_us"].dropna().unique())
    rows = [row for kind, frame in kinds.items() for t_lt in reversed(sleeps) for row in _rows(kind, frame, t_lt)]
    drawn, both = figure(2, width=5.4)
    for axes, (kind, frame) in zip(both, kinds.items(), strict=True):
        for number, t_lt in enumerate(sleeps):
            means = _means(frame, t_lt)
            line(axes, means.index, means["waited_us"], number, f"T_lt = {t_lt:g} µs")
        dress(axes, f"{kind}, 4×4×4 torus", "links ahead that are hinted", "wait for sleeping links, µs per packet")
    text = (
        "Question: how much of T_lw do hints hide that run ahead of packets (lpi.hints), and at what power? Method: "
        "paper B's switches on a 4×4×4 torus, T_ls = 4,480 ns, T_lw = 2,880 ns; simple spread at the paper's pace, and "
        f"uniform traffic at {LIGHT} flits/node/cycle. The wait is for links between switches, "
        "latency also for those to nodes, which sleep, too; the always-on channel of the hints is not in the account. "
        f"Answer: {_answer(kinds)}"
    )
    return Findings(rows, drawn, text)


CATALOGUE.enter(Study("beyond.hints", "beyond", "how much of T_lw hints ahead of packets hide", parts, hints))
