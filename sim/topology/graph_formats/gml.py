"""GML, read by networkx."""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

import networkx as nx

from models.errors import TsujiError
from sim.topology.graph_formats.arcs import as_cables
from sim.topology.graph_formats.format import FORMATS, GraphFormat

LINE = "tsuji_line"
_PART = re.compile(r'"[^"]*"|^[^\S\n]*#.*$|\b(graph|node|edge)(\s*\[)', re.MULTILINE)
_AT = re.compile(r"\((\d+), \d+\)")
_NUMBERED = re.compile(r"(node|edge) #(\d+)")


@FORMATS.enter
class Gml(GraphFormat):
    """GML; switches are its ids, in the order of the file."""

    kind: ClassVar[str] = "gml"
    suffixes: ClassVar[tuple[str, ...]] = (".gml",)

    def read(self, text: str, path: Path) -> nx.MultiGraph:
        """Return the graph."""
        lines: dict[str, list[int]] = {"graph": [], "node": [], "edge": []}
        several = "" if re.search(r"\bmultigraph\s+1\b", text) else " multigraph 1"

        def with_line(match: re.Match[str]) -> str:
            if not match[1]:
                return match[0]
            number = text.count("\n", 0, match.start()) + 1
            lines[match[1]].append(number)
            return match[0] + (several if match[1] == "graph" else f" {LINE} {number}")

        try:
            graph = nx.parse_gml(_PART.sub(with_line, text).split("\n"), label="id")
        except (nx.NetworkXError, ValueError, TypeError, AttributeError, KeyError, IndexError, RecursionError) as error:
            message = " ".join(str(error).split())
            raise TsujiError(f"{path}:{_line(message, lines)}: not GML: {message}") from error
        for data in (*dict(graph.nodes(data=True)).values(), *(data for *_, data in graph.edges(data=True))):
            data["place"] = f"{path}:{data.pop(LINE, 1)}"
        return as_cables(graph, str(path))


def _line(message: str, lines: dict[str, list[int]]) -> int:
    """Return the line that an error of networkx is about."""
    if at := _AT.search(message):
        return int(at[1])
    if (part := _NUMBERED.search(message)) and int(part[2]) < len(lines[part[1]]):
        return lines[part[1]][int(part[2])]
    return max(1, *lines["graph"], *lines["node"], *lines["edge"], 1)
