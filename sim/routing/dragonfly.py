"""Minimal routing of the dragonfly: to the destination's group over one global cable (Kim et al., ISCA 2008)."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.lib.progress import steps
from sim.routing.base import ALGORITHMS, BLOCK, Algorithm, Tables
from sim.routing.spread import Spread, Ways, spread
from sim.routing.up_down import reach
from sim.topology.base import NOBODY, Topology
from sim.topology.dragonfly import Dragonfly


def direct_ways(topology: Dragonfly) -> Callable[[int], Ways]:
    """Return a function of a switch: shortest paths to it among those that take a global cable only to its group."""
    group = topology.coordinates[:, 0]
    wired = topology.peer_switch != NOBODY
    inside = local_links(topology)
    to_group = np.where(wired & ~inside, group[topology.peer_switch], NOBODY)

    def ways(end: int) -> Ways:
        leaving = (to_group != NOBODY) & (group == group[end])[:, None]
        left = reach(topology, np.array([end]), inside | leaving)  # paths, walked backwards
        nearer = (left[topology.peer_switch] == left[:, None] - 1) & (left > 0)[:, None]
        return Ways(left, (inside | (to_group == group[end])) & nearer)

    return ways


def local_links(topology: Dragonfly) -> NDArray[np.bool_]:
    """Return which ports [S, P] lead to a switch of the same group."""
    group = topology.coordinates[:, 0]
    local: NDArray[np.bool_] = (topology.peer_switch != NOBODY) & (group[topology.peer_switch] == group[:, None])
    return local


@ALGORITHMS.enter
class DragonflyRouting(Algorithm):
    """Local, global, local: at most one link each.

    A shortest path by links (`minimal`) may instead take two global cables, through a third group. Links inside a group
    have two classes of VCs: half of them before the global cable, the others in the destination's group. The global
    cable has all VCs. A packet never waits for an earlier one of these three stages, so dependencies have no cycle.

    Parameters
    ----------
    spread : {"balanced", "hash", "lowest"}
        Choice among several paths, if groups have several cables between them (`sim.routing.spread`).
    """

    kind: ClassVar[str] = "dragonfly"
    spread: Spread = "balanced"

    def check(self, topology: Topology, vcs: int) -> None:
        """Refuse other topologies, and fewer than 2 VCs.

        Raises
        ------
        TsujiError
            If the topology is no dragonfly, or has too few VCs.
        """
        if not isinstance(topology, Dragonfly):
            raise TsujiError(f'routing.kind = "dragonfly": {topology.name} is no dragonfly; use "minimal" or "up_down"')
        if vcs < 2:
            raise TsujiError(f'{vcs} VCs: routing.kind = "dragonfly" needs 2; routing.kind = "up_down" needs 1')

    def tables(self, topology: Topology, vcs: int) -> Tables:
        """Return the routes for a dragonfly."""
        self.check(topology, vcs)
        assert isinstance(topology, Dragonfly)
        out, found = spread(topology, direct_ways(topology), self.spread)
        first, last = (np.zeros(out.T.shape, np.int8).T for _ in range(2))
        parts = range(0, topology.nodes, max(1, BLOCK // topology.switches))
        for begin in steps("VC classes", parts):
            columns = np.s_[:, begin : begin + parts.step]
            inside = np.take_along_axis(local_links(topology), out[columns].astype(np.intp), axis=1)
            group = topology.coordinates[:, 0]
            arrived = group[:, None] == group[topology.node_switch[columns[1]]]
            first[columns] = np.where(inside & arrived, vcs // 2, 0)
            last[columns] = np.where(inside & ~arrived, vcs // 2 - 1, vcs - 1)
        return Tables(out, first, last, found)
