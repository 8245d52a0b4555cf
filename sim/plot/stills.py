"""Stills: a network in space at chosen times, coloured by a figure."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.plot.colour_bar import draw_colour_bar
from sim.plot.directions import axis_name
from sim.plot.heat_map import time_unit
from sim.plot.picture import write
from sim.plot.places_3d import link_segments, places_3d
from sim.plot.projection import FROM_ABOVE, discs, ribbons, view_of
from sim.plot.recorded import Recorded
from sim.plot.topology_places import Places
from sim.plot.view_figures import ViewFigure
from sim.topology.coordinates import CoordinateTopology

MOST = 5000  # most switches of a legible picture
MOST_STILLS = 24
COLUMNS = 4
CROWD = 100  # switches above which those in front hide too much of those behind
SIDE = 3.1  # size of a still, inches
INK = "#20303c"
BAR: dict[str, Any] = {"shrink": 0.7, "aspect": 28}  # legend of colours


def check_size(recorded: Recorded, option: str) -> None:
    """Refuse networks that are too large for a view in space.

    Raises
    ------
    TsujiError
        If it is too large; the message names the option.
    """
    switches = recorded.about["topology"]["switches"]
    if switches > MOST:
        raise TsujiError(f"{option}: {switches} switches; at most {MOST} can be seen; --heat-map shows any number")


def draw_stills(recorded: Recorded, figure: ViewFigure, at: Sequence[float], path: Path) -> None:
    """Draw the network at chosen times side by side, on one scale.

    The disc of a switch shows the switch's figure; the half of a cable at a switch shows that of the link that leaves
    the switch.

    Parameters
    ----------
    recorded : Recorded
        Record with the figure's column of links and switches.
    figure : ViewFigure
    at : sequence of float
        Times, ns; each shows the frame that contains it.
    path : Path
        Picture to write; its suffix is the format.

    Raises
    ------
    TsujiError
        If the network is too large, a time is not in the run, there are too many, or the picture cannot be written.
    """
    check_size(recorded, f"--stills {path}")
    if not 0 < len(at) <= MOST_STILLS:
        raise TsujiError(f"--at: {len(at)} times; must be 1 to {MOST_STILLS}")
    frames = [recorded.frame_at(ns) for ns in at]
    place = places_3d(recorded.topology, recorded.planes)
    ends = recorded.ends
    drawn = link_segments(recorded.topology, place, ends["switch"], ends["to_switch"], recorded.planes)
    view = view_of(place)
    shapes: list[Places] = [*ribbons(drawn.ends, view), *discs(place, view)]
    depth = np.concatenate((drawn.ends.mean(axis=1) @ view.towards, place @ view.towards + 1e-6))
    order = np.argsort(depth)
    polygons = [shapes[number] for number in order]

    of_links, of_switches = recorded.links[figure.column], recorded.switches[figure.column]
    scales = [figure.scale(values) for values in (of_links, of_switches)]
    columns = min(COLUMNS, len(at)) if len(at) != COLUMNS else 2
    rows = ceil(len(at) / columns)
    pale = 1.0 if len(place) < CROWD or view is FROM_ABOVE else 0.22
    size = columns * SIDE + 1.9, rows * SIDE * min(1.0, _aspect(polygons)) + 0.6
    with plt.rc_context({"font.size": 9, "text.color": INK, "axes.labelcolor": INK}):
        paper, grid = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
        for axes in grid.flat:
            axes.axis("off")
        unit, name = time_unit(float(recorded.end_ns[-1]))
        for axes, frame in zip(grid.flat, frames, strict=False):
            shares = [
                scale.shares(values[frame])
                for scale, values in zip(scales, (of_links[:, drawn.link], of_switches), strict=True)
            ]
            _draw(axes, polygons, figure.colours_of(np.concatenate(shares)[order], pale))
            _say_axes(axes, recorded, place)
            begin, end = recorded.start_ns[frame] / unit, recorded.end_ns[frame] / unit
            axes.set_title(f"{begin:.4g} to {end:.4g} {name}", fontsize=9)
        for scale, of in zip(scales, ("link", "switch"), strict=True):
            draw_colour_bar(paper, grid, figure, scale, figure.label(of), **({} if scale.constant else BAR))
        paper.suptitle(f"{recorded.title}: {figure.title}\n", x=0.01, ha="left", fontsize=11)
        write(paper, path, dpi=150)


def _aspect(polygons: Sequence[Places]) -> float:
    """Return height ÷ width of the drawing."""
    corners = np.concatenate(polygons)
    width, height = np.ptp(corners, axis=0)
    return float(height / max(width, 1e-9))


def _draw(axes: Axes, polygons: Sequence[Places], colours: NDArray[np.float64]) -> None:
    """Draw polygons from back to front; circles have an edge."""
    edges = np.array([(0.13, 0.19, 0.24, 0.8 if len(each) > 4 else 0) for each in polygons])
    edges[:, 3] *= colours[:, 3]
    thin = 0.5 if len(polygons) < 1000 else 0.25
    axes.add_collection(PolyCollection(polygons, facecolors=colours, edgecolors=edges, linewidths=thin))
    axes.set_aspect("equal")
    axes.autoscale_view()


def _say_axes(axes: Axes, recorded: Recorded, place: Places) -> None:
    """Draw the directions of coordinates, if they are places."""
    topology = recorded.topology
    if not isinstance(topology, CoordinateTopology) or not 1 < topology.coordinates.shape[1] <= 3:
        return
    view = view_of(place)
    corner = view.on_paper(place.min(axis=0) - np.array((0.9, 0.9, 0.0)) * (1 if np.ptp(place[:, 2]) else 0.9))
    length = 0.22 * float(np.ptp(place, axis=0).max()) + 0.6
    for dimension in range(topology.coordinates.shape[1]):
        step = view.on_paper(length * np.eye(3)[dimension])
        axes.plot(*np.stack((corner, corner + step), axis=1), color=INK, linewidth=0.8, solid_capstyle="round")
        x, y = corner + 1.25 * step
        axes.text(x, y, axis_name(dimension), ha="center", va="center", fontsize=9)
