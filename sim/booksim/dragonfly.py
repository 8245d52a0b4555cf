"""BookSim2's minimal routing on its dragonfly: VC 0 until the cable between groups, VC 1 from it on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.routing.base import Tables
from sim.routing.dragonfly import DragonflyRouting, local_links
from sim.topology.base import Topology
from sim.topology.dragonfly import Dragonfly


def routes(topology: Topology, vcs: int) -> Tables:
    """Return the tables. They cannot tell where a packet is from: inside its own group it has VC 1, BookSim2's VC 0."""
    assert isinstance(topology, Dragonfly)
    found = DragonflyRouting().tables(topology, vcs)
    group = topology.coordinates[:, 0]
    elsewhere = group[:, None] != group[topology.node_switch]
    before = elsewhere & np.take_along_axis(local_links(topology), found.out.astype(np.int64), axis=1)
    vc = np.where(before, 0, 1).astype(np.int8)
    return replace(found, vc_first=vc, vc_last=vc)
