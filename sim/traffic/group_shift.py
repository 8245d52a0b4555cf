"""Traffic from each group of nodes to another: the worst for networks of groups with few links between two."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from sim.topology.base import Int64, Topology
from sim.traffic.pattern import PATTERNS, Chooser, Float, Pattern


@PATTERNS.enter
class GroupShift(Pattern):
    """Every node sends to random nodes of the group that is `group_shift` groups further.

    The adversarial traffic of the dragonfly (Kim, Dally, Scott and Abts, 2008, section 4.1; `bad_dragon` of BookSim2).

    Parameters
    ----------
    group_size : int
        Nodes per group: nodes 0 to group_size − 1 are the first. 1 makes a permutation, node n to n + group_shift.
    group_shift : int
        Distance of the group, with wrap-around.
    """

    kind: ClassVar[str] = "group_shift"
    group_size: Annotated[int, Field(ge=1)] = 1
    group_shift: Annotated[int, Field(ge=1)] = 1

    def chooser(self, topology: Topology) -> Chooser:
        """Return the chooser, which draws a destination per packet."""
        size, nodes = self.group_size, topology.nodes
        if nodes % size:
            raise self.refuse(topology, f"has {nodes} nodes; traffic.group_size = {size} does not divide them")
        if self.group_shift * size % nodes == 0:
            raise self.refuse(
                topology, f"has {nodes // size} groups; traffic.group_shift = {self.group_shift} leads back to the same"
            )

        def shifted_destinations(rng: np.random.Generator, sources: Int64) -> Int64:
            first = (sources // size + self.group_shift) * size % nodes
            return first + rng.integers(0, size, len(sources))

        return shifted_destinations

    def demand(self, topology: Topology) -> Float:
        """Return an equal share for each node of the destination group [N, N]."""
        self.chooser(topology)
        size, nodes = self.group_size, topology.nodes
        first = (np.arange(nodes) // size + self.group_shift) * size % nodes
        found = np.zeros((nodes, nodes))
        found[np.arange(nodes)[:, None], first[:, None] + np.arange(size)] = 1 / size
        return found
