"""Heat map of the utilisation of links over time."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from models.errors import TsujiError
from sim.measure.utilisation import Utilisation
from sim.plot.directions import link_groups
from sim.plot.heat_map import draw_heat_map
from sim.plot.scale import Scale
from sim.plot.view_figures import FIGURES
from sim.power.meter import link_directions
from sim.topology.base import NOBODY


def plot(utilisation: Utilisation, path: Path) -> None:
    """Draw the utilisation of every link between switches over time: a row per link, by direction or port, then switch.

    Parameters
    ----------
    utilisation : Utilisation
        Utilisation of all links.
    path : Path
        Picture to write; its suffix is the format.

    Raises
    ------
    TsujiError
        If there are no links between switches, or the picture cannot be written.
    """
    topology = utilisation.topology
    port, switch = np.nonzero((topology.peer_switch != NOBODY).T)
    if not len(port):
        raise TsujiError(f"{path}: {topology.name} has no links between switches to draw")
    dimension, direction = (each[switch, port] for each in link_directions(topology))
    group, names, by = link_groups(dimension, direction, port, np.zeros(len(port), np.bool_))
    order = np.lexsort((port, switch, group))
    draw_heat_map(
        path,
        np.append(utilisation.start, utilisation.start[-1] + utilisation.cycles[-1]),
        utilisation.share.sum(axis=3)[:, switch[order], port[order]],
        [names[row] for row in group[order]],
        f"{topology.name}: links, by {by} and switch",
        "flits ÷ capacity of the link",
        "cycles since the measurement began",
        FIGURES["utilisation"],
        Scale(0.0, 1.0),
    )
