"""Link lists of ns-3 in the form of HPCC, which ASTRA-sim and SimAI use too.

First line: numbers of vertices, of switches and of links (SimAI: vertices, GPUs per server, NVLink switches, switches,
links, and the GPU's name). Then the numbers of the switches, and one link per line: source, destination, bandwidth,
delay and error rate. Vertices that are no switches are hosts. A link is a cable, unless every link is listed from both
its ends, as for HTSim.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from models.errors import TsujiError
from sim.topology.graph_formats.arcs import listed_from_either_end
from sim.topology.graph_formats.format import FORMATS, GraphFormat, add_cable, add_switch
from sim.topology.units import bits_per_second, nanoseconds, number_of

if TYPE_CHECKING:
    import networkx as nx

MOST_VERTICES = 1 << 20


@FORMATS.enter
class Ns3(GraphFormat):
    """A link list as above; # begins a comment, and lines after the last link are left out."""

    kind: ClassVar[str] = "ns3"
    suffixes: ClassVar[tuple[str, ...]] = (".ns3",)

    def read(self, text: str, path: Path) -> nx.MultiGraph:
        """Return the graph."""
        import networkx as nx

        lines = [
            (f"{path}:{number}", words)
            for number, line in enumerate(text.splitlines(), 1)
            if (words := line.partition("#")[0].split())
        ]
        if not lines:
            raise TsujiError(f"{path}:1: no line with the numbers of vertices, switches and links")
        (place, header), *lines = lines
        vertices, switches, links = _sizes(header, place)
        numbers: list[int] = []
        while len(numbers) < switches:
            if not lines:
                raise TsujiError(f"{place}: {switches} switches, but the file names {len(numbers)}")
            at, words = lines.pop(0)
            numbers += [_vertex(word, vertices, at) for word in words]
            if len(numbers) > switches:
                raise TsujiError(f"{at}: {len(numbers)} numbers of switches; must be {switches}, as {place} says")
        named = set(numbers)
        graph: nx.MultiDiGraph = nx.MultiDiGraph()
        for vertex in range(vertices):
            add_switch(graph, vertex, place, type="switch" if vertex in named else "host")
        if len(lines) < links:
            last = lines[-1][0] if lines else place
            raise TsujiError(f"{last}: {len(lines)} links; must be {links}, as {place} says")
        if lines[links:]:
            warnings.warn(
                f"{lines[links][0]}: this line and those after it are left out, as {place} says {links} links",
                stacklevel=2,
            )
        for at, words in lines[:links]:
            _link(graph, words, vertices, at)
        return listed_from_either_end(graph, str(path))


def _sizes(header: list[str], place: str) -> tuple[int, int, int]:
    """Return the numbers of vertices, switches and links."""
    numbers = [int(word) if word.isascii() and word.isdigit() and len(word) < 10 else None for word in header]
    if len(header) == 3 and None not in numbers:
        vertices, switches, links = (number or 0 for number in numbers)
    elif len(header) in (5, 6) and None not in numbers[:5]:
        vertices, _, servers, others, links = (number or 0 for number in numbers[:5])
        switches = servers + others
    else:
        raise TsujiError(
            f"{place}: {' '.join(header)}: must be the numbers of vertices, of switches and of links; or SimAI's five "
            "numbers and GPU"
        )
    if not switches <= vertices <= MOST_VERTICES:
        raise TsujiError(f"{place}: {vertices} vertices, {switches} of them switches; at most {MOST_VERTICES}")
    return vertices, switches, links


def _vertex(word: str, vertices: int, place: str) -> int:
    """Return the number of a vertex."""
    if not (word.isascii() and word.isdigit()) or len(word) > 9 or int(word) >= vertices:
        raise TsujiError(f"{place}: {word}: must be the number of a vertex, 0 to {vertices - 1}")
    return int(word)


def _link(graph: nx.MultiDiGraph, words: list[str], vertices: int, place: str) -> None:
    """Add a link."""
    if not 4 <= len(words) <= 5:
        raise TsujiError(
            f"{place}: {' '.join(words)}: must be source, destination, bandwidth, delay and error rate of a link"
        )
    ends = [_vertex(word, vertices, place) for word in words[:2]]
    if bits_per_second(words[2]) is None:
        raise TsujiError(f"{place}: {words[2]}: must be a bandwidth with its unit, such as 400Gbps")
    if nanoseconds(words[3]) is None:
        raise TsujiError(f"{place}: {words[3]}: must be a delay with its unit, such as 0.0005ms")
    errors: dict[str, Any] = {"error_rate": words[4]} if words[4:] and number_of(words[4]) != 0 else {}
    add_cable(graph, ends[0], ends[1], place, bandwidth=words[2], delay=words[3], **errors)
