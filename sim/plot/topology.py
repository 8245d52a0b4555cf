"""A picture of a network: its switches, and every cable between them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.path import Path as Curve
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.plot.cable_kinds import cable_kinds
from sim.plot.picture import write
from sim.plot.places_3d import least_distance
from sim.plot.topology_places import Places, places
from sim.topology.base import Topology
from sim.topology.cables import cable_ends, cable_links

MOST = 1000  # most switches of a legible picture
LARGEST, CROWDED = 13.8, 0.8  # diameter of a switch: at most, points; at most, of the distance of the nearest two
SMALLEST_FONT = 3.2  # points; smaller numbers cannot be read
MOST_LARGER = 4.0  # times that the paper grows for numbers
UNNUMBERED = "switches are too close for their numbers"
LEGEND_LETTERS = 60  # of a line of the legend
POINTS, WIDTH = 72, 6.4  # of an inch; of the paper, inches
MARGIN = 0.15  # inches
SPARE = 0.06  # of the drawing, on each side
BEND = 0.16  # deviation of a bent cable from the straight line, relative to its length
INK = "#20303c"
COLOURS = ("#8ba3b3", "#d1495b", "#2e8b57", "#e08e0b", "#6c4ab6", "#1f6fb4")
# Text stays text, and equal networks give equal files.
STYLE: Any = {"svg.fonttype": "none", "svg.hashsalt": "tsuji", "font.family": "sans-serif", "font.size": 9}


def draw(topology: Topology, path: Path) -> None:
    """Draw a network: filled circles are switches with nodes, hollow ones without; colours are kinds of cables.

    Parameters
    ----------
    topology : Topology
        Up to 1,000 switches.
    path : Path
        Picture to write; its suffix is the format. An SVG holds `description` as well.

    Raises
    ------
    TsujiError
        If the network is too large for a legible picture, or the picture cannot be written.
    """
    if topology.switches > MOST:
        raise TsujiError(
            f"{topology.name}: {topology.switches} switches; a picture shows at most {MOST}, draw a smaller network of "
            "the family"
        )
    place = places(topology)
    width, height = np.maximum(np.ptp(place, axis=0), 1e-9)
    with matplotlib.rc_context(STYLE):
        tall = min(1.0, max(0.3, height / width))
        apart = POINTS * least_distance(place) / ((1 + 2 * SPARE) * max(width, height / tall))  # if an inch wide
        wide = _paper_width(topology, apart)
        figure, axes = plt.subplots(figsize=(wide, wide * tall + 0.4), layout="constrained")
        _cables(axes, topology, place)
        _switches(axes, topology, place, wide * apart)
        axes.set_aspect("equal")
        axes.margins(SPARE)
        axes.axis("off")
        axes.set_title(topology.name, loc="left", fontsize=11, color=INK)
        about = {"Date": None, "Description": json.dumps(description(topology))} if path.suffix == ".svg" else None
        # The whole drawing with a margin: fonts of viewers differ, and a title may be wider than the network.
        write(figure, path, metadata=about, dpi=160, bbox_inches="tight", pad_inches=MARGIN)


def description(topology: Topology) -> dict[str, Any]:
    """Return a picture's content as text: name, switch of each node, both ends of each cable and its latency."""
    ends, latency = _ends(topology)
    return {
        "name": topology.name,
        "nodes": topology.node_switch.tolist(),
        "cables": np.column_stack((ends, latency)).tolist(),
    }


def _ends(topology: Topology) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the switches and the latency of each cable, in one order: [C, 2] and [C]."""
    switch, port, _, _ = cable_links(topology).T
    return cable_ends(topology), topology.link_latency[switch, port]


def _cables(axes: Axes, topology: Topology, place: Places) -> None:
    """Draw the cables, those of one kind and latency in one colour, which the legend names."""
    ends = cable_ends(topology)
    bends = _bends(ends, place)
    names, kind = cable_kinds(topology, len(COLOURS))
    alpha = 0.85 if len(ends) < 300 else 0.5
    for number, name in enumerate(names):
        chosen = kind == number
        curves = [
            _curve(place[pair[0]], place[pair[1]], bend) for pair, bend in zip(ends[chosen], bends[chosen], strict=True)
        ]
        colour = COLOURS[number % len(COLOURS)]
        axes.add_collection(
            PathCollection(curves, facecolor="none", edgecolor=colour, linewidth=1.0, alpha=alpha, zorder=1),
            autolim=False,
        )
        for curve in curves:
            axes.update_datalim(curve.get_extents().get_points())
        axes.plot([], [], color=colour, label=name or None)
    if len(names) > 1:
        columns = min(len(names), max(1, LEGEND_LETTERS // max(map(len, names))))
        axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(0, 0), ncols=columns)


def _bends(ends: NDArray[np.int64], place: Places) -> NDArray[np.float64]:
    """Return the relative deviation of each cable [C] from the straight line, where that meets a switch or a twin."""
    bends = np.zeros(len(ends))
    twins: dict[tuple[int, ...], int] = {}
    for number, pair in enumerate(ends):
        start, end = place[pair]
        along = end - start
        length = float(np.hypot(*along))
        if length == 0:
            continue
        off = place - start
        share = off @ along / length**2
        aside = np.abs(off @ (-along[1], along[0])) / length
        inside = (share > 1e-6) & (share < 1 - 1e-6) & (aside < 0.02 * length)
        copy = twins[tuple(pair)] = twins.get(tuple(pair), -1) + 1
        bends[number] = BEND * (bool(inside.any()) + copy)
    return bends


def _curve(start: NDArray[np.float64], end: NDArray[np.float64], bend: float) -> Curve:
    """Return a line, or an arc to its left."""
    if not bend:
        return Curve([start, end])
    middle = (start + end) / 2 + 2 * bend * np.array([start[1] - end[1], end[0] - start[0]])
    return Curve([start, middle, end], [Curve.MOVETO, Curve.CURVE3, Curve.CURVE3])


def _sizes(topology: Topology, apart: float) -> tuple[float, float]:
    """Return the diameter of switches whose nearest two are `apart`, and the size of their numbers, points."""
    diameter = min(LARGEST, CROWDED * apart)
    return diameter, diameter * min(0.5, 1.1 / len(str(topology.switches - 1)))


def _paper_width(topology: Topology, apart: float) -> float:
    """Return the width of the paper, inches: more if that lets numbers be read; `apart` if it were an inch wide."""
    _, font = _sizes(topology, WIDTH * apart)
    larger = max(1.0, SMALLEST_FONT / font)
    return WIDTH * larger if larger <= MOST_LARGER else WIDTH


def _switches(axes: Axes, topology: Topology, place: Places, apart: float) -> None:
    """Draw the switches, with numbers if there is room; the nearest two are `apart`, points."""
    ends = np.isin(np.arange(topology.switches), topology.node_switch)
    diameter, font = _sizes(topology, apart)
    numbered = font > SMALLEST_FONT * 0.99
    size = diameter**2 if numbered else max(6.0, 3600.0 / topology.switches)
    for chosen, face in ((ends, INK), (~ends, "white")):
        axes.scatter(place[chosen, 0], place[chosen, 1], s=size, facecolor=face, edgecolor=INK, linewidth=0.9, zorder=2)
    if not numbered:
        axes.text(0, 0, UNNUMBERED, transform=axes.transAxes, ha="left", va="top", color=INK)
        return
    for switch, (x, y) in enumerate(place):
        colour = "white" if ends[switch] else INK
        axes.text(x, y, str(switch), ha="center", va="center", fontsize=font, color=colour, zorder=3)
