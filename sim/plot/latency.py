"""Plot of latency against accepted traffic, by which networks are compared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

from sim.measure.result import Result
from sim.plot.picture import write
from sim.sweep.axes import LOAD

COLOURS = ("#1f6fb4", "#d1495b", "#2e8b57", "#e08e0b", "#6c4ab6", "#00798c", "#8d5524", "#5f6b73")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
HEADROOM = 6.0  # the y axis ends at this many times the lowest latency of the slowest curve
APART = 3.0  # curves whose lowest latencies differ by more are drawn on a logarithmic axis

Curve = tuple[str, list[Result]]


def plot(values: Sequence[dict[str, str]], results: Sequence[Result], path: Path) -> None:
    """Draw a sweep: one curve per combination of the keys other than the load; saturated points are hollow.

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
    for number, (name, members) in enumerate(drawn):
        _draw(axes, name, members, COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)])
    _dress(axes, drawn)
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


def _draw(axes: Axes, name: str, members: list[Result], colour: str, marker: str) -> None:
    def points(chosen: list[Result]) -> tuple[list[float], list[float]]:
        known = [(result.figures.accepted_traffic, result.figures.packet_latency.mean) for result in chosen]
        return [x for x, y in known if y is not None], [y for _, y in known if y is not None]

    axes.plot(*points(members), color=colour, linewidth=1.6, label=name or None, marker=marker, markersize=5, zorder=3)
    hollow = points([result for result in members if result.figures.saturated])
    axes.scatter(*hollow, marker=marker, facecolor="white", edgecolor=colour, linewidth=1.4, s=30, zorder=4)


def _dress(axes: Axes, drawn: list[Curve]) -> None:
    """Set limits, labels, grid and legend."""
    lowest = [
        min(means)
        for _, members in drawn
        if (means := [r.figures.packet_latency.mean for r in members if r.figures.packet_latency.mean is not None])
    ]
    axes.set_xlim(left=0)
    if lowest:
        top = min(max(lowest) * HEADROOM, axes.get_ylim()[1])
        if max(lowest) > APART * min(lowest):
            axes.set_yscale("log")
            axes.set_ylim(min(lowest) / 1.5, top)
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            axes.yaxis.set_minor_formatter(NullFormatter())
        else:
            axes.set_ylim(0, top)
            axes.yaxis.set_major_locator(MaxNLocator(integer=True, steps=(1, 2, 5, 10)))
    axes.set_xlabel("accepted traffic, flits/node/cycle")
    axes.set_ylabel("mean packet latency, cycles")
    axes.grid(color="#dddddd", linewidth=0.7)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(_title(drawn), loc="left", fontsize=11)
    top = axes.get_ylim()[1]
    if any(r.figures.saturated and (r.figures.packet_latency.mean or top) < top for _, m in drawn for r in m):
        axes.scatter([], [], marker="o", facecolor="white", edgecolor="#777777", linewidth=1.4, s=30, label="saturated")
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
