"""Rocketfuel's maps of links and weights: `a b weight`, both directions (Mahajan et al., IMW 2002)."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import networkx as nx

from models.errors import TsujiError
from sim.topology.graph_formats.format import FORMATS, GraphFormat, add_cable
from sim.topology.units import number_of


@FORMATS.enter
class Rocketfuel(GraphFormat):
    """Two routers, such as `Seattle,+WA1 Chicago,+IL4`, and the weight of the link from the first to the second.

    The links of both directions are one cable; of two weights the greater counts.
    """

    kind: ClassVar[str] = "rocketfuel"
    suffixes: ClassVar[tuple[str, ...]] = (".intra",)

    def read(self, text: str, path: Path) -> nx.MultiGraph:
        """Return the graph."""
        graph: nx.MultiGraph = nx.MultiGraph()
        for number, line in enumerate(text.splitlines(), 1):
            words = line.partition("#")[0].split()
            if not words:
                continue
            place = f"{path}:{number}"
            weight = number_of(words[-1])
            if len(words) != 3 or isinstance(weight, str) or not weight >= 0:
                raise TsujiError(f"{place}: {' '.join(words)}: must be two routers and a weight, 0 or more")
            known = graph.get_edge_data(*words[:2], key=0)
            if known is None:
                add_cable(graph, words[0], words[1], place, weight=weight)
            else:
                known["weight"] = max(known["weight"], weight)
        return graph
