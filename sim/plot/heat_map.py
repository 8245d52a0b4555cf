"""Heat maps: one row per link, one column per frame of time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from numpy.typing import ArrayLike, NDArray

from models.errors import TsujiError
from sim.plot.colour_bar import draw_colour_bar
from sim.plot.directions import link_groups
from sim.plot.picture import write
from sim.plot.recorded import Recorded
from sim.plot.scale import Scale
from sim.plot.view_figures import ViewFigure
from sim.topology.base import NOBODY


def plot_recorded(recorded: Recorded, figure: ViewFigure, path: Path) -> None:
    """Draw a figure of every link over time: one row per link, by direction, then by switch.

    Parameters
    ----------
    recorded : Recorded
        Record with the figure's column of links.
    figure : ViewFigure
    path : Path
        Picture to write; its suffix is the format.

    Raises
    ------
    TsujiError
        If there are no links, or the picture cannot be written.
    """
    ends = recorded.ends
    ways = ends["dimension"], ends["direction"], ends["port"]
    group, names, by = link_groups(*ways, ends["to_switch"] == NOBODY)
    order = np.lexsort((recorded.ends["port"], recorded.ends["switch"], group))
    values = recorded.links[figure.column][:, order]
    unit = time_unit(float(recorded.end_ns[-1]))
    draw_heat_map(
        path,
        recorded.edges_ns / unit[0],
        values,
        [names[row] for row in group[order]],
        f"{recorded.title}: links, by {by} and switch",
        figure.label("link"),
        f"time, {unit[1]}",
        figure,
        figure.scale(values),
    )


def time_unit(longest_ns: float) -> tuple[float, str]:
    """Return a unit of time suited to the length of a run, ns, and its name."""
    for unit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if longest_ns >= unit:
            return unit, name
    return 1.0, "ns"


def draw_heat_map(
    path: Path,
    edges: ArrayLike,
    values: NDArray[Any],
    groups: Sequence[str],
    title: str,
    label: str,
    time: str,
    figure: ViewFigure,
    scale: Scale,
) -> None:
    """Draw values of links over time, grouped.

    Parameters
    ----------
    path : Path
        Picture to write.
    edges : array [T + 1]
        Times between the columns.
    values : array [T, L]
    groups : sequence of str [L]
        Name of the group of each link; links of a group are adjacent.
    title, label, time : str
        Labels of the picture, of the scale, and of the time axis.
    figure : ViewFigure
        Its colours.
    scale : Scale
        Values that the colours show.

    Raises
    ------
    TsujiError
        If there are no links, or the picture cannot be written.
    """
    count = values.shape[1]
    if not count:
        raise TsujiError(f"{path}: {title}: no links to draw")
    paper, axes = plt.subplots(figsize=(7.2, min(9.0, max(3.2, 2 + count / 60))), dpi=160, layout="constrained")
    shares = scale.shares(values.T)
    axes.pcolormesh(
        np.asarray(edges), np.arange(count + 1), shares, rasterized=True, cmap=figure.colour_map, vmin=0, vmax=1
    )
    draw_colour_bar(paper, axes, figure, scale, label)
    named = np.array(groups)
    first = np.flatnonzero(np.append(True, named[1:] != named[:-1]))
    for line in first[1:]:
        axes.axhline(line, color="white", linewidth=0.8)
    axes.set_yticks((first + np.append(first[1:], count)) / 2, named[first].tolist())
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.set_xlabel(time)
    axes.set_title(title, loc="left", fontsize=11)
    write(paper, path)
