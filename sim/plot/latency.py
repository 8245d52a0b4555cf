"""Plot of latency against accepted traffic, by which networks are compared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

from sim.measure.result import Result
from sim.plot.latency_curve import LatencyCurve, draw_curve, name_saturated, top_of
from sim.plot.picture import write
from sim.sweep.axes import LOAD

COLOURS = ("#1f6fb4", "#d1495b", "#2e8b57", "#e08e0b", "#6c4ab6", "#00798c", "#8d5524", "#5f6b73")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
APART = 3.0  # curves whose lowest latencies differ by more are drawn on a logarithmic axis

Curve = tuple[str, list[Result]]


def plot(values: Sequence[dict[str, str]], results: Sequence[Result], path: Path) -> None:
    """Draw a sweep: one curve per combination of the keys other than the load; no line through saturated points.

    Parameters
    ----------
    values : sequence of dict
        Settings of each point.
    results : sequence of Result
        Results of the points.
    path : Path
        Picture to write; its suffix is the format.

    Raises
    ------
    TsujiError
        If it cannot be written.
    """
    figure, axes = plt.subplots(figsize=(7.2, 4.6), dpi=160, layout="constrained")
    drawn = curves(values, results)
    points = [_points(members) for _, members in drawn]
    known = [curve for curve in points if len(curve.latency)]
    top = top_of(known) if known else 1.0
    for number, ((name, _), curve) in enumerate(zip(drawn, points, strict=True)):
        draw_curve(axes, curve, top, COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)], name)
    _dress(axes, drawn, known, top)
    write(figure, path)


def curves(values: Sequence[dict[str, str]], results: Sequence[Result]) -> list[Curve]:
    """Return the results by curve, each in order of offered load, with the name of the curve."""
    found: dict[str, list[Result]] = {}
    for point, result in zip(values, results, strict=True):
        name = ", ".join(f"{key} = {value}" for key, value in point.items() if key != LOAD)
        found.setdefault(name, []).append(result)
    return [
        (name, sorted(members, key=lambda result: float(result.config["traffic"]["load"])))
        for name, members in found.items()
    ]


def _points(members: list[Result]) -> LatencyCurve:
    """Return the points of a curve that have a latency."""
    known = [each.figures for each in members if each.figures.packet_latency.mean is not None]
    columns = [[each.accepted_traffic, each.packet_latency.mean, each.saturated] for each in known]
    return LatencyCurve.of(*np.array(columns).reshape(-1, 3).T)


def _dress(axes: Axes, drawn: list[Curve], points: list[LatencyCurve], top: float) -> None:
    """Set limits, labels, grid and legend."""
    axes.set_xlim(left=0)
    lowest = [curve.lowest for curve in points]
    if lowest and max(lowest) > APART * min(lowest):
        axes.set_yscale("log")
        axes.set_ylim(min(lowest) / 1.5, top)
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
    elif lowest:
        axes.set_ylim(0, top)
        axes.yaxis.set_major_locator(MaxNLocator(integer=True, steps=(1, 2, 5, 10)))
    axes.set_xlabel("accepted traffic, flits/node/cycle")
    axes.set_ylabel("mean packet latency, cycles")
    axes.grid(color="#dddddd", linewidth=0.7)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(_title(drawn), loc="left", fontsize=11, pad=12)
    name_saturated(axes, points, top)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=9)


def _title(drawn: list[Curve]) -> str:
    """Return the title: what all curves have in common."""
    configs = [result.config for _, members in drawn for result in members]
    parts = []
    if len({str(config["topology"]) for config in configs}) == 1:
        topology = configs[0]["topology"]
        parts.append("×".join(map(str, topology.get("radix", []))) + f" {topology['kind']}")
    for key, unit in (("pattern", " traffic"), ("packet_size", "-flit packets")):
        values = {config["traffic"].get(key) for config in configs}
        if len(values) == 1 and None not in values:
            parts.append(f"{configs[0]['traffic'][key]}{unit}")
    return ", ".join(parts)
