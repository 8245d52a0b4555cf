"""The plane of each packet, chosen by its node's selector (`models.node.plane_selector`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from models.jit.compiled import compiled
from models.node.plane_selector import Planes, hashed_start, plane_tables, select_plane, start_after
from models.params.planes import PlaneParams
from sim.packets import Packets
from sim.topology.base import Int64, Topology
from sim.topology.hypercube import Hypercube

LOWEST, HASH, ALTERNATE = 0, 1, 2
_TIES = {"lowest": LOWEST, "hash": HASH, "alternate": ALTERNATE}


@compiled
def _choose_planes(
    source: np.ndarray,
    destination: np.ndarray,
    address: np.ndarray,
    ties: int,
    start: np.ndarray,
    planes: Planes,
    chosen: np.ndarray,
) -> None:
    """Write the plane of each packet, in order; `start` holds each node's register."""
    for k in range(len(source)):
        node = source[k]
        here, there = address[node], address[destination[k]]
        first = hashed_start(here, there, planes) if ties == HASH else start[node]
        plane, tie = select_plane(here ^ there, first, planes)
        if ties == ALTERNATE and tie:
            start[node] = start_after(plane, planes)
        chosen[k] = plane


def are_cubes(params: PlaneParams, first: Topology) -> bool:
    """Return whether the planes are hypercubes, in which distance depends on addresses."""
    return isinstance(first, Hypercube) or len(set(params.planes)) > 1


def plane_addresses(params: PlaneParams, planes: Sequence[Topology]) -> Int64:
    """Return the address of each node [N] for the selectors.

    Identical planes have equally short paths between all addresses.
    """
    first = planes[0]
    return first.node_switch if are_cubes(params, first) else np.arange(first.nodes)


class PlaneChooser:
    """The selectors of all nodes, at reset.

    Parameters
    ----------
    params : PlaneParams
        The planes, and how ties between equally short paths are broken.
    address : array [N]
        Address of each node: the number of its switch, the same in every plane.
    """

    def __init__(self, params: PlaneParams, address: Int64) -> None:
        self._ties = _TIES[params.tie]
        self._planes = plane_tables(params)
        self._address = np.array(address, np.int64)
        self._start = np.zeros(len(address), np.int64)

    def choose_planes(self, packets: Packets) -> Int64:
        """Return the plane of each packet [n]; each node's packets are taken in the order given."""
        chosen = np.empty(len(packets), np.int64)
        _choose_planes(
            packets.source, packets.destination, self._address, self._ties, self._start, self._planes, chosen
        )  # fmt: skip
        return chosen

    def shares(self) -> NDArray[np.float64]:
        """Return each plane's share of the packets between each pair of nodes [planes, N, N].

        With tie = "alternate", planes with equally short paths have equal shares.
        """
        nodes, planes = len(self._address), len(self._planes.fold)
        source, destination = np.divmod(np.arange(nodes * nodes), nodes)
        chosen = np.empty((planes, nodes * nodes), np.int64)
        for start in range(planes):
            first = np.full(nodes, start) if self._ties == ALTERNATE else np.zeros(nodes, np.int64)
            ties = LOWEST if self._ties == ALTERNATE else self._ties  # the first from `first` on
            _choose_planes(source, destination, self._address, ties, first, self._planes, chosen[start])
        found = np.zeros((planes, nodes * nodes))
        for plane in range(planes):
            # A plane with a shortest path is taken if it is the first that is tried.
            found[plane] = chosen[plane] == plane if self._ties == ALTERNATE else chosen[0] == plane
        found /= found.sum(axis=0)
        return found.reshape(planes, nodes, nodes)
