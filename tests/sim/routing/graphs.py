"""The channel dependency graph as a graph of networkx."""

import networkx as nx

from sim.routing.base import Tables
from sim.routing.deadlock import fixed_routes as deadlock
from sim.topology.base import Topology


def dependency_graph(topology: Topology, tables: Tables) -> nx.DiGraph:
    """Return the channel dependency graph of `tables`."""
    channels, edges = deadlock.dependencies(topology, tables)
    graph = nx.DiGraph()
    graph.add_nodes_from(channels)
    graph.add_edges_from((channels[one], channels[other]) for one, other in edges.tolist())
    return graph
