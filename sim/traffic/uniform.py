"""Uniform traffic: every other node is as likely as the next."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sim.topology.base import Int64, Topology
from sim.traffic.pattern import PATTERNS, Chooser, Float, Pattern


@PATTERNS.enter
class Uniform(Pattern):
    """Any node but oneself, all alike. No parameters."""

    kind: ClassVar[str] = "uniform"

    def chooser(self, topology: Topology) -> Chooser:
        """Return what draws a destination for each packet."""
        if topology.nodes < 2:
            raise self.refuse(topology, "has one node; uniform traffic needs another to send to")
        return lambda rng, sources: uniform(rng, sources, topology.nodes)

    def demand(self, topology: Topology) -> Float:
        """Return an equal share for every other node [N, N]."""
        return uniform_demand(topology.nodes)


def uniform_demand(nodes: int) -> Float:
    """Return the shares of a node's traffic that go to each node [N, N]: any other node alike."""
    return (1 - np.eye(nodes)) / max(1, nodes - 1)


def uniform(rng: np.random.Generator, sources: Int64, nodes: int) -> Int64:
    """Return a random node other than the source for each source [n]."""
    drawn = rng.integers(0, nodes - 1, len(sources))
    return drawn + (drawn >= sources)
