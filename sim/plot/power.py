"""Pictures of the energy account: power over time, energy by state, energy against time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from sim.plot.axis_start import begin_axis
from sim.plot.latency import COLOURS
from sim.plot.picture import write
from sim.power.meter import STATES
from sim.power.read import PowerResult

LABEL_WIDTH, LABEL_HEIGHT = 100, 18  # size of a name in the picture, pixels
STATE_COLOURS = dict(zip(STATES, ("#d1495b", "#e08e0b", "#1f6fb4", "#8d5524", "#6c4ab6"), strict=True))


def plot_over_time(tables: Sequence[tuple[str, pd.DataFrame]], path: Path) -> None:
    """Draw the power of a network over time (paper B, figure 8), one step per chunk.

    Parameters
    ----------
    tables : sequence of (str, pandas.DataFrame)
        Name of each run, and its `PowerFile.over_time`.
    path : Path
        Picture to write; its suffix is the format.

    Raises
    ------
    TsujiError
        If it cannot be written.
    """
    figure, axes = plt.subplots(figsize=(7.2, 3.8), dpi=160, layout="constrained")
    for number, (name, table) in enumerate(tables):
        edges = np.append(table["start_ns"], table["end_ns"].iloc[-1]) / 1000
        colour = COLOURS[number % len(COLOURS)]
        axes.stairs(table["mean_w"], edges, baseline=None, color=colour, linewidth=1.4, label=name)
    _dress(axes, "time, µs", "")
    begin_axis(axes, np.concatenate([table["mean_w"] for _, table in tables]), "mean power in a chunk, W")
    axes.legend(frameon=False, fontsize=9)
    write(figure, path)


def plot_by_state(results: Sequence[PowerResult], path: Path) -> None:
    """Draw the energy of links by state, one bar per result; parameters as in `plot_over_time`."""
    figure, axes = plt.subplots(figsize=(max(4.8, 0.5 * len(results) + 2.5), 4.2), dpi=160, layout="constrained")
    bottom = np.zeros(len(results))
    places = np.arange(len(results))
    for state in STATES:
        joules = np.array([each.figures["energy_by_state_j"][state] for each in results])
        if joules.any():
            axes.bar(places, joules, bottom=bottom, color=STATE_COLOURS[state], label=state, width=0.7)
        bottom += joules
    axes.set_xticks(places, [each.label for each in results], rotation=45, ha="right", fontsize=8)
    _dress(axes, "", "energy of links, J")
    figure.legend(frameon=False, fontsize=9, title="state", loc="outside right upper")
    write(figure, path)


def plot_pareto(results: Sequence[PowerResult], path: Path) -> None:
    """Draw energy against time, and the Pareto-optimal results; parameters as in `plot_over_time`."""
    figure, axes = plt.subplots(figsize=(7.2, 4.6), dpi=160, layout="constrained")
    time = np.array([each.time_ns for each in results]) / 1000
    energy = np.array([each.figures["energy_j"] for each in results])
    front = pareto(time, energy)
    axes.scatter(time, energy, s=26, color="#9aa5ad", zorder=2)
    axes.plot(time[front], energy[front], color=COLOURS[0], linewidth=1.4, marker="o", markersize=5, zorder=3)
    _dress(axes, f"{results[0].time_of}, µs", "energy of the network, J")
    others = [number for number in range(len(results)) if number not in set(front.tolist())]
    _label(axes, [(float(time[k]), float(energy[k]), results[k].label) for k in (*front, *others)])
    write(figure, path)


def pareto(time: np.ndarray, energy: np.ndarray) -> np.ndarray:
    """Return the indices of the Pareto-optimal points, in order of time."""
    found = []
    least = np.inf
    for number in np.lexsort((energy, time)):
        if energy[number] < least:
            found.append(int(number))
            least = energy[number]
    return np.array(found, np.int64)


def _label(axes: Axes, points: Sequence[tuple[float, float, str]]) -> None:
    """Name points, except those whose name would overlap an earlier one."""
    axes.autoscale_view()
    taken: list[tuple[float, float]] = []
    for x, y, name in points:
        at, level = axes.transData.transform((x, y))
        if all(abs(at - a) > LABEL_WIDTH or abs(level - b) > LABEL_HEIGHT for a, b in taken):
            taken.append((at, level))
            axes.annotate(name, (x, y), textcoords="offset points", xytext=(5, 4), fontsize=7)


def _dress(axes: Axes, x: str, y: str) -> None:
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color="#dddddd", linewidth=0.7, axis="y")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
