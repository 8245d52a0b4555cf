"""A stream of packets that depends on its seed alone, not on how much of it is taken at a time."""

from __future__ import annotations

import numpy as np

from models.errors import TsujiError
from sim.packets import Packets
from sim.topology.base import Topology
from sim.traffic.arrivals import Arrivals
from sim.traffic.pattern import Pattern
from sim.traffic.sizes import Sizes

BLOCK = 256  # cycles drawn at a time; part of what a seed means
ROUNDING = 1e-12  # of a rate, relative: the error of floats in a load that is as great as arrivals allow


class Stream:
    """Endless packets of every node of a network.

    A packet that its pattern sends to its own node is left out, so such nodes offer less than the load, unless the
    pattern wants it sent.

    Parameters
    ----------
    topology : Topology
        Whose nodes send.
    pattern, arrivals, sizes
        Where to, when, how much.
    load : float
        Flits a node a cycle.
    seed : int
        The same seed gives the same packets.

    Raises
    ------
    TsujiError
        If the pattern does not suit the topology, or the arrivals cannot be so frequent.
    """

    def __init__(
        self, topology: Topology, pattern: Pattern, arrivals: Arrivals, sizes: Sizes, load: float, seed: int
    ) -> None:
        rate = load / sizes.mean
        if rate > arrivals.limit() * (1 + ROUNDING):
            raise TsujiError(
                f"traffic.load = {load:g}: {arrivals.kind} arrivals of packets of {sizes.mean:g} flits allow at most "
                f"{arrivals.limit() * sizes.mean:g} flits/node/cycle"
            )
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
        size = self._sizes.draw(self._rng, len(birth))
        packets = Packets(birth + self._drawn, source, destination, size)
        self._drawn += BLOCK
        leaves = destination != source
        return packets if self._to_itself or leaves.all() else packets[leaves]
