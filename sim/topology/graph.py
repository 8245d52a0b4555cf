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
from sim.topology.base import NOBODY, Topology
from sim.topology.cable_cycles import CableScale, Weights, whole, with_cycles
from sim.topology.family import FAMILIES, Family
from sim.topology.graph_formats.cables import COLUMNS
from sim.topology.graph_formats.format import FORMATS, read_graph
from sim.topology.torus import MAX_SWITCHES
from sim.topology.units import bits_per_second
from sim.topology.wiring import wire

if TYPE_CHECKING:
    import networkx as nx

AXES = ("x", "y", "z")
MOST_METRES = 1e9  # of a position
OF_FILES = ("format", "weights", "bandwidth", "cycle_ns", "largest_part")


@FAMILIES.enter
class GraphFamily(Family):
    """The graph in a file, or one written out.

    Parameters
    ----------
    file : Path or None
        File of the graph.
    format : str or None
        Its format, one of `sim.topology.graph_formats`; None: by the file's ending.
    weights : {"ignore", "latency", "cables"}
        Weights of the file's cables: without effect, their latencies in cycles, or numbers of parallel cables.
    bandwidth : str, float or None
        Bandwidth of a cable that carries one flit per cycle, bit/s or with a unit; None: the greatest of the file.
    cycle_ns : float or None
        Length of a cycle, ns, with which times of the file become cycles; None: they have no effect.
    largest_part : bool
        Whether only the largest connected part of the file's graph is taken.
    edges : tuple of tuple of int
        Instead of a file: two switches of each cable, optionally its latency, and its interval.
    locals : int
        Nodes of each switch for which the file does not set them.
    populations : tuple of int
        Nodes of each switch, with `edges` and instead of `locals`; empty: `locals` each.
    """

    kind: ClassVar[str] = "graph"
    file: ConfigPath | None = None
    format: str | None = None
    weights: Weights = "ignore"
    bandwidth: float | str | None = None
    cycle_ns: Annotated[float, Field(gt=0, le=1e6)] | None = None
    largest_part: bool = False
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

    @model_validator(mode="after")
    def _check_file(self) -> Self:
        for name in OF_FILES:
            if self.file is None and getattr(self, name) != type(self).model_fields[name].default:
                raise ValueError(f"{name} = {getattr(self, name)!r}: only a file uses it; leave it out beside edges")
        if self.format is not None and self.format not in FORMATS.names():
            raise ValueError(f"format = {self.format!r}: must be one of {', '.join(FORMATS.names())}")
        if self.bandwidth is not None and bits_per_second(self.bandwidth) is None:
            raise ValueError(
                f"bandwidth = {self.bandwidth!r}: must be above 0, in bit/s or with a unit, such as 400Gbps"
            )
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
            full = None if self.bandwidth is None else bits_per_second(self.bandwidth)
            scale = CableScale(self.weights, full, self.cycle_ns)
            read = read_graph(self.file, self.format)
            if self.largest_part:
                read = read.subgraph(max(nx.connected_components(read), key=len))
            return from_networkx(read, self.locals, self.file.stem, str(self.file), scale)
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
        If the graph is directed, or a cable's attribute is invalid.
    """
    import networkx as nx

    graph = _switches_and_cycles(graph, "topology", CableScale())
    number = {vertex: switch for switch, vertex in enumerate(graph)}
    edges = [[number[one], number[other], data["latency"], data["interval"]] for one, other, data in graph.edges.data()]
    keys = {"kind": GraphFamily.kind, "edges": edges}
    if nx.get_node_attributes(graph, "nodes"):
        keys["populations"] = [data.get("nodes", 1) for _, data in graph.nodes(data=True)]
    return keys


def is_graph(value: object) -> TypeGuard[nx.Graph[Any]]:
    """Return whether a value is a graph of networkx, without importing it: who has one has imported it."""
    networkx = sys.modules.get("networkx")
    return networkx is not None and isinstance(value, networkx.Graph)


def from_networkx(
    graph: nx.Graph[Any],
    nodes_per_switch: int = 1,
    name: str = "graph",
    source: str = "graph",
    scale: CableScale | None = None,
) -> Topology:
    """Return the network whose switches are the vertices, and whose cables are the edges, of a graph.

    Parameters
    ----------
    graph : networkx.Graph or MultiGraph
        Undirected. Vertices may have attributes `nodes` (their number) and `x`, `y`, perhaps `z` (metres, all or
        none), and `type`: hosts are nodes (`sim.topology.hosts`). Edges may have `latency` and `interval` (cycles, as
        in `Topology`), or other quantities (`sim.topology.cable_cycles`).
    nodes_per_switch : int
        Nodes of vertices without the attribute `nodes`.
    name : str
        Name of the network.
    source : str
        Origin of the graph, for messages.
    scale : CableScale or None
        Meaning of weights, bandwidths and times; None: the defaults of `CableScale`.

    Raises
    ------
    TsujiError
        If the graph is directed or unconnected, has a cable from a switch to itself, too many ports or an invalid
        attribute.
    """
    graph = _switches_and_cycles(graph, source, scale or CableScale())
    if not 1 <= len(graph) <= MAX_SWITCHES:
        raise TsujiError(f"{source}: {len(graph)} switches; must be 1 to {MAX_SWITCHES}")
    places = {vertex: f"{data.get('place', source)}: switch {vertex}" for vertex, data in graph.nodes(data=True)}
    _check_connected(graph, places)
    edges = list(graph.edges(data=True))
    number = {vertex: switch for switch, vertex in enumerate(graph)}
    population = [
        whole(data, "nodes", nodes_per_switch, 0, MAX_PORTS, places[vertex]) for vertex, data in graph.nodes(data=True)
    ]
    first = next(iter(graph))
    if not sum(population):
        raise TsujiError(f"{places[first]}: no switch has nodes; set topology.locals, or the attribute nodes of some")
    cables = np.array([[number[a], number[b]] for a, b, _ in edges], np.int64).reshape(-1, 2)
    wiring = wire(cables, np.array(population))
    if wiring.peer_switch.shape[1] > MAX_PORTS:
        most = max(graph, key=graph.degree)
        raise TsujiError(
            f"{places[most]}: {graph.degree(most)} cables, and up to {max(population)} nodes on a switch: switches of "
            f"{wiring.peer_switch.shape[1]} ports; at most {MAX_PORTS}"
        )
    wired = wiring.peer_switch != NOBODY
    latency, interval = (np.array([data[key] for *_, data in edges] + [0]) for key in COLUMNS)
    return Topology(
        name=name,
        peer_switch=wiring.peer_switch,
        peer_port=wiring.peer_port,
        node_switch=wiring.node_switch,
        node_port=wiring.node_port,
        addresses=np.arange(len(wiring.node_switch)),
        coordinates=np.arange(len(graph))[:, None],
        positions=_positions(graph, places),
        link_latency=np.where(wired, latency[wiring.cable], 0),
        link_interval=np.where(wired, interval[wiring.cable], 1),
    )


def _switches_and_cycles(graph: nx.Graph[Any], source: str, scale: CableScale) -> nx.MultiGraph:
    """Return a graph whose vertices are switches, and whose cables have latency and interval.

    Raises
    ------
    TsujiError
        If it is directed, or a cable is invalid.
    """
    from sim.topology.hosts import with_hosts_as_nodes

    if graph.is_directed():
        raise TsujiError(f"{source}: directed; a cable carries both ways, use graph.to_undirected()")
    for one, other, data in graph.edges(data=True):
        if one == other:
            raise TsujiError(f"{data.get('place', source)}: a cable from switch {one} to itself")
    return with_cycles(with_hosts_as_nodes(graph, source), scale, source)


def _check_connected(graph: nx.MultiGraph, places: dict[Any, str]) -> None:
    """Refuse a graph of several parts."""
    import networkx as nx

    first = next(iter(graph))
    reached = nx.node_connected_component(graph, first)
    for vertex in graph:
        if vertex not in reached:
            raise TsujiError(
                f"{places[vertex]}: no path from switch {first}; topology.largest_part = true takes the largest "
                "connected part of a file"
            )


def _positions(graph: nx.Graph[Any], places: dict[Any, str]) -> np.ndarray | None:
    """Return the positions of switches; None if the graph has none."""
    known = {axis for _, data in graph.nodes(data=True) for axis in AXES if axis in data}
    if not known:
        return None
    axes = AXES if "z" in known else AXES[:2]
    for vertex, data in graph.nodes(data=True):
        for axis in axes:
            at = data.get(axis)
            if isinstance(at, bool) or not isinstance(at, int | float) or not abs(at) <= MOST_METRES:
                raise TsujiError(
                    f"{places[vertex]}: {axis} = {at!r}: must be a number of metres; all switches have "
                    f"{', '.join(axes)}, or none has any; at most {MOST_METRES:g}"
                )
    return np.array([[data[axis] for axis in axes] for _, data in graph.nodes(data=True)])
