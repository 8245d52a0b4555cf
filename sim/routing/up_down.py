"""Up*/down* routing: on any graph, with one VC (Schroeder et al., "Autonet", IEEE JSAC 1991)."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from models.errors import TsujiError
from sim.lib.progress import steps
from sim.routing.base import ALGORITHMS, Algorithm, Tables
from sim.routing.spread import Spread, Ways, spread
from sim.topology.base import NOBODY, Int64, Topology


def reach(topology: Topology, starts: Int64, ports: NDArray[np.bool_]) -> Int64:
    """Return the links [S] from the nearest of `starts` to each switch over `ports` [S, P]; -1: no path."""
    distance = np.full(topology.switches, NOBODY, np.int64)
    distance[starts] = 0
    frontier, step = starts, 0
    while len(frontier):
        step += 1
        reached = np.zeros(topology.switches, np.bool_)
        reached[topology.peer_switch[frontier][ports[frontier]]] = True
        frontier = np.flatnonzero(reached & (distance == NOBODY))
        distance[frontier] = step
    return distance


def upward(topology: Topology, roots: Int64) -> NDArray[np.bool_]:
    """Return a mask of the ports [S, P] that lead up: to a switch nearer to `roots`, or as near with a lower number.

    Raises
    ------
    TsujiError
        If some switch cannot reach any root.
    """
    level = reach(topology, roots, topology.peer_switch != NOBODY)
    if (level == NOBODY).any():
        raise TsujiError(f"{topology.name}: no path from switch {roots[0]} to {int((level == NOBODY).argmax())}")
    order = level * topology.switches + np.arange(topology.switches)
    up: NDArray[np.bool_] = (topology.peer_switch != NOBODY) & (order[topology.peer_switch] < order[:, None])
    return up


def legal_ways(topology: Topology, up: NDArray[np.bool_], end: int) -> Ways:
    """Return the paths to a switch that go up first and then down, and down as soon as links down alone lead there.

    A table cannot see whether a packet has already gone down. So a switch that reaches the destination by links down
    always sends down, and so does the next one on that path; every other switch sends up. No packet goes up after down.

    Parameters
    ----------
    topology : Topology
        The network.
    up : array of bool [S, P]
        As returned by `upward`.
    end : int
        Destination switch.
    """
    down = (topology.peer_switch != NOBODY) & ~up
    descent = reach(topology, np.array([end]), up)  # paths down, walked backwards
    left = descent.copy()
    distance = 0
    while True:
        below = np.zeros(topology.switches, np.bool_)
        below[topology.peer_switch[left == distance][down[left == distance]]] = True
        left[below & (left == NOBODY)] = distance + 1
        distance += 1
        if distance > left.max():
            break
    falls = descent != NOBODY
    nearer = left[topology.peer_switch] == left[:, None] - 1
    descends = down & (descent[topology.peer_switch] == descent[:, None] - 1) & (descent > 0)[:, None]
    climbs = up & nearer & (~falls & (left > 0))[:, None]
    return Ways(left, descends | climbs)


@lru_cache(maxsize=8)
def find_roots(topology: Topology) -> Int64:
    """Return the roots [R] of a network: the top switches of a tree, of any other graph the switch nearest to all.

    The top switches are those farthest from the switches with nodes, if there are switches without nodes; each pair of
    nodes must have a path over them.
    """
    wired = topology.peer_switch != NOBODY
    ends = np.unique(topology.node_switch)
    height = reach(topology, ends, wired)
    if height.max() > 0:
        top = np.flatnonzero(height == height.max())
        up = upward(topology, top)
        if all((legal_ways(topology, up, int(end)).left[ends] != NOBODY).all() for end in ends):
            return top
    eccentricity = [topology.distances(switch).max() for switch in steps("root", range(topology.switches))]
    return np.array([np.argmin(eccentricity)])


@ALGORITHMS.enter
class UpDown(Algorithm):
    """Links up towards a root first, then links down; all VCs.

    Links up have an acyclic order, so have links down, and no link down waits for one up: dependencies have no cycle.
    Each path is a shortest one among those that tables can hold (`legal_ways`); on a fat tree it is a shortest path,
    and all top switches are used.

    Parameters
    ----------
    root : int or None
        Root switch; None: all top switches of a tree, else the switch of least eccentricity.
    spread : {"balanced", "hash", "lowest"}
        Choice among equally long paths (`sim.routing.spread`).
    """

    kind: ClassVar[str] = "up_down"
    root: Annotated[int, Field(ge=0)] | None = None
    spread: Spread = "balanced"

    def check(self, topology: Topology, vcs: int) -> None:
        """Refuse a root that does not exist.

        Raises
        ------
        TsujiError
            If it does not; the message names the range of switches.
        """
        if self.root is not None and self.root >= topology.switches:
            raise TsujiError(
                f"routing.root = {self.root}: {topology.name} has switches 0 to {topology.switches - 1}; leave it out "
                "for the one in the middle"
            )

    def tables(self, topology: Topology, vcs: int) -> Tables:
        """Return the routes for any connected network."""
        self.check(topology, vcs)
        up = upward(topology, find_roots(topology) if self.root is None else np.array([self.root]))
        out, found = spread(topology, lambda end: legal_ways(topology, up, end), self.spread)
        first, last = (np.broadcast_to(np.int8(vc), out.shape) for vc in (0, vcs - 1))
        return Tables(out, first, last, found)
