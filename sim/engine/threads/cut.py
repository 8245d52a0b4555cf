"""Cuts a network into parts of about equal work, with few links between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.jit.simd_type import LANES
from models.params import SwitchParams
from sim.topology.base import NOBODY, Int64, Topology
from sim.topology.link_times import LinkTimes
from sim.traffic.closed_loop import ClosedLoop

MOST_WINDOW = 64  # cycles: a barrier's share of the time is small then
LEAST_GAIN = 0.75


@dataclass(frozen=True, eq=False)
class Cut:
    """A network cut into parts.

    Attributes
    ----------
    count : int
        Number of parts.
    owner : array [S]
        Part of each switch.
    links : array [count, count]
        Number of links from part to part, one way; 0 within a part.
    window : int
        Cycles in which nothing that a part sends reaches another.
    """

    count: int
    owner: NDArray[np.int16]
    links: Int64
    window: int


def units_of(switches: int, batched: bool) -> Int64:
    """Return what each of a number of switches is in and may not be cut: its batch, or itself."""
    return np.arange(switches) // (LANES if batched else 1)


def lookahead(params: SwitchParams, times: LinkTimes, least: int) -> int:
    """Return the cycles after which anything that is sent over links of a latency of at least `least` is visible.

    A head that a predictor sends before its lookup in a cache has ended is handed over a cycle later, once confirmed.
    """
    flits = least + (0 if params.prediction and params.has_cache else 1)
    return min(flits, least + 1 + times.credit_lag)


def cut_network(
    params: SwitchParams, topology: Topology, times: LinkTimes, loop: ClosedLoop, count: int, batched: bool
) -> Cut | None:
    """Return a cut into `count` parts, at most as many as there are units (`units_of`); None for one part.

    Units are put in an order, which is cut into pieces of about equal numbers of ports. By number, the memory of a part
    is in one place; the order of the reverse Cuthill-McKee algorithm is taken if it cuts three quarters of the links or
    fewer.
    """
    if count == 1:
        return None
    unit = units_of(topology.switches, batched)
    wired = topology.peer_switch != NOBODY
    ends = np.broadcast_to(np.arange(topology.switches)[:, None], wired.shape)[wired], topology.peer_switch[wired]
    local = np.bincount(topology.local_ends[0], minlength=topology.switches)
    ports = np.bincount(unit, weights=wired.sum(axis=1) + local).astype(np.int64)
    best, limit = np.empty(0, np.int64), float(len(ends[0]) + 1)
    for order in _orders(unit[ends[0]], unit[ends[1]], len(ports)):
        behind = np.cumsum(ports[order])
        of_unit = np.empty(len(ports), np.int64)
        of_unit[order] = (behind - (ports[order] + 1) // 2) * count // behind[-1]
        owner = of_unit[unit]
        crossing = int((owner[ends[0]] != owner[ends[1]]).sum())
        if crossing < limit:
            best, limit = owner, LEAST_GAIN * crossing
    links = np.zeros((count, count), np.int64)
    np.add.at(links, (best[ends[0]], best[ends[1]]), 1)
    np.fill_diagonal(links, 0)
    crosses = best[ends[0]] != best[ends[1]]
    window = lookahead(params, times, int(times.delay[wired][crosses].min())) if crosses.any() else MOST_WINDOW
    # A packet dropped or delivered anywhere opens its node's window in the next cycle, plus the latency of its cable.
    answered = 1 + 2 * times.node if loop.window else MOST_WINDOW
    return Cut(count, best.astype(np.int16), links, min(window, answered, MOST_WINDOW))


def _orders(source: Int64, target: Int64, units: int) -> Iterator[Int64]:
    """Yield orders of units that keep neighbours together, given the ends of links."""
    import networkx as nx
    from networkx.utils import reverse_cuthill_mckee_ordering

    yield np.arange(units)
    graph: nx.Graph = nx.Graph()
    graph.add_nodes_from(range(units))
    pairs = np.unique(source * units + target)
    graph.add_edges_from((int(pair) // units, int(pair) % units) for pair in pairs if pair // units != pair % units)
    yield np.array(list(reverse_cuthill_mckee_ordering(graph)), np.int64)
