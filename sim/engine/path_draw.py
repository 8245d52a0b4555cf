"""Draws the path of each packet: one of the addresses of its destination, where nodes have several."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.lib.array_check import check_int
from sim.lib.splitmix import splitmix64
from sim.packets import Packets
from sim.topology.base import Int64


class PathByGroup:
    """Path 1 for packets between nodes of one group, path 0 for all others.

    Parameters
    ----------
    groups : array [N]
        Group of each node.
    """

    def __init__(self, groups: Int64) -> None:
        self.groups = groups

    def draw(self, packets: Packets) -> Int64:
        """Return the path [n] of each packet."""
        path: Int64 = (self.groups[packets.source] == self.groups[packets.destination]).astype(np.int64)
        return path


class PathDraw:
    """Draws a path for each packet; that of a node's k-th packet does not depend on what other nodes send.

    Parameters
    ----------
    nodes : int
        Nodes of the network.
    first, end : int
        Paths are numbered `first` to `end` − 1.
    seed : int
        Seed of the draw.
    """

    def __init__(self, nodes: int, first: int, end: int, seed: int) -> None:
        check_int("seed", seed, 0)
        self._first, self._count = first, end - first
        self._keys: NDArray[np.uint64] = np.random.SeedSequence(seed).generate_state(nodes, np.uint64).astype(np.uint64)
        self._sent = np.zeros(nodes, np.int64)

    @property
    def columns(self) -> dict[str, Any]:
        """State for the same draws in compiled code (`sim.engine.messages`)."""
        return {"path_first": self._first, "path_count": self._count, "path_key": self._keys}

    def draw(self, packets: Packets) -> Int64:
        """Return a path [n] for each packet, given in order of birth."""
        if self._count == 1:
            return np.full(len(packets), self._first)
        order = np.argsort(packets.source, kind="stable")
        sources = packets.source[order]
        place = np.arange(len(order)) - np.searchsorted(sources, sources)
        value = splitmix64(self._keys[sources] + (self._sent[sources] + place).astype(np.uint64))
        self._sent += np.bincount(sources, minlength=len(self._sent))
        path = np.empty(len(order), np.int64)
        path[order] = self._first + (value % np.uint64(self._count)).astype(np.int64)
        return path
