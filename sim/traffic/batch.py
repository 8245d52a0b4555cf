"""A batch: the same number of packets of every node, all born in one cycle."""

from __future__ import annotations

import numpy as np

from sim.packets import Packets
from sim.topology.base import Topology
from sim.traffic.pattern import Pattern
from sim.traffic.sizes import PacketSizes


class Batch:
    """Packets of every node in cycle 0, and none later; used like a `Stream`.

    A packet that its pattern sends to its own node is left out, so such nodes send fewer.

    Parameters
    ----------
    topology : Topology
        Topology of the network.
    pattern, sizes
        Destinations and sizes.
    count : int
        Packets per node.
    seed : int
        The same seed gives the same packets.

    Raises
    ------
    TsujiError
        If the pattern does not fit the topology.
    """

    def __init__(self, topology: Topology, pattern: Pattern, sizes: PacketSizes, count: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        source = np.tile(np.arange(topology.nodes), count)
        destination = pattern.chooser(topology)(rng, source)
        size = sizes.draw(rng, source, destination)
        goes = destination != source
        self._packets = Packets(np.zeros(goes.sum(), np.int64), source[goes], destination[goes], size[goes])

    def until(self, cycle: int) -> Packets:
        """Return the packets born before `cycle` that were not returned yet: in the first call all."""
        if cycle <= 0:
            return Packets.none()
        packets, self._packets = self._packets, Packets.none()
        return packets
