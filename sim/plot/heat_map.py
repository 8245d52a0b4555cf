"""Heat maps: one row per link, one column per frame of time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from numpy.typing import ArrayLike, NDArray

from models.errors import TsujiError
from sim.plot.picture import write
from sim.plot.recorded import Recorded
from sim.plot.view_figures import ViewFigure
from sim.topology.base import NOBODY, Int64

AXES = "xyz"


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
    group, names = link_groups(recorded.ends)
    order = np.lexsort((recorded.ends["port"], recorded.ends["switch"], group))
    values = recorded.links[figure.column][:, order]
    low, high = figure.limits(values)
    colours = {"cmap": figure.colour_map, "vmin": low, "vmax": high}
    unit = time_unit(float(recorded.end_ns[-1]))
    draw_heat_map(
        path,
        recorded.edges_ns / unit[0],
        values,
        [names[row] for row in group[order]],
        f"{recorded.title}: links, by {'direction' if names[0][0] in '+−' else 'port'} and switch",
        figure.label("link"),
        unit[1],
        **colours,
    )


def link_groups(ends: dict[str, Int64]) -> tuple[Int64, list[str]]:
    """Return the group of each link [L], and the groups' names: direction, port without a direction, or nodes."""
    dimension, direction, port = ends["dimension"], ends["direction"], ends["port"]
    to_node = ends["to_switch"] == NOBODY
    if bool(((dimension != NOBODY) | to_node).all()):
        key = np.where(to_node, 1 << 30, 2 * dimension + (direction < 0))
        named = {2 * d + back: f"{'−' if back else '+'}{axis_name(d)}" for d in range(64) for back in (0, 1)}
        named[1 << 30] = "nodes"
    else:
        key = port
        named = {number: f"port {number}" for number in np.unique(port).tolist()}
    kinds, group = np.unique(key, return_inverse=True)
    return group.ravel(), [named[kind] for kind in kinds.tolist()]


def axis_name(dimension: int) -> str:
    """Return the name of a dimension."""
    return AXES[dimension] if dimension < len(AXES) else f"d{dimension}"


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
    **colours: Any,
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
    **colours
        Arguments of `Axes.pcolormesh`: colour map and its limits.

    Raises
    ------
    TsujiError
        If there are no links, or the picture cannot be written.
    """
    count = values.shape[1]
    if not count:
        raise TsujiError(f"{path}: {title}: no links to draw")
    figure, axes = plt.subplots(figsize=(7.2, min(9.0, max(3.2, 2 + count / 60))), dpi=160, layout="constrained")
    mesh = axes.pcolormesh(np.asarray(edges), np.arange(count + 1), values.T, rasterized=True, **colours)
    figure.colorbar(mesh, ax=axes, label=label)
    named = np.array(groups)
    first = np.flatnonzero(np.append(True, named[1:] != named[:-1]))
    for line in first[1:]:
        axes.axhline(line, color="white", linewidth=0.8)
    axes.set_yticks((first + np.append(first[1:], count)) / 2, named[first].tolist())
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.set_xlabel(time)
    axes.set_title(title, loc="left", fontsize=11)
    write(figure, path)
