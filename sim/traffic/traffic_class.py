"""A class of traffic: destinations, times and sizes of its packets, and their rate."""

from __future__ import annotations

from dataclasses import dataclass

from sim.topology.base import Topology
from sim.traffic.arrivals import Arrivals
from sim.traffic.pattern import Float, Pattern
from sim.traffic.sizes import PacketSizes
from sim.traffic.stream import Stream


@dataclass(frozen=True)
class TrafficClass:
    """A class of traffic.

    Attributes
    ----------
    pattern, arrivals, sizes
        Destinations, times, sizes.
    load : float
        Flits/node/cycle.
    """

    pattern: Pattern
    arrivals: Arrivals
    sizes: PacketSizes
    load: float

    def stream(self, topology: Topology, seed: int, scale: float = 1.0) -> Stream:
        """Return its packets at `scale` times its load.

        Raises
        ------
        TsujiError
            As `Stream`.
        """
        return Stream(topology, self.pattern, self.arrivals, self.sizes, scale * self.load, seed)

    def limit(self) -> float:
        """Return the greatest multiple of its load that its arrivals allow."""
        return self.arrivals.limit() * self.sizes.mean / self.load

    def demand(self, topology: Topology) -> Float:
        """Return the flits/cycle from each node (row) to each node [N, N]."""
        return self.load * self.pattern.demand(topology)
