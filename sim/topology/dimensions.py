"""The dimension of each link."""

from __future__ import annotations

import numpy as np

from sim.topology.base import NOBODY, Int64, Topology
from sim.topology.coordinates import CoordinateTopology
from sim.topology.hyperx import HyperX


def link_dimensions(topology: Topology) -> Int64 | None:
    """Return the dimension of the link at each port, [S, P].

    It is the dimension in which the coordinates of the link's two switches differ (a crossbar has no coordinate in its
    own). NOBODY at ports without a link, and for a link of a hypercube that spans several dimensions. None for a
    topology without dimensions: all but torus, mesh, HyperX, hypercube and hyper-crossbar.
    """
    if not isinstance(topology, CoordinateTopology | HyperX):
        return None
    peer = topology.peer_switch
    differ = topology.coordinates[:, None, :] != topology.coordinates[peer]
    return np.where((peer != NOBODY) & (differ.sum(axis=2) == 1), differ.argmax(axis=2), NOBODY)
