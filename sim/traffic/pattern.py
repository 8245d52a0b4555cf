"""Base class of traffic patterns: the destination of a node's packet."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.lib.registry import Kind, Registry
from sim.topology.base import Int64, Topology
from sim.traffic.sizes import PacketSizes, Sizes

Float = NDArray[np.float64]


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
    fixed : bool
        Whether all packets of a node go to one destination, which no packet draws.
    """

    to_itself: ClassVar[bool] = False
    fixed: ClassVar[bool] = False

    @abstractmethod
    def chooser(self, topology: Topology) -> Chooser:
        """Return the chooser of destinations on a network.

        Raises
        ------
        TsujiError
            If the pattern does not fit the topology.
        """

    def demand(self, topology: Topology) -> Float:
        """Return the flits/cycle that each node (row) sends to each node for a load of 1, on average [N, N].

        Traffic that is not sent counts as 0. This method serves patterns with a fixed destination per node; others
        override it.

        Raises
        ------
        TsujiError
            If the pattern does not fit the topology.
        """
        nodes = np.arange(topology.nodes)
        found = np.zeros((topology.nodes, topology.nodes))
        found[nodes, self.chooser(topology)(np.random.default_rng(0), nodes)] = 1
        return found if self.to_itself else without_own(found)

    def sizes(self, topology: Topology, given: Sizes) -> PacketSizes:
        """Return the sizes of packets: those given, or the pattern's own.

        Raises
        ------
        TsujiError
            If the pattern has its own, and sizes are given, too.
        """
        return given

    def refuse(self, topology: Topology, need: str) -> TsujiError:
        """Return the error for a pattern whose need the topology does not meet."""
        return TsujiError(f'traffic.pattern = "{self.kind}": {topology.name} {need}')


PATTERNS: Registry[Pattern] = Registry("sim.traffic", "traffic.pattern")


def without_own(demand: Float) -> Float:
    """Return a demand [N, N] without traffic of nodes to themselves."""
    np.fill_diagonal(demand, 0)
    return demand


def permutation(destinations: Int64) -> Chooser:
    """Return the chooser that always sends from node n to `destinations[n]`."""

    def permuted_destinations(rng: np.random.Generator, sources: Int64) -> Int64:
        return destinations[sources]

    return permuted_destinations
