"""Any graph: from a file, or from networkx.

Switches are numbered in the graph's order of its vertices. Ports: cables to neighbours in increasing order of their
numbers, then its nodes, which begin at the same port in all switches.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypeGuard

import numpy as np
from pydantic import Field, model_validator

from models.errors import TsujiError
from models.params.config_file import ConfigPath
from models.params.parts import MAX_PORTS
from sim.topology.base import NOBODY, Int64, Topology
from sim.topology.family import FAMILIES, Family
from sim.topology.graph_file import COLUMNS, read_graph
from sim.topology.torus import MAX_SWITCHES
from sim.topology.wiring import wire

if TYPE_CHECKING:
    import networkx as nx

AXES = ("x", "y", "z")
MAX_CYCLES = 1023  # limits of a cable, as in other families


@FAMILIES.enter
class GraphFamily(Family):
    """The graph in a file, or one written out.

    Parameters
    ----------
    file : Path or None
        GraphML, or text with one cable per line.
    edges : tuple of tuple of int
        Instead of a file: two switches of each cable, optionally its latency, and its interval.
    locals : int
        Nodes of each switch for which the file does not set them.
    populations : tuple of int
        Nodes of each switch, with `edges` and instead of `locals`; empty: `locals` each.
    """

    kind: ClassVar[str] = "graph"
    file: ConfigPath | None = None
    edges: tuple[Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=2, max_length=4)], ...] = ()
    locals: Annotated[int, Field(ge=0, le=60)] = 1
    populations: tuple[Annotated[int, Field(ge=0, le=60)], ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.file is None) == (not self.edges):
            raise ValueError("file or edges: one of both is needed to say what the graph is")
        highest = max((max(edge[:2]) for edge in self.edges), default=0)
        if highest >= MAX_SWITCHES:
            raise ValueError(f"edges: switch {highest}: must be below {MAX_SWITCHES}")
        if self.populations and self.locals != 1:
            raise ValueError(f"locals = {self.locals}: populations says how many nodes each switch has; leave one out")
        if self.populations and self.file:
            raise ValueError("populations: only edges use it; a file says for each switch how many nodes it has")
        if self.populations and len(self.populations) != highest + 1:
            raise ValueError(f"populations = {list(self.populations)}: must be one for each of {highest + 1} switches")
        return self

    @property
    def files(self) -> tuple[Path, ...]:
        """The file of the graph, if it has one."""
        return (self.file,) if self.file else ()

    def build(self) -> Topology:
        """Return the network.

        Raises
        ------
        TsujiError
            If the graph is invalid; the message names the file, and the line, switch or cable.
        """
        import networkx as nx

        if self.file:
            return from_networkx(read_graph(self.file), self.locals, self.file.stem, str(self.file))
        graph: nx.MultiGraph = nx.MultiGraph()
        graph.add_nodes_from(range(1 + max(max(edge[:2]) for edge in self.edges)))
        for one, other, *cycles in self.edges:
            graph.add_edge(one, other, **dict(zip(COLUMNS, cycles, strict=False)))
        nx.set_node_attributes(graph, dict(enumerate(self.populations)), "nodes")
        return from_networkx(graph, self.locals, f"graph of {len(graph)}", "topology.edges")


def to_keys(graph: nx.Graph[Any]) -> dict[str, Any]:
    """Return the keys of [topology] that describe a graph as `from_networkx` reads it, except positions.

    If some vertices have the attribute `nodes`, the others have one node; if none has, `locals` sets the number.

    Raises
    ------
    TsujiError
        If the graph is directed.
    """
    import networkx as nx

    _check_undirected(graph, "topology")
    number = {vertex: switch for switch, vertex in enumerate(graph)}
    edges = [
        [number[one], number[other], data.get("latency", 0), data.get("interval", 1)]
        for one, other, data in graph.edges(data=True)
    ]
    keys = {"kind": GraphFamily.kind, "edges": edges}
    if nx.get_node_attributes(graph, "nodes"):
        keys["populations"] = [data.get("nodes", 1) for _, data in graph.nodes(data=True)]
    return keys


def is_graph(value: object) -> TypeGuard[nx.Graph[Any]]:
    """Return whether a value is a graph of networkx, without importing it: who has one has imported it."""
    networkx = sys.modules.get("networkx")
    return networkx is not None and isinstance(value, networkx.Graph)


def from_networkx(
    graph: nx.Graph[Any], nodes_per_switch: int = 1, name: str = "graph", source: str = "graph"
) -> Topology:
    """Return the network whose switches are the vertices, and whose cables are the edges, of a graph.

    Parameters
    ----------
    graph : networkx.Graph or MultiGraph
        Undirected. Vertices may have attributes `nodes` (their number) and `x`, `y`, perhaps `z` (metres, all or
        none); edges `latency` and `interval` (cycles, as in `Topology`).
    nodes_per_switch : int
        Nodes of vertices without the attribute `nodes`.
    name : str
        Name of the network.
    source : str
        Origin of the graph, for messages.

    Raises
    ------
    TsujiError
        If the graph is directed or unconnected, has a cable from a switch to itself, too many ports or an invalid
        attribute.
    """
    import networkx as nx

    _check_undirected(graph, source)
    if not 2 <= len(graph) <= MAX_SWITCHES:
        raise TsujiError(f"{source}: {len(graph)} switches; must be 2 to {MAX_SWITCHES}")
    edges = list(graph.edges(data=True))
    for one, other, data in edges:
        if one == other:
            raise TsujiError(f"{data.get('place', source)}: a cable from switch {one} to itself")
    first = next(iter(graph))
    reached = nx.node_connected_component(graph, first)
    for vertex in graph:
        if vertex not in reached:
            raise TsujiError(f"{source}: no path from switch {first} to {vertex}")
    number = {vertex: switch for switch, vertex in enumerate(graph)}
    places = {vertex: data.get("place", f"{source}: switch {vertex}") for vertex, data in graph.nodes(data=True)}
    population = [
        _whole(data, "nodes", nodes_per_switch, 0, MAX_PORTS, places[vertex]) for vertex, data in graph.nodes(data=True)
    ]
    wiring = wire(np.array([[number[a], number[b]] for a, b, _ in edges]), np.array(population))
    if wiring.peer_switch.shape[1] > MAX_PORTS:
        raise TsujiError(f"{source}: switches of {wiring.peer_switch.shape[1]} ports; at most {MAX_PORTS}")
    if not sum(population):
        raise TsujiError(f"{source}: no switch has nodes; set topology.locals, or the attribute nodes of some")
    wired = wiring.peer_switch != NOBODY
    return Topology(
        name=name,
        peer_switch=wiring.peer_switch,
        peer_port=wiring.peer_port,
        node_switch=wiring.node_switch,
        node_port=wiring.node_port,
        addresses=np.arange(len(wiring.node_switch)),
        coordinates=np.arange(len(graph))[:, None],
        positions=_positions(graph, places),
        link_latency=np.where(wired, _cycles(edges, "latency", 0, source)[wiring.cable], 0),
        link_interval=np.where(wired, _cycles(edges, "interval", 1, source)[wiring.cable], 1),
    )


def _check_undirected(graph: nx.Graph[Any], source: str) -> None:
    """Refuse a directed graph."""
    if graph.is_directed():
        raise TsujiError(f"{source}: directed; a cable carries both ways, use graph.to_undirected()")


def _cycles(edges: list[Any], key: str, least: int, source: str) -> Int64:
    """Return an attribute of all cables; `least` where they have none."""
    return np.array(
        [
            _whole(data, key, least, least, MAX_CYCLES, data.get("place", f"{source}: cable {one} – {other}"))
            for one, other, data in edges
        ]
    )


def _whole(data: dict[str, Any], key: str, default: int, least: int, most: int, place: str) -> int:
    """Return an attribute that is a whole number.

    Raises
    ------
    TsujiError
        If it is invalid; the message names place, attribute, value and what is allowed.
    """
    value = data.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value <= most:
        raise TsujiError(f"{place}: {key} = {value!r}: must be a whole number, {least} to {most}")
    return int(value)


def _positions(graph: nx.Graph[Any], places: dict[Any, str]) -> np.ndarray | None:
    """Return the positions of switches; None if the graph has none."""
    known = {axis for _, data in graph.nodes(data=True) for axis in AXES if axis in data}
    if not known:
        return None
    axes = AXES if "z" in known else AXES[:2]
    for vertex, data in graph.nodes(data=True):
        for axis in axes:
            if isinstance(data.get(axis), bool) or not isinstance(data.get(axis), int | float):
                raise TsujiError(
                    f"{places[vertex]}: {axis} = {data.get(axis)!r}: must be a number of metres; all switches have "
                    f"{', '.join(axes)}, or none has any"
                )
    return np.array([[data[axis] for axis in axes] for _, data in graph.nodes(data=True)])
