"""Transpose traffic: the two halves of a node's coordinates are exchanged."""

from __future__ import annotations

from math import isqrt
from typing import ClassVar

import numpy as np

from sim.topology.base import Topology
from sim.topology.torus import Grid
from sim.traffic.pattern import PATTERNS, Chooser, Pattern, permutation


@PATTERNS.enter
class Transpose(Pattern):
    """(x, y) sends to (y, x); on topologies without a grid, node x + m·y of m² to y + m·x. No parameters."""

    kind: ClassVar[str] = "transpose"
    fixed: ClassVar[bool] = True

    def chooser(self, topology: Topology) -> Chooser:
        """Return the permutation."""
        if isinstance(topology, Grid):
            half = len(topology.radix) // 2
            if topology.radix[:half] != topology.radix[half:]:
                raise self.refuse(topology, "is not square; transpose needs an even number of dimensions in two halves")
            turned = np.roll(topology.coordinates, half, axis=1)
            switch = np.ravel_multi_index(tuple(turned.T), topology.radix, order="F")
            place = topology.node_switch, topology.node_port
            return permutation(topology.port_node[switch[place[0]], place[1]])
        side = isqrt(topology.nodes)
        if side * side != topology.nodes:
            raise self.refuse(topology, f"has {topology.nodes} nodes; transpose needs a square number")
        return permutation(np.arange(topology.nodes).reshape(side, side).T.ravel())
