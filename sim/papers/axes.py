"""How figures of the papers look: one style, and the paper's points beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sim.plot.latency import COLOURS, MARKERS

PAPER_STYLE: dict[str, Any] = {
    "marker": "x",
    "color": "#1c2733",
    "linestyle": "none",
    "markersize": 8,
    "markeredgewidth": 1.8,
    "zorder": 6,
}


def figure(columns: int = 1, rows: int = 1, *, width: float = 6.4, height: float = 4.2) -> tuple[Figure, list[Axes]]:
    """Return a figure and its axes, row by row; width and height are those of one of them, inches."""
    drawn, grid = plt.subplots(
        rows, columns, figsize=(width * columns, height * rows), dpi=110, layout="constrained", squeeze=False
    )
    return drawn, list(grid.flat)


def dress(axes: Axes, title: str, x: str, y: str, *, zero: bool = True, legend: bool = True) -> None:
    """Set title, labels, grid and legend; `zero`: the y axis begins there."""
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if zero and axes.get_yscale() == "linear":
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    if legend and axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=8.5)


def line(axes: Axes, x: Any, y: Any, number: int, label: str, **options: Any) -> None:
    """Draw a curve of ours."""
    style = {"marker": MARKERS[number % len(MARKERS)], "markersize": 4.5, "linewidth": 1.6} | options
    axes.plot(np.asarray(x), np.asarray(y), color=COLOURS[number % len(COLOURS)], label=label, **style)


def paper_points(axes: Axes, x: Any, y: Any, label: str = "paper, as printed") -> None:
    """Draw points that the paper prints."""
    axes.plot(np.asarray(x), np.asarray(y), label=label, **PAPER_STYLE)


def bars(axes: Axes, groups: Sequence[str], series: dict[str, Sequence[float]], **options: Any) -> None:
    """Draw a bar for each group and series."""
    width = 0.8 / len(series)
    place = np.arange(len(groups))
    for number, (name, values) in enumerate(series.items()):
        at = place + (number - (len(series) - 1) / 2) * width
        axes.bar(at, values, width * 0.94, color=COLOURS[number % len(COLOURS)], label=name, **options)
    axes.set_xticks(place, groups)


def stacked(axes: Axes, groups: Sequence[str], series: dict[str, Sequence[float]]) -> None:
    """Draw a bar a group, made of the series."""
    bottom = np.zeros(len(groups))
    for number, (name, values) in enumerate(series.items()):
        axes.bar(groups, values, 0.7, bottom=bottom, color=COLOURS[number % len(COLOURS)], label=name)
        bottom = bottom + np.asarray(values, float)


def zoom(axes: Axes, low: float, high: float) -> None:
    """Show only what is between."""
    axes.set_ylim(low, high)


__all__ = ["bars", "dress", "figure", "line", "paper_points", "stacked", "zoom"]
