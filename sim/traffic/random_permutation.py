"""A random permutation: every node sends to one other node and receives from one."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from sim.topology.base import Int64, Topology
from sim.traffic.pattern import PATTERNS, Chooser, Pattern, permutation


@PATTERNS.enter
class RandomPermutation(Pattern):
    """One permutation without fixed points, all equally likely (`randperm` of BookSim2, which allows fixed points).

    Parameters
    ----------
    permutation_seed : int
        Seed of the permutation, independent of `run.seed`.
    """

    kind: ClassVar[str] = "random_permutation"
    fixed: ClassVar[bool] = True
    permutation_seed: Annotated[int, Field(ge=0, lt=1 << 63)] = 0

    def chooser(self, topology: Topology) -> Chooser:
        """Return the permutation."""
        if topology.nodes < 2:
            raise self.refuse(topology, "has one node; a permutation without fixed points needs another")
        return permutation(derangement(np.random.default_rng(self.permutation_seed), topology.nodes))


def derangement(rng: np.random.Generator, count: int) -> Int64:
    """Return a permutation of 0 to count − 1 that moves every number, drawn uniformly from all of them.

    Permutations are drawn until one has no fixed point, e times on average.
    """
    numbers = np.arange(count)
    while True:
        drawn = rng.permutation(count)
        if (drawn != numbers).all():
            return drawn
