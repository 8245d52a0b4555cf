"""Heat map of the links over time: where traffic gathers, and when."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

from models.errors import TsujiError
from sim.measure.utilisation import Utilisation
from sim.plot.picture import write
from sim.topology.base import NOBODY


def plot(utilisation: Utilisation, path: Path) -> None:
    """Draw the utilisation of every link between switches over time: a row a link, ordered by port, then switch.

    Parameters
    ----------
    utilisation : Utilisation
        Of all links.
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
    share = utilisation.share.sum(axis=3)[:, switch, port].T
    edges = np.append(utilisation.start, utilisation.start[-1] + utilisation.cycles[-1])
    figure, axes = plt.subplots(figsize=(7.2, min(9.0, max(3.2, 2 + len(port) / 60))), dpi=160, layout="constrained")
    mesh = axes.pcolormesh(edges, np.arange(len(port) + 1), share, cmap="viridis", vmin=0, vmax=1, rasterized=True)
    figure.colorbar(mesh, ax=axes, label="flits ÷ capacity of the link")
    first = np.flatnonzero(np.diff(port, prepend=NOBODY))
    for line in first[1:]:
        axes.axhline(line, color="white", linewidth=0.8)
    middle = (first + np.append(first[1:], len(port))) / 2
    axes.set_yticks(middle, [f"port {port[row]}" for row in first])
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.set_xlabel("cycles since the measurement began")
    axes.set_title(f"{topology.name}: links, by port and switch", loc="left", fontsize=11)
    write(figure, path)
