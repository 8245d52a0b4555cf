"""Heat map of the utilisation of links over time."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from models.errors import TsujiError
from sim.measure.utilisation import Utilisation
from sim.plot.heat_map import draw_heat_map
from sim.topology.base import NOBODY


def plot(utilisation: Utilisation, path: Path) -> None:
    """Draw the utilisation of every link between switches over time: one row per link, by port, then switch.

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
    draw_heat_map(
        path,
        np.append(utilisation.start, utilisation.start[-1] + utilisation.cycles[-1]),
        utilisation.share.sum(axis=3)[:, switch, port],
        [f"port {number}" for number in port],
        f"{topology.name}: links, by port and switch",
        "flits ÷ capacity of the link",
        "cycles since the measurement began",
        cmap="viridis",
        vmin=0,
        vmax=1,
    )
