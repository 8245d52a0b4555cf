"""Shortest paths on any graph; free of deadlock by VC classes that count the distance left."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from models.errors import TsujiError
from sim.lib.progress import steps
from sim.routing.base import ALGORITHMS, Algorithm, Tables
from sim.routing.spread import Spread, Ways, spread
from sim.topology.base import NOBODY, Topology


@lru_cache(maxsize=8)
def longest_way(topology: Topology) -> int:
    """Return the links on the longest of the shortest paths between switches with nodes."""
    ends = np.unique(topology.node_switch)
    if len(ends) == topology.switches:
        return topology.figures.diameter
    return max(int(topology.distances(int(end))[ends].max()) for end in steps("distances", ends))


def shortest_ways(topology: Topology, end: int) -> Ways:
    """Return all shortest paths to a switch."""
    left = topology.distances(end)
    nearer = (topology.peer_switch != NOBODY) & (left[topology.peer_switch] == left[:, None] - 1)
    return Ways(left, nearer & (left > 0)[:, None])


@ALGORITHMS.enter
class Minimal(Algorithm):
    """A shortest path to each node.

    With distance classes, the VCs are divided into D classes, D the links of the longest path, and a link taken with r
    links left has class D − r: classes only increase along a path, so dependencies have no cycle (buffer classes,
    Merlin and Schweitzer, "Deadlock avoidance in store-and-forward networks", IEEE Trans. Commun. 1980; Dally and
    Towles, "Principles and Practices of Interconnection Networks", section 14.2.1).

    Parameters
    ----------
    spread : {"balanced", "hash", "lowest"}
        Choice among several shortest paths (`sim.routing.spread`).
    vc_classes : {"distance", "none"}
        Classes as above; or all VCs for every route, which is free of deadlock on trees, for instance. The deadlock
        check decides.
    """

    kind: ClassVar[str] = "minimal"
    spread: Spread = "balanced"
    vc_classes: Literal["distance", "none"] = "distance"

    def check(self, topology: Topology, vcs: int) -> None:
        """Refuse too few VCs for the distance classes.

        Raises
        ------
        TsujiError
            If there are too few VCs; the message says how many are needed.
        """
        if self.vc_classes == "none":
            return
        classes = longest_way(topology)
        if vcs < classes:
            raise TsujiError(
                f'{vcs} VCs: routing.kind = "minimal" with routing.vc_classes = "distance" needs {classes} on '
                f'{topology.name}, one for each link of its longest path; routing.kind = "up_down" needs 1, and '
                'routing.vc_classes = "none" leaves it to the deadlock check'
            )

    def tables(self, topology: Topology, vcs: int) -> Tables:
        """Return the routes for any connected network."""
        self.check(topology, vcs)
        out, found = spread(topology, lambda end: shortest_ways(topology, end), self.spread)
        first, last = np.zeros(out.T.shape, np.int8).T, np.full(out.T.shape, vcs - 1, np.int8).T
        if self.vc_classes == "distance":
            classes = longest_way(topology)
            for end in steps("VC classes", np.unique(topology.node_switch)):
                left = topology.distances(int(end))
                # A switch that is farther away than all switches with nodes sends nothing.
                number = np.maximum(classes - left, 0)
                columns = topology.node_switch == end
                first[:, columns] = np.where(left > 0, number * vcs // max(classes, 1), 0)[:, None]
                last[:, columns] = np.where(left > 0, (number + 1) * vcs // max(classes, 1) - 1, vcs - 1)[:, None]
        return Tables(out, first, last, found)
