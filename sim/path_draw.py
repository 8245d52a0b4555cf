"""Which of its destination's addresses a packet is sent to, where nodes have several: drawn at random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.packets import Packets
from sim.scramble import scramble
from sim.topology.base import Int64


class PathDraw:
    """Draws a path for each packet; a node's k-th packet gets the same one whatever other nodes send.

    Parameters
    ----------
    nodes : int
        Nodes of the network.
    paths : int
        Addresses of a node, a power of two.
    seed : int
        Of the draw.
    """

    def __init__(self, nodes: int, paths: int, seed: int) -> None:
        self._paths = paths
        self._keys: NDArray[np.uint64] = np.random.SeedSequence(seed).generate_state(nodes, np.uint64).astype(np.uint64)
        self._sent = np.zeros(nodes, np.int64)

    def draw(self, packets: Packets) -> Int64:
        """Return a path [n] for each packet, given in order of birth."""
        if self._paths == 1:
            return np.zeros(len(packets), np.int64)
        order = np.argsort(packets.source, kind="stable")
        sources = packets.source[order]
        place = np.arange(len(order)) - np.searchsorted(sources, sources)
        value = scramble(self._keys[sources] + (self._sent[sources] + place).astype(np.uint64))
        self._sent += np.bincount(sources, minlength=len(self._sent))
        path = np.empty(len(order), np.int64)
        path[order] = (value % np.uint64(self._paths)).astype(np.int64)
        return path
