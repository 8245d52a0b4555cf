"""Style of the papers' figures, with the paper's points beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from sim.plot.latency import COLOURS, MARKERS
from sim.plot.latency_curve import HEADROOM, LatencyCurve, draw_curve, name_saturated, top_of

PAPER_STYLE: dict[str, Any] = {
    "marker": "x",
    "color": "#1c2733",
    "linestyle": "none",
    "markersize": 8,
    "markeredgewidth": 1.8,
    "zorder": 6,
}


def figure(columns: int = 1, rows: int = 1, *, width: float = 6.4, height: float = 4.2) -> tuple[Figure, list[Axes]]:
    """Return a figure and its axes, row by row; `width` and `height` are those of one of them, inches."""
    drawn, grid = plt.subplots(
        rows, columns, figsize=(width * columns, height * rows), dpi=110, layout="constrained", squeeze=False
    )
    return drawn, list(grid.flat)


def dress(axes: Axes, title: str, x: str, y: str, *, zero: bool = True, beside: bool = False) -> None:
    """Set title, labels, grid and legend; `zero`: the y axis begins at 0; `beside`: the legend is beside the axes."""
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if zero and axes.get_yscale() == "linear":
        low, high = axes.get_ylim()
        axes.set_ylim(min(0.0, low), high + 0.06 * (high - low) if axes.get_autoscaley_on() else high)
    if axes.get_legend_handles_labels()[0]:
        place: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)} if beside else {}
        axes.legend(frameon=False, fontsize=8.5, **place)


def line(axes: Axes, x: Any, y: Any, number: int, label: str, **options: Any) -> None:
    """Draw a curve of ours."""
    style: dict[str, Any] = {"marker": MARKERS[number % len(MARKERS)], "markersize": 4.5, "linewidth": 1.6} | options
    axes.plot(np.asarray(x), np.asarray(y), color=COLOURS[number % len(COLOURS)], label=label, **style)


def latency_curves(
    axes: Axes,
    frames: Mapping[str, pd.DataFrame],
    latency: str,
    *,
    headroom: float = HEADROOM,
    styles: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> None:
    """Draw latency against accepted traffic, one curve per name; lines end before saturation.

    Parameters
    ----------
    axes : Axes
    frames : mapping of str to DataFrame
        Columns `load`, `accepted`, `saturated` and `latency` of each curve.
    latency : str
        Column of latencies.
    headroom : float
        As of `top_of`.
    styles : mapping of str to mapping
        Options of lines, by name.
    """
    sorted_by_load = {name: frame.sort_values("load") for name, frame in frames.items()}
    curves = {
        name: LatencyCurve.of(frame["accepted"], frame[latency], frame["saturated"])
        for name, frame in sorted_by_load.items()
    }
    top = top_of(list(curves.values()), headroom)
    for number, (name, curve) in enumerate(curves.items()):
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        draw_curve(axes, curve, top, colour, marker, name, **{"markersize": 4.5, **styles.get(name, {})})
    name_saturated(axes, list(curves.values()), top)
    axes.set_ylim(0, top)


def paper_points(axes: Axes, x: Any, y: Any, label: str = "paper, as printed") -> None:
    """Draw points that the paper prints."""
    axes.plot(np.asarray(x), np.asarray(y), label=label, **PAPER_STYLE)


def numbered_points(axes: Axes, frame: pd.DataFrame, x: str, y: str) -> None:
    """Draw one point per row, numbered in the order of the rows; the legend has each number's `name`."""
    for number, row in enumerate(frame.to_dict("records")):
        line(axes, [row[x]], [row[y]], number, f"{number + 1}: {row['name']}", linestyle="none", markersize=8)
        axes.annotate(str(number + 1), (row[x], row[y]), xytext=(6, 5), textcoords="offset points")


def bars(
    axes: Axes,
    groups: Sequence[str],
    series: Mapping[str, Sequence[float]],
    spreads: Sequence[NDArray[np.float64]] | None = None,
    **options: Any,
) -> None:
    """Draw a bar for each group and series, with how far values lie below and above it (`spreads`, one [2, G] each)."""
    width = 0.8 / len(series)
    place = np.arange(len(groups))
    for number, (name, values) in enumerate(series.items()):
        at = place + (number - (len(series) - 1) / 2) * width
        axes.bar(at, values, width * 0.94, color=COLOURS[number % len(COLOURS)], label=name, **options)
        if spreads is not None and spreads[number].any():
            axes.errorbar(at, values, spreads[number], fmt="none", ecolor="#1c2733", elinewidth=0.8, capsize=2)
    axes.set_xticks(place, groups)


def stacked(axes: Axes, groups: Sequence[str], series: Mapping[str, Sequence[float]]) -> None:
    """Draw one bar per group, stacked from the series."""
    bottom = np.zeros(len(groups))
    for number, (name, values) in enumerate(series.items()):
        axes.bar(groups, values, 0.7, bottom=bottom, color=COLOURS[number % len(COLOURS)], label=name)
        bottom = bottom + np.asarray(values, float)
