"""Capacity of links."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.topology.base import NOBODY, Topology


def link_capacity(topology: Topology, speedup: int, interval: int = 1) -> NDArray[np.float64]:
    """Return the capacity of each output link, flits/cycle [S, P], links to nodes included.

    `interval` is the least interval of links between switches (`link.interval`).
    """
    least = np.where(topology.peer_switch != NOBODY, max(speedup, interval), speedup)
    return 1 / np.maximum(topology.link_interval, least)
