"""Asymmetric traffic: each node sends to its place in the lower or in the upper half of the nodes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sim.topology.base import Int64, Topology
from sim.traffic.pattern import PATTERNS, Chooser, Float, Pattern


@PATTERNS.enter
class Asymmetric(Pattern):
    """Node n of N sends to n mod N/2 or to n mod N/2 + N/2, each with probability 1/2. No parameters.

    One of the two is the node itself, so half of the load is offered (`asymmetric` of BookSim2, src/traffic.cpp, where
    the other half goes through the node's own router).
    """

    kind: ClassVar[str] = "asymmetric"

    def chooser(self, topology: Topology) -> Chooser:
        """Return the chooser, which draws a destination per packet."""
        half, odd = divmod(topology.nodes, 2)
        if odd:
            raise self.refuse(topology, f"has {topology.nodes} nodes; asymmetric traffic needs an even number")

        def asymmetric_destinations(rng: np.random.Generator, sources: Int64) -> Int64:
            return sources % half + half * rng.integers(0, 2, len(sources))

        return asymmetric_destinations

    def demand(self, topology: Topology) -> Float:
        """Return half of each node's traffic to the node in the other half [N, N]; the rest is not sent."""
        self.chooser(topology)
        return 0.5 * np.roll(np.eye(topology.nodes), topology.nodes // 2, axis=1)
