"""Topologies with a place in each dimension, from which switches can compute routes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.params import index_width
from sim.topology.base import Int64
from sim.topology.computed import ComputedTopology


def bit_fields(coordinates: Int64, radix: Sequence[int], above: Int64) -> Int64:
    """Return coordinates [N, dimensions] as bit fields of one number, dimension 0 lowest, `above` above the last."""
    numbers = np.zeros(len(coordinates), np.int64)
    shift = 0
    for dimension, size in enumerate(radix):
        numbers |= coordinates[:, dimension] << shift
        shift += index_width(size)
    return numbers | above << shift


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class CoordinateTopology(ComputedTopology):
    """A network with coordinates.

    Parameters
    ----------
    radix : tuple of int
        Size of each dimension.
    first_local : int
        First port of a switch for nodes.
    """

    radix: tuple[int, ...]
    first_local: int

    @property
    def coordinate_tags(self) -> Int64:
        """Destination tag of each node [N] as a bit field: dimension 0 lowest, the local port above the last."""
        local = (self.node_port - self.first_local) // self.node_ports
        return bit_fields(self.own_coordinates[self.node_switch], self.radix, local)

    @property
    def computed_params(self) -> dict[str, object]:
        """Parameters that the topology sets for a switch that computes routes."""
        return {"radix": list(self.radix)}
