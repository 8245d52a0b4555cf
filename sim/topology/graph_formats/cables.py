"""Text with one cable per line: `a b [latency [interval]]`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from models.errors import TsujiError
from sim.topology.cable_cycles import MAX_CYCLES
from sim.topology.graph_formats.format import FORMATS, GraphFormat, add_cable, in_number_order

if TYPE_CHECKING:
    import networkx as nx

COLUMNS = ("latency", "interval")


@FORMATS.enter
class Cables(GraphFormat):
    """Two switches of a cable, then its latency and its interval, in cycles; # begins a comment.

    Switches are in order of their numbers if all names are numbers, else in order of appearance.
    """

    kind: ClassVar[str] = "cables"

    def read(self, text: str, path: Path) -> nx.MultiGraph:
        """Return the graph."""
        import networkx as nx

        graph: nx.MultiGraph = nx.MultiGraph()
        for number, line in enumerate(text.splitlines(), 1):
            words = line.partition("#")[0].split()
            if not words:
                continue
            place = f"{path}:{number}"
            if not 2 <= len(words) <= 2 + len(COLUMNS):
                raise TsujiError(
                    f"{place}: {' '.join(words)}: write two switches, and latency and interval if any; "
                    f"topology.format names another format: {', '.join(FORMATS.names())}"
                )
            for name, word in zip(COLUMNS, words[2:], strict=False):
                if not (word.isascii() and word.isdigit() and len(word) < 10):
                    raise TsujiError(f"{place}: {name} = {word}: must be a whole number, at most {MAX_CYCLES}")
            cycles: dict[str, Any] = dict(zip(COLUMNS, map(int, words[2:]), strict=False))
            add_cable(graph, words[0], words[1], place, **cycles)
        return in_number_order(graph)
