"""O1TURN: half of the packets in one order of dimensions, half in the other (Seo et al., ISCA 2005)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from models.errors import TsujiError
from sim.routing.base import ALGORITHMS, Algorithm, Tables
from sim.routing.dimension_order import DimensionOrder, highest_first
from sim.topology.base import Topology
from sim.topology.hyperx import HyperX
from sim.topology.torus import Grid


@ALGORITHMS.enter
class O1Turn(Algorithm):
    """The lowest dimension first, or the highest: drawn per packet, by the choice of one of a node's two addresses.

    Each order has its own half of the VCs, and is free of deadlock by itself. On a mesh of two dimensions its
    worst-case throughput is near optimal with shortest paths. BookSim2's xy_yx. It has no parameters.
    """

    kind: ClassVar[str] = "o1turn"

    @property
    def drawn_by(self) -> str:
        """The setting of the kind."""
        return 'routing.kind = "o1turn"'

    def addresses_per_node(self, topology: Topology) -> int:
        """Return 2: one address per order."""
        return 2

    def check(self, topology: Topology, vcs: int) -> None:
        """Refuse other topologies, and fewer than 2 VCs.

        Raises
        ------
        TsujiError
            If the topology is no mesh and no HyperX, or has too few VCs.
        """
        if not (isinstance(topology, HyperX) or (isinstance(topology, Grid) and not any(topology.rings))):
            raise TsujiError(f'routing.kind = "o1turn": {topology.name} is no mesh and no HyperX; use "valiant"')
        if vcs < 2:
            raise TsujiError(f'{vcs} VCs: routing.kind = "o1turn" needs 2, half of them for each order of dimensions')

    def tables(self, topology: Topology, vcs: int) -> Tables:
        """Return the routes, two columns per node."""
        self.check(topology, vcs)
        assert isinstance(topology, Grid | HyperX)
        half = vcs // 2
        orders = DimensionOrder().tables(topology, vcs).out, highest_first(topology)
        shape = topology.switches, 2 * topology.nodes
        out = np.stack(orders, axis=2).reshape(shape)
        at_home = np.repeat(topology.node_switch == np.arange(topology.switches)[:, None], 2, axis=1)
        second = np.arange(shape[1]) % 2 == 1
        first = np.where(second & ~at_home, half, 0).astype(np.int8)
        last = np.where(second | at_home, vcs - 1, half - 1).astype(np.int8)
        return Tables(out, first, last, np.ones(shape, np.bool_), paths=2)
