"""Node-link JSON, as networkx and D3 write it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import networkx as nx

from models.errors import TsujiError
from sim.topology.graph_formats.arcs import as_cables
from sim.topology.graph_formats.format import FORMATS, GraphFormat, add_cable, add_switch

LINKS = ("links", "edges")
ENDS = (("source", "target"), ("from", "to"))
_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"


@FORMATS.enter
class NodeLink(GraphFormat):
    """An object with lists `nodes` and `links`, or `edges`; on request of the file inside an object `graph`.

    A vertex is named by its `id`, else by its number in the list, and a link names its ends so.
    """

    kind: ClassVar[str] = "node_link"
    suffixes: ClassVar[tuple[str, ...]] = (".json",)

    def read(self, text: str, path: Path) -> nx.MultiGraph:
        """Return the graph."""
        try:
            whole = json.loads(text)
        except json.JSONDecodeError as error:
            raise TsujiError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
        except (RecursionError, ValueError) as error:
            raise TsujiError(f"{path}:1: not JSON that can be read: {error}") from error
        at = 0
        if isinstance(whole, dict) and "nodes" not in whole and isinstance(whole.get("graph"), dict):
            at, whole = dict(_members(text, 0))["graph"], whole["graph"]
        links = next((key for key in LINKS if isinstance(whole, dict) and key in whole), None)
        if links is None or not all(isinstance(whole.get(key), list) for key in ("nodes", links)):
            raise TsujiError(f"{path}:1: no node-link JSON: needs lists nodes and links (or edges)")
        graph: Any = nx.MultiDiGraph() if whole.get("directed") else nx.MultiGraph()
        starts = dict(_members(text, at))
        names: list[Any] = []
        for start, vertex in _items(text, starts["nodes"]):
            place = f"{path}:{_line(text, start)}"
            names.append(_add_vertex(graph, vertex, len(names), place))
        for start, link in _items(text, starts[links]):
            _add_link(graph, link, names, f"{path}:{_line(text, start)}")
        return as_cables(graph, str(path))


def _add_vertex(graph: Any, vertex: Any, number: int, place: str) -> Any:
    """Add a vertex and return its name."""
    data = vertex if isinstance(vertex, dict) else {"id": vertex}
    name = _name(data.get("id", number), place)
    if name in graph:
        raise TsujiError(f"{place}: two nodes have the id {name!r}")
    add_switch(graph, name, place, **{key: value for key, value in data.items() if key not in ("id", "place")})
    return name


def _add_link(graph: Any, link: Any, names: list[Any], place: str) -> None:
    """Add a link."""
    keys = next((keys for keys in ENDS if isinstance(link, dict) and all(key in link for key in keys)), None)
    if keys is None:
        raise TsujiError(f"{place}: a link must be an object with source and target")
    ends = []
    for key in keys:
        name = _name(link[key], place)
        if name not in graph and isinstance(name, int) and 0 <= name < len(names):
            name = names[name]
        if name not in graph:
            raise TsujiError(f"{place}: {key} = {link[key]!r}: no node has this id")
        ends.append(name)
    data = {name: value for name, value in link.items() if name not in (*keys, "key", "place") and value is not None}
    add_cable(graph, ends[0], ends[1], place, **data)


def _name(value: Any, place: str) -> Any:
    """Return a vertex's name."""
    if isinstance(value, list) and value and all(isinstance(part, int | str) for part in value):
        return tuple(value)  # as networkx writes vertices that are tuples
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TsujiError(f"{place}: {json.dumps(value)[:40]}: must be an id, a number or a text")
    return value


def _skip(text: str, at: int) -> int:
    """Return the position of the next character that is no space, comma or colon."""
    while text[at] in _SPACE or text[at] in ",:":
        at += 1
    return at


def _members(text: str, at: int) -> Iterator[tuple[str, int]]:
    """Yield key, and the position of its value, of each member of the object at a position of valid JSON."""
    at = _skip(text, _skip(text, at) + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        start = _skip(text, at)
        yield key, start
        at = _skip(text, _DECODER.raw_decode(text, start)[1])


def _items(text: str, at: int) -> Iterator[tuple[int, Any]]:
    """Yield position and value of each element of the array at a position of valid JSON."""
    at = _skip(text, at + 1)
    while text[at] != "]":
        value, end = _DECODER.raw_decode(text, at)
        yield at, value
        at = _skip(text, end)


def _line(text: str, at: int) -> int:
    """Return the line of a position."""
    return text.count("\n", 0, at) + 1
