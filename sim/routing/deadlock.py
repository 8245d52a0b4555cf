"""Deadlock freedom: the channel dependency graph of tables must have no cycle (Dally and Seitz, 1987).

A channel is a link with a class of VCs. A packet that holds one channel while it waits for the next makes the second
depend on the first; if no chain of such waits closes, some packet can always move. VC classes are the coarsest parts
that the VC ranges of all routes are made of. Channels to nodes always drain and cannot be part of a cycle.
"""

from __future__ import annotations

from itertools import chain, pairwise, product
from typing import NamedTuple

import networkx as nx
import numpy as np

from models.errors import TsujiError
from sim.routing.base import Tables
from sim.routing.paths import next_switch, used
from sim.topology.base import NOBODY, Topology


class Channel(NamedTuple):
    """A link's sender and a class of VCs on it."""

    switch: int
    port: int
    vc_first: int
    vc_last: int


def dependency_graph(topology: Topology, tables: Tables) -> nx.DiGraph[Channel]:
    """Return the channel dependency graph of all packets between nodes of the network.

    Parameters
    ----------
    topology : Topology
        S switches, N nodes.
    tables : Tables
        Routes; a packet may take any VC of its range.
    """
    following = next_switch(topology, tables)
    forwards = used(topology, tables) & (following != NOBODY)
    switch, node = np.nonzero(forwards)
    ranges = tables.vc_first[forwards].astype(np.int64), tables.vc_last[forwards].astype(np.int64)
    key = ((switch * topology.ports + tables.out[forwards]) << 8 | ranges[0]) << 8 | ranges[1]
    numbers, hop = np.unique(key, return_inverse=True)  # links with the VC range a route gives on them
    at = np.full(forwards.shape, NOBODY, np.int64)
    at[switch, node] = hop
    after = at[following[switch, node], node]
    waits = np.unique(hop[after != NOBODY] * len(numbers) + after[after != NOBODY])

    bounds = np.unique(np.concatenate((ranges[0], ranges[1] + 1))).tolist()
    classes = [(first, end - 1) for first, end in pairwise(bounds)]

    def channels(number: int) -> list[Channel]:
        link, first, last = number >> 16, number >> 8 & 255, number & 255
        place = divmod(link, topology.ports)
        return [Channel(*place, *part) for part in classes if first <= part[0] and part[1] <= last]

    parts = [channels(number) for number in numbers.tolist()]
    graph: nx.DiGraph[Channel] = nx.DiGraph()
    graph.add_nodes_from(chain.from_iterable(parts))
    for held, wanted in zip(*(ends.tolist() for ends in divmod(waits, max(1, len(numbers)))), strict=True):
        graph.add_edges_from(product(parts[held], parts[wanted]))
    return graph


def find_cycle(topology: Topology, tables: Tables) -> list[Channel]:
    """Return channels that can wait for each other in a circle, in order; empty when there is none."""
    graph = dependency_graph(topology, tables)
    if nx.is_directed_acyclic_graph(graph):
        return []
    return [edge[0] for edge in nx.find_cycle(graph)]


def check(topology: Topology, tables: Tables) -> None:
    """Refuse tables that can deadlock.

    Raises
    ------
    TsujiError
        Naming a cycle of channels, link by link.
    """
    cycle = find_cycle(topology, tables)
    if cycle:
        lines = [describe(topology, channel) for channel in cycle]
        raise TsujiError(
            f"{topology.name}: these routes can deadlock; {len(cycle)} channels can wait for each other in a circle:\n"
            + "\n".join(f"  {line}" for line in lines)
        )


def describe(topology: Topology, channel: Channel) -> str:
    """Return a channel in words: both switches with their coordinates, ports and VCs."""
    switch, port, first, last = channel
    peer = int(topology.peer_switch[switch, port])
    vcs = f"VC {first}" if first == last else f"VCs {first}-{last}"
    ends = (f"switch {s} ({', '.join(map(str, topology.coordinates[s]))})" for s in (switch, peer))
    return f"{next(ends)} port {port} → {next(ends)} port {topology.peer_port[switch, port]}, {vcs}"
