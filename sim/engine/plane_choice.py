"""The plane of each packet, chosen by its node's selector (`models.node.plane_selector`)."""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled
from models.node.plane_selector import Planes, hashed_start, plane_tables, select_plane, start_after
from models.params.planes import PlaneParams
from sim.packets import Packets
from sim.topology.base import Int64

LOWEST, HASH, ALTERNATE = 0, 1, 2
_TIES = {"lowest": LOWEST, "hash": HASH, "alternate": ALTERNATE}


@compiled
def _choose(
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


class PlaneChooser:
    """The selectors of all nodes, at reset.

    Parameters
    ----------
    params : PlaneParams
        The planes, and how ties between equally short paths are broken.
    address : array [N]
        Address of each node: the number of its switch in every plane.
    """

    def __init__(self, params: PlaneParams, address: Int64) -> None:
        self._ties = _TIES[params.tie]
        self._planes = plane_tables(params)
        self._address = np.array(address, np.int64)
        self._start = np.zeros(len(address), np.int64)

    def choose(self, packets: Packets) -> Int64:
        """Return the plane of each packet [n]; each node takes its own in the order given."""
        chosen = np.empty(len(packets), np.int64)
        _choose(
            packets.source, packets.destination, self._address, self._ties, self._start, self._planes, chosen
        )  # fmt: skip
        return chosen
