"""BookSim2's minimal routing on its dragonfly: VC 0 until the cable between groups, VC 1 from it on."""

from __future__ import annotations

import numpy as np

from sim.routing.base import Tables
from sim.routing.dragonfly import DragonflyRouting, local_links
from sim.topology.base import Topology
from sim.topology.dragonfly import Dragonfly

CYCLES = 10, 100  # of BookSim2's links inside and between groups, fixed in its source
PATHS = 2  # one address for packets from other groups, one for packets from the own group, which stay on VC 0


def routes(topology: Topology, vcs: int) -> Tables:
    """Return the tables; a node has one address for packets from its group and one for all others."""
    assert isinstance(topology, Dragonfly)
    found = DragonflyRouting().tables(topology, vcs)
    group = topology.coordinates[:, 0]
    elsewhere = group[:, None] != group[topology.node_switch]
    inside = np.take_along_axis(local_links(topology), found.out.astype(np.int64), axis=1)
    vc = np.stack((np.where(elsewhere & inside, 0, 1), np.zeros_like(found.out)), axis=2)
    shape = topology.switches, PATHS * topology.nodes
    vc = vc.reshape(shape).astype(np.int8)
    known = np.stack((found.found, found.found & ~elsewhere), axis=2).reshape(shape)
    out = np.repeat(found.out, PATHS, axis=1)
    return Tables(out, vc, vc, known, paths=PATHS, groups=group[topology.node_switch])
