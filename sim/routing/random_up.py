"""Up a fat tree at random, then down from the nearest common ancestor: packets of a pair are spread over all paths."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from models.errors import TsujiError
from sim.routing.base import ALGORITHMS, Algorithm, Tables
from sim.topology.base import Topology
from sim.topology.fat_tree import FatTree


@ALGORITHMS.enter
class RandomUp(Algorithm):
    """Up through ports drawn at random to a nearest common ancestor, then down (Leiserson, IEEE Trans. Comput. 1985).

    A node has `paths` addresses, as with `Valiant`, and every packet is sent to one of them at random. On a k-ary
    n-tree, digit l, base k, of address number + node number is the port by which a packet goes up from level l. With
    k^(n-1) addresses this is the same as a port drawn at every switch on the way up (BookSim2's nca); with fewer, ports
    of the upper levels hardly depend on the address. Routes use all VCs, because no packet goes up after it has gone
    down.

    Parameters
    ----------
    paths : int
        Addresses per node.
    """

    kind: ClassVar[str] = "random_up"
    paths: Annotated[int, Field(ge=1, le=256)] = 4

    @property
    def drawn_by(self) -> str:
        """The setting of the kind, if there are several paths to draw from."""
        return f'routing.kind = "{self.kind}"' if self.paths > 1 else ""

    @property
    def computed_by(self) -> tuple[str, ...]:
        """Switches that compute the same routes, with one path."""
        return ("fat_tree",) if self.paths == 1 else ()

    def addresses_per_node(self, topology: Topology) -> int:
        """Return the columns per node in the tables."""
        return self.paths

    def check(self, topology: Topology, vcs: int) -> None:
        """Refuse topologies that are no fat tree.

        Raises
        ------
        TsujiError
            If the topology is no fat tree, or has fewer paths than `paths`.
        """
        if not isinstance(topology, FatTree):
            raise TsujiError(f'routing.kind = "random_up": {topology.name} is no k-ary n-tree; use "valiant"')
        ways = topology.arity ** (topology.levels - 1)
        if self.paths > ways:
            raise TsujiError(f"routing.paths = {self.paths}: {topology.name} has {ways} ways up; at most as many")

    def tables(self, topology: Topology, vcs: int) -> Tables:
        """Return the routes, `paths` columns per node."""
        self.check(topology, vcs)
        assert isinstance(topology, FatTree)
        k = topology.arity
        node, path = np.divmod(np.arange(topology.nodes * self.paths), self.paths)
        level, *digits = topology.coordinates.T
        out = np.empty((topology.switches, len(node)), np.int8)
        for here in range(topology.levels):
            rows = np.flatnonzero(level == here)
            covers = np.ones((len(rows), len(node)), np.bool_)
            for number in range(here, len(digits)):  # nodes below the level are reached by ports down
                covers &= digits[number][rows, None] == node // k ** (number + 1) % k
            down = topology.node_port[node] if here == 0 else k + node // k**here % k
            out[rows] = np.where(covers, down, (path + node) // k**here % k)
        first, last = np.zeros(out.shape, np.int8), np.full(out.shape, vcs - 1, np.int8)
        return Tables(out, first, last, np.ones(out.shape, np.bool_), paths=self.paths)
