"""Permutations that move every node by the same offset in each dimension of a torus or mesh."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from sim.topology.base import Topology
from sim.topology.torus import Grid
from sim.traffic.pattern import PATTERNS, Chooser, Pattern, permutation


class Offset(Pattern):
    """Coordinate x of each dimension sends to x plus an offset, modulo the dimension's size."""

    fixed: ClassVar[bool] = True

    def chooser(self, topology: Topology) -> Chooser:
        """Return the permutation."""
        if not isinstance(topology, Grid):
            raise self.refuse(topology, "is neither a torus nor a mesh")
        offsets = np.array([self.offset(size) for size in topology.radix])
        if not offsets.any():
            raise self.refuse(topology, "is so small that every node would send to itself")
        moved = (topology.coordinates + offsets) % np.array(topology.radix)
        switch = np.ravel_multi_index(tuple(moved.T), topology.radix, order="F")
        return permutation(topology.port_node[switch[topology.node_switch], topology.node_port])

    @abstractmethod
    def offset(self, size: int) -> int:
        """Return the offset in a dimension of this size."""


@PATTERNS.enter
class Tornado(Offset):
    """Almost half way round each dimension: ceil(k/2) − 1 switches further, the worst for minimal routes on a ring."""

    kind: ClassVar[str] = "tornado"

    def offset(self, size: int) -> int:
        """Return ceil(k/2) − 1."""
        return (size + 1) // 2 - 1


@PATTERNS.enter
class Neighbour(Offset):
    """The next switch in every dimension."""

    kind: ClassVar[str] = "neighbour"

    def offset(self, size: int) -> int:
        """Return 1."""
        return 1
