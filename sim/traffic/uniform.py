"""Uniform traffic: all other nodes are equally likely."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sim.topology.base import Int64, Topology
from sim.traffic.pattern import PATTERNS, Chooser, Float, Pattern


@PATTERNS.enter
class Uniform(Pattern):
    """Any other node, all equally likely. No parameters."""

    kind: ClassVar[str] = "uniform"

    def chooser(self, topology: Topology) -> Chooser:
        """Return the chooser, which draws a destination per packet."""
        if topology.nodes < 2:
            raise self.refuse(topology, "has one node; uniform traffic needs another to send to")
        return lambda rng, sources: uniform(rng, sources, topology.nodes)

    def demand(self, topology: Topology) -> Float:
        """Return an equal share for every other node [N, N]."""
        return uniform_demand(topology.nodes)


def uniform_demand(nodes: int) -> Float:
    """Return the share of a node's traffic to each node [N, N]: equal for all other nodes."""
    return (1 - np.eye(nodes)) / max(1, nodes - 1)


def uniform(rng: np.random.Generator, sources: Int64, nodes: int) -> Int64:
    """Return a random node other than the source for each source [n]."""
    drawn = rng.integers(0, nodes - 1, len(sources))
    return drawn + (drawn >= sources)
