"""What ibnetdiscover of InfiniBand prints: switches, adapters, and the cables at their ports."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from models.errors import TsujiError
from sim.topology.graph_formats.format import FORMATS, GraphFormat, add_cable, add_switch

if TYPE_CHECKING:
    import networkx as nx

LANES = {  # Gbit/s of data per lane
    "SDR": 2,
    "DDR": 4,
    "QDR": 8,
    "FDR10": 10,
    "FDR": 13.64,
    "EDR": 25,
    "HDR": 50,
    "NDR": 100,
    "XDR": 200,
}
NO_NODE = "Aggregation Node"  # of a switch that reduces inside the network

_HEADER = re.compile(r'(Switch|Ca|Rt)\s+(\d+)\s+"([^"]+)"\s*(?:#\s*"?([^"]*))?.*')
_PORT = r"\[(\d{1,5})\](?:\[ext \d+\])?(?:\(\w+\))?"
_CABLE = re.compile(rf'{_PORT}\s+"([^"]+)"{_PORT}\s*(?:#.*?)?(?:(\d{1, 5})x(\w+))?\s*')
_OTHER = re.compile(r"\w+=.*|(?:Non-)?Chassis .*|ibwarn: .*")  # settings of a node, headings, remarks


@FORMATS.enter
class IbNetDiscover(GraphFormat):
    """Switches and, as hosts, adapters and routers; width and speed of a cable are its bandwidth."""

    kind: ClassVar[str] = "ibnetdiscover"
    suffixes: ClassVar[tuple[str, ...]] = (".ibnetdiscover", ".ibnet", ".ibtopo")

    def read(self, text: str, path: Path) -> nx.MultiGraph:
        """Return the graph."""
        import networkx as nx

        graph: nx.MultiGraph = nx.MultiGraph()
        used: dict[tuple[str, int], tuple[str, int]] = {}
        here: str | None = None
        left_out = set()
        for number, raw in enumerate(text.splitlines(), 1):
            line, place = raw.strip(), f"{path}:{number}"
            if not line or line.startswith("#") or _OTHER.fullmatch(line):
                continue
            if header := _HEADER.fullmatch(line):
                kind, _, here, description = header.groups()
                add_switch(graph, here, place, type="switch" if kind == "Switch" else "host", label=description or here)
                if NO_NODE in (description or ""):
                    left_out.add(here)
            elif (cable := _CABLE.fullmatch(line)) and here is not None:
                _add(graph, used, here, cable, place)
            else:
                raise TsujiError(
                    f'{place}: {line}: no line of ibnetdiscover; must be such as Switch 36 "S-0002c9" or '
                    '[1] "H-0002ca"[1], after a switch or adapter'
                )
        graph.remove_nodes_from(left_out)
        return graph


def _add(graph: nx.MultiGraph, used: dict[Any, Any], here: str, cable: re.Match[str], place: str) -> None:
    """Add the cable of a line, unless its other end has named it."""
    one, other = (here, int(cable[1])), (cable[2], int(cable[3]))
    if used.get(one) == other:
        return
    for end, far in ((one, other), (other, one)):
        if end in used:
            raise TsujiError(
                f'{place}: port {end[1]} of "{end[0]}" is cabled to "{used[end][0]}"[{used[end][1]}] already'
            )
        used[end] = far
    if cable[2] not in graph:
        add_switch(graph, cable[2], place, type="switch" if cable[2].startswith("S-") else "host")
    speed: dict[str, Any] = {}
    if cable[4]:
        if cable[5] not in LANES:
            raise TsujiError(f"{place}: {cable[4]}x{cable[5]}: speed must be one of {', '.join(LANES)}")
        speed = {"bandwidth": int(cable[4]) * LANES[cable[5]] * 1e9}
    add_cable(graph, here, cable[2], place, **speed)
