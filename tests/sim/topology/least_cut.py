"""Bisection by its definition: all ways to split the switches with nodes into halves, each with its minimum cut."""

from itertools import combinations

import networkx as nx
import numpy as np


def least_cut(topology):
    """Return the fewest one-way channels between two halves of the switches with nodes; others are in either half."""
    ends = np.unique(topology.node_switch)
    assert len(ends) % 2 == 0
    best = None
    for half in combinations(ends[1:].tolist(), len(ends) // 2):  # ends[0] is in the other half
        cut = _cut(topology, ends, half)
        best = cut if best is None else min(best, cut)
    return best


def _cut(topology, ends, half):
    if len(ends) == topology.switches:
        inside = np.isin(topology.links[:, [0, 2]], half)
        return int((inside[:, 0] != inside[:, 1]).sum())
    graph = nx.DiGraph()
    graph.add_nodes_from(["source", "sink"])
    side = dict.fromkeys(ends.tolist(), "source") | dict.fromkeys(half, "sink")
    for switch, _, peer, _ in topology.links.tolist():
        here, there = side.get(switch, switch), side.get(peer, peer)
        if here != there:
            more = graph.edges[here, there]["capacity"] if graph.has_edge(here, there) else 0
            graph.add_edge(here, there, capacity=more + 1)
    return 2 * nx.maximum_flow_value(graph, "source", "sink")
