"""A stream of packets that depends only on its seed, not on how much of it is read at a time."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from models.errors import TsujiError
from sim.packets import Packets
from sim.topology.base import Topology
from sim.traffic.arrivals import Arrivals
from sim.traffic.pattern import Pattern
from sim.traffic.sizes import PacketSizes

BLOCK = 256  # cycles drawn at a time; packets of a seed depend on it
ROUNDING = 1e-12  # relative tolerance of a rate: rounding error of a load at the limit of arrivals


class PacketStream(Protocol):
    """Packets of every node, read in order of birth."""

    def until(self, cycle: int) -> Packets:
        """Return the packets born before `cycle` that were not returned yet."""


class Stream:
    """Endless packets of every node of a network.

    A packet to its own node is left out, so such nodes offer less than the load, unless the pattern has `to_itself`.

    Parameters
    ----------
    topology : Topology
        Topology of the network.
    pattern, arrivals, sizes
        Destinations, times and sizes.
    load : float
        Flits/node/cycle.
    seed : int
        The same seed gives the same packets.

    Raises
    ------
    TsujiError
        If the pattern does not fit the topology, or the load exceeds the limit of the arrivals.
    """

    def __init__(
        self, topology: Topology, pattern: Pattern, arrivals: Arrivals, sizes: PacketSizes, load: float, seed: int
    ) -> None:
        rate = packet_rate(arrivals, sizes, load)
        self._choose = pattern.chooser(topology)
        self._to_itself = pattern.to_itself
        self._births = arrivals.births(rate, topology.nodes)
        self._sizes = sizes
        self._rng = np.random.default_rng(seed)
        self._drawn = 0  # cycles
        self._waiting = Packets.none()

    def until(self, cycle: int) -> Packets:
        """Return the packets born before `cycle` that were not returned yet."""
        parts = [self._waiting]
        while self._drawn < cycle:
            parts.append(self._block())
        packets = Packets.join(parts)
        cut = int(np.searchsorted(packets.birth, cycle))
        self._waiting = packets[cut:]
        return packets[:cut]

    def _block(self) -> Packets:
        """Draw the next block of cycles."""
        birth, source = self._births(self._rng, BLOCK)
        destination = self._choose(self._rng, source)
        size = self._sizes.draw(self._rng, source, destination)
        packets = Packets(birth + self._drawn, source, destination, size)
        self._drawn += BLOCK
        leaves = destination != source
        return packets if self._to_itself or leaves.all() else packets[leaves]


def packet_rate(arrivals: Arrivals, sizes: PacketSizes, load: float) -> float:
    """Return the packets/node/cycle of a load in flits/node/cycle.

    Raises
    ------
    TsujiError
        If it exceeds the limit of the arrivals.
    """
    rate = load / sizes.mean
    if rate > arrivals.limit() * (1 + ROUNDING):
        raise TsujiError(
            f"traffic.load = {load:g}: {arrivals.kind} arrivals of packets of {sizes.mean:g} flits allow at most "
            f"{arrivals.limit() * sizes.mean:g} flits/node/cycle"
        )
    return rate
