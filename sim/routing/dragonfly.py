"""Minimal routing of the dragonfly: to the destination's group over one global cable (Kim et al., ISCA 2008)."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from models.jit.compiled import compiled_noinline
from sim.lib.progress import report
from sim.routing.base import ALGORITHMS, Algorithm, Tables
from sim.routing.spread import Spread, Ways, spread
from sim.topology.base import NOBODY, Topology
from sim.topology.dragonfly import Dragonfly


def direct_ways(topology: Dragonfly) -> Callable[[int], Ways]:
    """Return a function of a switch: shortest paths to it among those that take a global cable only to its group."""
    group = np.ascontiguousarray(topology.coordinates[:, 0])
    queue = np.empty(topology.switches, np.int64)

    def ways(end: int) -> Ways:
        left = np.full(topology.switches, NOBODY, np.int64)
        outputs = np.zeros(topology.peer_switch.shape, np.bool_)
        _find_ways(topology.peer_switch, group, end, queue, left, outputs)
        return Ways(left, outputs)

    return ways


@compiled_noinline
def _find_ways(
    peer: np.ndarray, group: np.ndarray, end: int, queue: np.ndarray, left: np.ndarray, outputs: np.ndarray
) -> None:
    """Write the `Ways` to switch `end`; paths are walked backwards."""
    left[end] = 0
    queue[0] = end
    at, last = 0, 1
    while at < last:
        s = queue[at]
        at += 1
        for p in range(peer.shape[1]):
            t = peer[s, p]
            if t != NOBODY and left[t] == NOBODY and group[s] in (group[t], group[end]):
                left[t] = left[s] + 1
                queue[last] = t
                last += 1
    for s in range(len(left)):
        for p in range(peer.shape[1]):
            t = peer[s, p]
            is_nearer = t != NOBODY and left[s] > 0 and left[t] == left[s] - 1
            outputs[s, p] = is_nearer and group[t] in (group[s], group[end])


@compiled_noinline
def _write_classes(
    peer: np.ndarray,
    group: np.ndarray,
    node_switch: np.ndarray,
    vcs: int,
    out: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
) -> None:
    """Write first and last VC of routes [N, S]: on links inside a group half of them, which half says the stage."""
    for node in range(out.shape[0]):
        end = group[node_switch[node]]
        for s in range(out.shape[1]):
            t = peer[s, out[node, s]]
            is_inside = t != NOBODY and group[t] == group[s]
            first[node, s] = vcs // 2 if is_inside and group[s] == end else 0
            last[node, s] = vcs // 2 - 1 if is_inside and group[s] != end else vcs - 1


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

    @property
    def computed_by(self) -> tuple[str, ...]:
        """Switches that compute the same routes, where two groups have one cable between them."""
        return ("dragonfly",)

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
        report("VC classes")
        first, last = (np.empty(out.T.shape, np.int8) for _ in range(2))
        group = np.ascontiguousarray(topology.coordinates[:, 0])
        _write_classes(topology.peer_switch, group, topology.node_switch, vcs, out.T, first, last)
        return Tables(out, first.T, last.T, found)
