"""Graphs from files: a list of cables, or GraphML."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError, fromstring

from models.errors import TsujiError

if TYPE_CHECKING:
    import networkx as nx

GRAPHML = (".graphml", ".xml")
COLUMNS = ("latency", "interval")


def read_graph(path: Path) -> nx.MultiGraph:
    """Return the graph that a file describes; vertices are switches, edges cables.

    Parameters
    ----------
    path : Path
        GraphML if the name ends in .graphml or .xml; else text with one cable per line, `a b [latency [interval]]`; #
        begins a comment. Switches are in order of their numbers if all names are numbers, else in order of appearance.

    Raises
    ------
    TsujiError
        If it cannot be read; the message names the file, and the line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise TsujiError(f"topology.file = {path}: cannot be read: {reason}") from error
    return _graphml(path, text) if path.suffix.lower() in GRAPHML else _cables(path, text)


def _cables(path: Path, text: str) -> nx.MultiGraph:
    """Read one cable per line."""
    import networkx as nx

    graph: nx.MultiGraph = nx.MultiGraph()
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if not 2 <= len(words) <= 2 + len(COLUMNS):
            raise TsujiError(f"{path}:{number}: {' '.join(words)}: write two switches, and latency and interval if any")
        for name, word in zip(COLUMNS, words[2:], strict=False):
            if not word.isascii() or not word.isdigit():
                raise TsujiError(f"{path}:{number}: {name} = {word}: must be a whole number")
        graph.add_edge(*words[:2], place=f"{path}:{number}", **dict(zip(COLUMNS, map(int, words[2:]), strict=False)))
    if all(name.isascii() and name.isdigit() for name in graph):
        ordered: nx.MultiGraph = nx.MultiGraph()
        ordered.add_nodes_from(sorted(graph, key=int))
        ordered.add_edges_from(graph.edges(data=True))
        return ordered
    return graph


def _graphml(path: Path, text: str) -> nx.MultiGraph:
    """Read GraphML."""
    import networkx as nx

    try:
        graph = nx.parse_graphml(text, force_multigraph=True)
    except (ParseError, nx.NetworkXError, ValueError, KeyError) as error:
        raise TsujiError(f"{path}: not GraphML: {error}") from error
    if graph.is_directed():
        raise TsujiError(f'{path}: directed; a cable carries both ways, write edgedefault="undirected"')
    declared = {node.get("id") for node in fromstring(text).findall(".//{*}node")}
    for one, other, data in graph.edges(data=True):
        data["place"] = f"{path}: cable {one} – {other}"
        for name in (one, other):
            if name not in declared:
                raise TsujiError(f"{data['place']}: no node has the id {name}")
    for name, data in graph.nodes(data=True):
        data["place"] = f"{path}: switch {name}"
    return graph
