"""Readers of graph files, which register themselves, and the choice among them."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from models.errors import TsujiError
from sim.lib.registry import Kind, Registry

if TYPE_CHECKING:
    import networkx as nx

DEFAULT = "cables"


class GraphFormat(Kind):
    """A format of graph files.

    Attributes
    ----------
    suffixes : tuple of str
        Endings of file names, in lower case, that select the format.
    """

    suffixes: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def read(self, text: str, path: Path) -> nx.MultiGraph:
        """Return the graph that a text describes.

        Vertices and edges have an attribute `place`, "file:line". Other attributes are those of `sim.topology.graph`,
        and of `sim.topology.cable_cycles`.

        Parameters
        ----------
        text : str
            Content of the file.
        path : Path
            The file, for messages.

        Raises
        ------
        TsujiError
            If it is not of this format; the message names file and line.
        """


FORMATS: Registry[GraphFormat] = Registry("sim.topology.graph_formats", "topology.format")


def format_of(path: Path) -> str:
    """Return the format that a file's ending selects; "cables" for other endings."""
    suffix = path.suffix.lower()
    return next((name for name in FORMATS.names() if suffix in FORMATS.get(name).suffixes), DEFAULT)


def read_graph(path: Path, name: str | None = None) -> nx.MultiGraph:
    """Return the graph that a file describes; vertices are switches or hosts, edges cables.

    Parameters
    ----------
    path : Path
        The file.
    name : str or None
        Format; None: by the file's ending.

    Raises
    ------
    TsujiError
        If it cannot be read; the message names the file, and the line.
    """
    reader = FORMATS.get(format_of(path) if name is None else name)()
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TsujiError(f"topology.file = {path}: cannot be read: {error.strerror}") from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise TsujiError(f"{path}:{line}: cannot be read: not UTF-8 text") from error
    graph = reader.read(text, path)
    if not len(graph):
        raise TsujiError(f"{path}:{max(1, text.count(chr(10)))}: the file ends without a switch ({reader.kind})")
    return graph


def add_switch(graph: nx.MultiGraph | nx.MultiDiGraph, vertex: Any, place: str, /, **attributes: Any) -> None:
    """Add a vertex, or attributes to a vertex that cables have named before; its place is that of its first mention."""
    first = graph.nodes[vertex]["place"] if vertex in graph else place
    graph.add_nodes_from([(vertex, {**attributes, "place": first})])  # attributes may have names of its parameters


def add_cable(graph: nx.MultiGraph | nx.MultiDiGraph, one: Any, other: Any, place: str, /, **attributes: Any) -> None:
    """Add a cable, and its ends where they are new."""
    for vertex in (one, other):
        add_switch(graph, vertex, place)
    graph.add_edges_from([(one, other, {**attributes, "place": place})])


def in_number_order(graph: nx.MultiGraph) -> nx.MultiGraph:
    """Return the graph with switches in order of their numbers if all names are numbers; else unchanged."""
    import networkx as nx

    if not all(name.isascii() and name.isdigit() for name in graph):
        return graph
    ordered: nx.MultiGraph = nx.MultiGraph()
    ordered.add_nodes_from(sorted(graph.nodes(data=True), key=lambda item: _number(item[0])))
    ordered.add_edges_from(graph.edges(data=True))
    return ordered


def _number(name: str) -> tuple[int, str]:
    """Return the sort key of a number, which may have any length."""
    digits = name.lstrip("0")
    return len(digits), digits
