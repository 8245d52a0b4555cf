"""Hosts of a graph: vertices that are nodes of the switch to which they are cabled."""

from __future__ import annotations

import warnings
from typing import Any

import networkx as nx

from models.params.parts import MAX_PORTS
from sim.topology.cable_cycles import BANDWIDTHS, whole

HOSTS = ("host", "server")


def is_host(data: dict[str, Any]) -> bool:
    """Return whether the attributes of a vertex say that it is a host."""
    return isinstance(data.get("type"), str) and data["type"].lower() in HOSTS


def with_hosts_as_nodes(graph: nx.Graph[Any], source: str) -> nx.Graph[Any]:
    """Return a graph whose vertices are switches, with the number of their nodes as attribute `nodes`.

    A host with one cable, to a switch, becomes a node of this switch. Any other host becomes a switch with one node, as
    in a direct network. Switches without hosts have no nodes, unless they say how many they have. A graph without hosts
    is returned as it is.

    Parameters
    ----------
    graph : Graph or MultiGraph
        Vertices whose attribute `type` is "host" or "server" are hosts.
    source : str
        Origin of the graph, for warnings.
    """
    hosts = {vertex for vertex, data in graph.nodes(data=True) if is_host(data)}
    if not hosts:
        return graph
    switch_of = {
        host: other for host in hosts for other in graph[host] if graph.degree(host) == 1 and other not in hosts
    }
    made: nx.MultiGraph = nx.MultiGraph()
    for vertex, data in graph.nodes(data=True):
        if vertex not in switch_of:
            place = f"{data.get('place', source)}: switch {vertex}"
            nodes = whole(data, "nodes", int(vertex in hosts), 0, MAX_PORTS, place)
            made.add_nodes_from([(vertex, {**data, "nodes": nodes})])
    for host in graph:
        if host in switch_of:
            made.nodes[switch_of[host]]["nodes"] += 1
    made.add_edges_from(
        (one, other, data) for one, other, data in graph.edges(data=True) if {one, other}.isdisjoint(switch_of)
    )
    passed = len(hosts) - len(switch_of)
    if passed and passed < len(made):
        warnings.warn(
            f"{source}: {passed} hosts have several cables, or one to another host: they are switches with one node "
            "each here, and packets of others may pass through them",
            stacklevel=2,
        )
    _warn_of_slow_nodes(graph, switch_of, source)
    return made


def _warn_of_slow_nodes(graph: nx.Graph[Any], switch_of: dict[Any, Any], source: str) -> None:
    """Say that the cables of nodes carry one flit per cycle if the graph gives them a time or another bandwidth."""
    own: set[str] = set()
    speeds: dict[bool, set[Any]] = {True: set(), False: set()}
    for one, other, data in graph.edges(data=True):
        of_node = one in switch_of or other in switch_of
        speeds[of_node] |= {str(data[name]) for name in BANDWIDTHS if name in data}
        if of_node:
            own |= {name for name in ("latency", "delay", "interval", "weight") if data.get(name)}
    if speeds[True] and speeds[False] and speeds[True] != speeds[False]:
        own.add("bandwidth")
    if own:
        warnings.warn(
            f"{source}: cables between nodes and switches carry one flit per cycle, and take link.node_latency: their "
            f"{', '.join(sorted(own))} has no effect",
            stacklevel=3,
        )
