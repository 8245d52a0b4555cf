"""Hotspot traffic: a share of all packets goes to a few nodes, the rest is uniform."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from sim.topology.base import Int64, Topology
from sim.traffic.pattern import PATTERNS, Chooser, Float, Pattern, without_own
from sim.traffic.uniform import Uniform, uniform, uniform_demand


@PATTERNS.enter
class Hotspot(Pattern):
    """Uniform traffic with hotspots.

    Parameters
    ----------
    hotspots : tuple of int
        The hotspots, with equal shares.
    hotspot_fraction : float
        Share of packets that go to them, 0 to 1; a hotspot's own share is uniform over the other nodes.
    """

    kind: ClassVar[str] = "hotspot"
    hotspots: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1)] = (0,)
    hotspot_fraction: Annotated[float, Field(ge=0, le=1)] = 0.1

    def chooser(self, topology: Topology) -> Chooser:
        """Return the chooser, which draws a destination per packet."""
        Uniform().chooser(topology)
        missing = [node for node in self.hotspots if node >= topology.nodes]
        if missing:
            raise self.refuse(topology, f"has nodes 0 to {topology.nodes - 1}; traffic.hotspots names {missing[0]}")
        spots = np.array(self.hotspots, np.int64)

        def hotspot_destinations(rng: np.random.Generator, sources: Int64) -> Int64:
            hot = spots[rng.integers(0, len(spots), len(sources))]
            chosen = (rng.random(len(sources)) < self.hotspot_fraction) & (hot != sources)
            return np.where(chosen, hot, uniform(rng, sources, topology.nodes))

        return hotspot_destinations

    def demand(self, topology: Topology) -> Float:
        """Return the hotspots' share; the rest, and a hotspot's own share, is uniform over all other nodes [N, N]."""
        self.chooser(topology)
        hot = np.zeros((topology.nodes, topology.nodes))
        for spot in self.hotspots:
            hot[:, spot] += self.hotspot_fraction / len(self.hotspots)
        hot = without_own(hot)
        demand: Float = hot + (1 - hot.sum(axis=1, keepdims=True)) * uniform_demand(topology.nodes)
        return demand
