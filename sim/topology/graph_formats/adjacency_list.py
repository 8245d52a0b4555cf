"""Adjacency lists: a switch, then its neighbours, per line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sim.topology.graph_formats.format import FORMATS, GraphFormat, add_cable, add_switch, in_number_order

if TYPE_CHECKING:
    import networkx as nx


@FORMATS.enter
class AdjacencyList(GraphFormat):
    """A switch and its neighbours, as networkx reads and writes them; # begins a comment.

    A cable may be listed at one of its ends or at both. A neighbour listed n times on one line has n parallel cables.
    """

    kind: ClassVar[str] = "adjacency_list"
    suffixes: ClassVar[tuple[str, ...]] = (".adjlist", ".adj")

    def read(self, text: str, path: Path) -> nx.MultiGraph:
        """Return the graph."""
        import networkx as nx

        graph: nx.MultiGraph = nx.MultiGraph()
        for number, line in enumerate(text.splitlines(), 1):
            here, *neighbours = line.partition("#")[0].replace(":", " ", 1).split() or [""]
            if not here:
                continue
            place = f"{path}:{number}"
            add_switch(graph, here, place)
            before = {other: graph.number_of_edges(here, other) for other in neighbours}
            met = dict.fromkeys(neighbours, 0)
            for other in neighbours:
                met[other] += 1
                if met[other] > before[other]:
                    add_cable(graph, here, other, place)
        return in_number_order(graph)
