"""Edge lists as networkx writes them: `a b`, `a b weight` or `a b {attributes}`."""

from __future__ import annotations

from ast import literal_eval
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from models.errors import TsujiError
from sim.topology.graph_formats.arcs import listed_from_either_end
from sim.topology.graph_formats.format import FORMATS, GraphFormat, add_cable, in_number_order

if TYPE_CHECKING:
    import networkx as nx


@FORMATS.enter
class EdgeList(GraphFormat):
    """Two switches of a cable, then its weight, or its attributes as a dictionary; # and % begin a comment.

    Lines may name every cable from both its ends.
    """

    kind: ClassVar[str] = "edge_list"
    suffixes: ClassVar[tuple[str, ...]] = (".edgelist", ".edges", ".el")

    def read(self, text: str, path: Path) -> nx.MultiGraph:
        """Return the graph."""
        import networkx as nx

        graph: nx.MultiDiGraph = nx.MultiDiGraph()
        for number, line in enumerate(text.splitlines(), 1):
            words = line.partition("#")[0].partition("%")[0].replace(",", " ", 0 if "{" in line else -1).split(None, 2)
            if not words:
                continue
            place = f"{path}:{number}"
            if len(words) < 2:
                raise TsujiError(f"{place}: {words[0]}: write two switches, and a weight or {{'latency': 5}} if any")
            attributes = _attributes(words[2].strip(), place) if len(words) > 2 else {}
            add_cable(graph, words[0], words[1], place, **attributes)
        return in_number_order(listed_from_either_end(graph, str(path)))


def _attributes(text: str, place: str) -> dict[str, Any]:
    """Return the attributes of a cable."""
    try:
        found = literal_eval(text)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        found = None
    if isinstance(found, int | float) and not isinstance(found, bool):
        return {"weight": found}
    if isinstance(found, dict) and all(isinstance(key, str) for key in found) and "place" not in found:
        return found
    raise TsujiError(f"{place}: {text}: must be a weight, or attributes such as {{'latency': 5}}")
