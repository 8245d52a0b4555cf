"""The key `traffic.draws`: which generator of random numbers draws the packets of open-loop traffic."""

from __future__ import annotations

from typing import Literal

import numpy as np

from models.node.traffic_hash import SEED_BITS
from models.params import Params
from sim.topology.base import Topology
from sim.traffic.arrivals import Arrivals
from sim.traffic.hash_stream import HashStream
from sim.traffic.pattern import Pattern
from sim.traffic.sizes import PacketSizes
from sim.traffic.stream import PacketStream, Stream


class Draws(Params):
    """How packets are drawn.

    Parameters
    ----------
    draws : {"numpy", "hash"}
        "numpy": by NumPy's generator of random numbers. "hash": by the hash that nodes on a board have in hardware, so
        that both create the same packets in the same cycles; rates are rounded to multiples of 2^-24 packets/cycle.
    """

    draws: Literal["numpy", "hash"] = "numpy"

    @property
    def hashed(self) -> bool:
        """Whether the hash draws."""
        return self.draws == "hash"

    def seeds(self, seed: int) -> tuple[int, int]:
        """Return the seeds, for `stream`, of the measured traffic and of the traffic that fills caches."""
        if self.hashed:
            return seed, seed ^ (1 << SEED_BITS) - 1
        measured, fill = np.random.SeedSequence(seed).generate_state(2, np.uint64)
        return int(measured), int(fill)

    def stream(
        self, topology: Topology, pattern: Pattern, arrivals: Arrivals, sizes: PacketSizes, load: float, seed: int
    ) -> PacketStream:
        """Return the stream of packets; arguments and errors as of `Stream` and `HashStream`."""
        kind = HashStream if self.hashed else Stream
        return kind(topology, pattern, arrivals, sizes, load, seed)
