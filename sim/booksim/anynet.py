"""BookSim2's anynet: a network that a file describes, and its routes.

One line per router or node: `router 0 node 0 node 1 router 1 15` wires router 0 to two nodes and, by a link of 15
cycles, to router 1 (anynet.cpp of https://github.com/booksim/booksim2).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

import numpy as np

from models.errors import TsujiError
from models.params.parts import MAX_PORTS
from sim.booksim.settings import Settings
from sim.routing.base import Tables
from sim.topology.base import NOBODY, Topology

MOST_CYCLES = 1023
MOST_NODES = 60
KINDS = ("router", "node")
_NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass
class AnyNet:
    """Routers, nodes and links of an anynet file.

    Attributes
    ----------
    cycles : dict
        (router, router) → cycles of the link in that direction.
    places : dict
        (router, router) → "file:line" that defines the link.
    router : dict
        Node → its router.
    routers : set
        All routers.
    node_cycles : dict
        Node → cycles of its channels, where a line gives them.
    notes : tuple of str
        Where BookSim2 reads the file in another way.
    """

    cycles: dict[tuple[int, int], int] = field(default_factory=dict)
    places: dict[tuple[int, int], str] = field(default_factory=dict)
    router: dict[int, int] = field(default_factory=dict)
    routers: set[int] = field(default_factory=set)
    node_cycles: dict[int, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def shortest(self) -> int:
        """Cycles of the shortest link."""
        return min(self.cycles.values())

    @property
    def reached(self) -> set[int]:
        """Routers reachable from router 0."""
        hops = self.first_hops(0)
        return {0, *np.flatnonzero(hops != 0).tolist()}

    @property
    def topology(self) -> dict[str, Any]:
        """Our section [topology]; latencies are relative to the shortest link."""
        edges = [[*pair, cycles - self.shortest, 1] for pair, cycles in self.cycles.items() if pair[0] < pair[1]]
        at = list(self.router.values())
        return {"kind": "graph", "edges": edges, "populations": [at.count(router) for router in sorted(self.routers)]}

    @property
    def order(self) -> tuple[int, ...]:
        """Our node number of each of the file's nodes: ours are numbered by switch."""
        ours = sorted(self.router, key=lambda node: (self.router[node], node))
        return tuple(np.argsort(ours).tolist())

    def routes(self, topology: Topology, vcs: int) -> Tables:
        """Return the routes of fewest cycles; of equal ones that whose last router before the tie was reached first."""
        hops = np.stack([self.first_hops(router) for router in range(topology.switches)])
        port = np.zeros((topology.switches, topology.switches), np.int64)
        switch, at = np.nonzero(topology.peer_switch != NOBODY)
        port[switch, topology.peer_switch[switch, at]] = at
        ends = topology.node_switch
        out = port[np.arange(topology.switches)[:, None], hops[:, ends]]
        out = np.where(ends == np.arange(topology.switches)[:, None], topology.node_port, out).astype(np.int8)
        first, last = np.zeros(out.shape, np.int8), np.full(out.shape, vcs - 1, np.int8)
        return Tables(out, first, last, np.ones(out.shape, np.bool_))

    def first_hops(self, start: int) -> np.ndarray:
        """Return the first hop to each router (Dijkstra; of equally near routers the lowest first)."""
        near: list[list[int]] = [[] for _ in self.routers]
        for one, other in sorted(self.cycles):
            near[one].append(other)
        hop = np.full(len(near), start)
        distance = {start: 0}
        settled: set[int] = set()
        heap = [(0, start)]
        while heap:
            so_far, router = heappop(heap)
            if router in settled:
                continue
            settled.add(router)
            for other in near[router]:
                total = so_far + self.cycles[router, other]
                if other not in distance or total < distance[other]:
                    distance[other] = total
                    hop[other] = other if router == start else hop[router]
                    heappush(heap, (total, other))
        return hop


def read(given: Settings) -> AnyNet:
    """Return the network of the file that network_file names: from the working directory, or beside the configuration.

    Raises
    ------
    TsujiError
        If the file describes no network, or one that is not supported here; the message names file and line.
    """
    path = locate(given)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise given.refuse("network_file", f"cannot be read: {reason}") from error
    found = AnyNet()
    for number, line in enumerate(lines, 1):
        if line.strip():
            _line(found, line.split(), f"{path}:{number}")
    _check(found, str(path))
    return found


def locate(given: Settings) -> Path:
    """Return the file that network_file names.

    Raises
    ------
    TsujiError
        If it names none.
    """
    name = given.word("network_file")
    if not name:
        raise given.refuse("network_file", "must name a file, with topology = anynet")
    beside = Path(given.given["network_file"].place.rpartition(":")[0]).parent / name
    return Path(name) if Path(name).exists() or not beside.exists() else beside


def _line(found: AnyNet, words: list[str], place: str) -> None:
    """Enter the router or node of a line."""
    ends = list(_ends(words, place))
    (head, number, weight), *others = ends
    if weight is not None or not (others or head == "router"):
        raise TsujiError(f"{place}: {' '.join(words)}: must be router or node, its number, and what it is wired to")
    if head == "router":
        found.routers.add(number)
    for kind, other, cycles in others:
        if kind == "node" and head == "node":
            raise TsujiError(f"{place}: node {number} node {other}: a node is wired to a router")
        if kind == head:
            _link(found, number, other, cycles, place)
            continue
        node, router = (number, other) if head == "node" else (other, number)
        if cycles is not None:
            _check_cycles(cycles, f"{place}: node {node}")
            found.node_cycles[node] = cycles
            if head == "router" or node != router:
                found.notes += (
                    f"{place}: node {node} {cycles}: taken as the cycles of node {node}; BookSim2 takes {cycles} for a "
                    f"link of {head} {number} to {kind} {other} by the numbers alone, so that its network is another",
                )
        if found.router.setdefault(node, router) != router:
            raise TsujiError(f"{place}: node {node}: wired to router {router} and router {found.router[node]}")
        found.routers.add(router)


def _link(found: AnyNet, one: int, other: int, cycles: int | None, place: str) -> None:
    """Enter a link; the reverse direction takes 1 cycle unless another line sets it."""
    if one == other:
        raise TsujiError(f"{place}: router {one}: a link to itself")
    if cycles is not None:
        _check_cycles(cycles, f"{place}: router {one} router {other}")
    found.routers.add(other)
    found.cycles[one, other] = cycles or 1
    found.places[one, other] = place
    found.cycles.setdefault((other, one), 1)
    found.places.setdefault((other, one), place)


def _check_cycles(cycles: int, place: str) -> None:
    if not 1 <= cycles <= MOST_CYCLES:
        raise TsujiError(f"{place} {cycles}: must be 1 to {MOST_CYCLES} cycles")


def _ends(words: list[str], place: str) -> Iterator[tuple[str, int, int | None]]:
    """Yield kind and number of each router and node on a line, with the weight that follows it."""
    at = 0
    while at < len(words):
        kind, number, weight = words[at], words[at + 1] if at + 1 < len(words) else "", None
        if kind not in KINDS or not _NUMBER.fullmatch(number):
            raise TsujiError(f"{place}: {kind} {number}: must be router or node, and its number")
        at += 2
        if at < len(words) and words[at] not in KINDS:
            if not _NUMBER.fullmatch(words[at]):
                raise TsujiError(f"{place}: {words[at]}: must be router, node or the cycles of a link")
            weight = int(words[at])
            at += 1
        yield kind, int(number), weight


def _check(found: AnyNet, path: str) -> None:
    """Refuse what is no network."""
    for name, numbers in (("router", found.routers), ("node", set(found.router))):
        missing = set(range(len(numbers))) - numbers
        if missing or not numbers:
            raise TsujiError(f"{path}: {name} {min(missing, default=0)} is missing; they are numbered from 0")
    apart = found.routers - found.reached
    if apart:
        raise TsujiError(f"{path}: router {min(apart)}: no way from router 0")


def check_for_our_switches(found: AnyNet, path: str) -> None:
    """Refuse a network that cannot be built of our switches.

    Raises
    ------
    TsujiError
        If it has links whose directions differ, long channels to nodes, or a router that is too small or too large.
    """
    for (one, other), cycles in found.cycles.items():
        if found.cycles[other, one] != cycles:
            raise TsujiError(
                f"{found.places[one, other]}: router {one} to router {other} takes {cycles} cycles, the way back "
                f"{found.cycles[other, one]}: both must be alike on our own switch; BookSim2 takes a weight for one way"
            )
    for node, cycles in found.node_cycles.items():
        if cycles != 1:
            raise TsujiError(f"{path}: node {node}: {cycles} cycles to its router; must be 1 on our own switch")
    if not found.cycles:
        raise TsujiError(f"{path}: no two routers are wired; must be at least 2 on our own switch")
    links, nodes = Counter(one for one, _ in found.cycles), Counter(found.router.values())
    for router in found.routers:
        if nodes[router] > MOST_NODES or links[router] + nodes[router] > MAX_PORTS:
            raise TsujiError(
                f"{path}: router {router}: {links[router]} links and {nodes[router]} nodes; at most {MOST_NODES} "
                f"nodes, and {MAX_PORTS} of both, on our own switch"
            )
