"""GraphML, read by networkx."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, ClassVar
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

import networkx as nx

from models.errors import TsujiError
from sim.topology.graph_formats.arcs import as_cables
from sim.topology.graph_formats.format import FORMATS, GraphFormat

LINE = "tsuji.line"
GEOMETRY = ".//{*}Geometry"  # of yEd: places on a drawing, not on a floor


@FORMATS.enter
class GraphMl(GraphFormat):
    """GraphML with attributes of vertices and edges; of several graphs in a file the first."""

    kind: ClassVar[str] = "graphml"
    suffixes: ClassVar[tuple[str, ...]] = (".graphml", ".xml")

    def read(self, text: str, path: Path) -> nx.MultiGraph:
        """Return the graph."""
        root = _parsed(text, path)
        reader = _Reader(path)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of networkx: ports, keys without a type
                graph = reader.graph(root)
        except (nx.NetworkXError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise TsujiError(f"{reader.place}: not GraphML: {_reason(error)}") from error
        return as_cables(graph, str(path))


class _Reader(nx.GraphMLReader):  # type: ignore[misc]
    """networkx's reader, which notes the line of each element."""

    def __init__(self, path: Path) -> None:
        super().__init__(force_multigraph=True)
        self._path = path
        self.place = f"{path}:1"
        self._declared: set[str] = set()

    def graph(self, root: Element) -> nx.MultiGraph | nx.MultiDiGraph:
        """Return the first graph of a document."""
        keys: dict[str, Any] = {}
        defaults: dict[str, Any] = {}
        for key in root.findall(f"{{{self.NS_GRAPHML}}}key"):
            self._at(key)
            alone = Element("graphml")
            alone.append(key)
            for whole, part in zip((keys, defaults), self.find_graphml_keys(alone), strict=True):
                whole |= part
        found = root.find(f"{{{self.NS_GRAPHML}}}graph")
        if found is None:
            raise TsujiError(f"{self.place}: not GraphML: no graph")
        self._at(found)
        graph = self.make_graph(found, keys, defaults)
        for data in (data for *_, data in graph.edges(data=True)):
            data |= {name: value for name, value in graph.graph["edge_default"].items() if name not in data}
        for _, data in graph.nodes(data=True):
            data |= {name: value for name, value in graph.graph["node_default"].items() if name not in data}
        return graph

    def add_node(self, G: nx.MultiGraph, node_xml: Element, graphml_keys: Any, defaults: Any) -> None:  # noqa: N803
        """Add a vertex."""
        self._at(node_xml)
        name = node_xml.get("id")
        if name is None:
            raise TsujiError(f"{self.place}: a node without id")
        self._declared.add(name)
        place = self.place
        super().add_node(G, node_xml, graphml_keys, defaults)
        G.nodes[name]["place"] = place
        if node_xml.find(GEOMETRY) is not None:
            for axis in ("x", "y"):
                G.nodes[name].pop(axis, None)

    def add_edge(self, G: nx.MultiGraph, edge_element: Element, graphml_keys: Any) -> None:  # noqa: N803
        """Add a cable."""
        self._at(edge_element)
        ends = edge_element.get("source"), edge_element.get("target")
        for name in ends:
            if name not in self._declared:
                raise TsujiError(f"{self.place}: cable {ends[0]} – {ends[1]}: no node has the id {name}")
        before = G.number_of_edges()
        super().add_edge(G, edge_element, graphml_keys)
        if G.number_of_edges() == before:
            raise TsujiError(f"{self.place}: cable {ends[0]} – {ends[1]}: another one has its id, or key")
        list(G[ends[0]][ends[1]].values())[-1]["place"] = self.place

    def _at(self, element: Element) -> None:
        """Note the line of an element."""
        self.place = f"{self._path}:{element.get(LINE)}"


def _parsed(text: str, path: Path) -> Element:
    """Return the root of a document; each element has the attribute `LINE`, and names lie in GraphML's namespace."""
    builder = TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True

    def tag(name: str) -> str:
        return f"{{{name}" if "}" in name else f"{{{nx.GraphMLReader.NS_GRAPHML}}}{name}"

    def start(name: str, attributes: dict[str, str]) -> None:
        builder.start(tag(name), {**attributes, LINE: str(parser.CurrentLineNumber)})

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: builder.end(tag(name))
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise TsujiError(f"{path}:{error.lineno}: not GraphML: {expat.ErrorString(error.code)}") from error
    except (LookupError, ValueError) as error:  # of the encoding that the first line names
        raise TsujiError(f"{path}:1: not GraphML: {error}; must be UTF-8") from error
    return builder.close()


def _reason(error: Exception) -> str:
    """Return the reason of an error of networkx."""
    return f"unknown type or value {error}" if isinstance(error, KeyError) else " ".join(str(error).split())
