"""What every traffic pattern answers: where a packet of a node goes."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Protocol

import numpy as np

from models.errors import TsujiError
from sim.registry import Kind, Registry
from sim.topology.base import Int64, Topology


class Chooser(Protocol):
    """Chooses destinations."""

    def __call__(self, rng: np.random.Generator, sources: Int64) -> Int64:
        """Return the destination node of a packet of each source [n]; the source itself means: do not send."""


class Pattern(Kind):
    """Parameters of one pattern: its keys in the section [traffic].

    Attributes
    ----------
    to_itself : bool
        Whether packets to their own node are sent, through its switch (which needs `u_turn`), or left out.
    """

    to_itself: ClassVar[bool] = False

    @abstractmethod
    def chooser(self, topology: Topology) -> Chooser:
        """Return what chooses destinations on a network.

        Raises
        ------
        TsujiError
            If the pattern means nothing on this topology.
        """

    def refuse(self, topology: Topology, need: str) -> TsujiError:
        """Return the error of a pattern that needs what the topology has not."""
        return TsujiError(f'traffic.pattern = "{self.kind}": {topology.name} {need}')


PATTERNS: Registry[Pattern] = Registry("sim.traffic", "traffic.pattern")


def permutation(destinations: Int64) -> Chooser:
    """Return the chooser that always sends from node n to `destinations[n]`."""

    def choose(rng: np.random.Generator, sources: Int64) -> Int64:
        return destinations[sources]

    return choose
