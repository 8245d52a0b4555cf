"""Directed graphs as cables: a cable carries both ways, so its two arcs are joined."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict, deque
from typing import TYPE_CHECKING, Any

from models.errors import TsujiError
from sim.topology.cable_cycles import TIMES

if TYPE_CHECKING:
    import networkx as nx


def as_cables(graph: nx.MultiGraph | nx.MultiDiGraph, source: str) -> nx.MultiGraph:
    """Return a graph with one cable for each two opposite arcs; undirected graphs unchanged.

    If no arc has its opposite, each is a cable, with a warning. Of two weights the greater counts.

    Parameters
    ----------
    graph : MultiGraph or MultiDiGraph
        Vertices and edges have an attribute `place`.
    source : str
        Origin of the graph, for the warning.

    Raises
    ------
    TsujiError
        If some arcs lack their opposite, or two opposite arcs differ; the message names the place of one.
    """
    import networkx as nx

    if not graph.is_directed():
        return graph
    cables: nx.MultiGraph = nx.MultiGraph()
    cables.add_nodes_from(graph.nodes(data=True))
    waiting: defaultdict[tuple[Any, Any], deque[dict[str, Any]]] = defaultdict(deque)
    for one, other, data in sorted(graph.edges(data=True), key=lambda edge: _line(edge[2]["place"])):
        if waiting[other, one]:
            cables.add_edges_from([(other, one, _joined(waiting[other, one].popleft(), data))])
        else:
            waiting[one, other].append(data)
    alone = [(*ends, data) for ends, left in waiting.items() for data in left]
    if not cables.number_of_edges():
        if alone:
            warnings.warn(
                f"{source}: directed, and no arc has its opposite: each is taken as a cable, which carries both ways",
                stacklevel=2,
            )
        cables.add_edges_from(alone)
    elif alone:
        one, other, data = alone[0]
        raise TsujiError(
            f"{data['place']}: an arc from {one} to {other}, but none back, as other arcs have; a cable carries both "
            "ways: add the arc back, or make the graph undirected"
        )
    return cables


def listed_from_either_end(links: nx.MultiDiGraph, source: str) -> nx.MultiGraph:
    """Return the cables of a list that names each once, or every one of them from both its ends.

    Parameters
    ----------
    links : MultiDiGraph
        Each line of the list as an edge from the first vertex to the second.
    source : str
        Origin of the list, for the warning.
    """
    import networkx as nx

    named = Counter((one, other) for one, other, _ in links.edges)
    if named and named == Counter((other, one) for one, other, _ in links.edges):
        warnings.warn(f"{source}: every cable is listed from both its ends, and counted once", stacklevel=2)
        return as_cables(links, source)
    made: nx.MultiGraph = nx.MultiGraph()
    made.add_nodes_from(links.nodes(data=True))
    made.add_edges_from(links.edges(data=True))
    return made


def _line(place: str) -> int:
    """Return the line of a place."""
    return int(place.rpartition(":")[2])


def _joined(there: dict[str, Any], back: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a cable from those of its two arcs."""
    for name in TIMES:
        if there.get(name) != back.get(name):
            raise TsujiError(
                f"{back['place']}: {name} = {back.get(name)!r}, and {there.get(name)!r} the other way "
                f"({there['place']}); a cable has the same both ways"
            )
    weights = [data["weight"] for data in (there, back) if isinstance(data.get("weight"), int | float)]
    return {**there, "weight": max(weights)} if weights else there
