"""Topologies: wiring of switches, places of nodes, and figures such as the diameter."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from models.errors import TsujiError
from sim.lib.array_check import check_int, check_ints
from sim.lib.html_table import html_table
from sim.topology.distances import all_distances

Int64 = NDArray[np.int64]

NOBODY = -1

MOST_ADDRESS = (1 << 62) - 1
MOST_CYCLES = 1023  # limits of a link's attributes: `sim.topology.cables`


class Figures(NamedTuple):
    """Figures of a topology.

    Attributes
    ----------
    degree : int
        Most ports of a switch that lead to other switches.
    diameter : int
        Largest distance of two switches, links.
    mean_distance : float
        Mean distance over all ordered pairs of different nodes, links.
    bisection_channels : int or None
        Fewest one-way channels whose loss splits the switches that have nodes into two equal halves; None without a
        closed form.
    """

    degree: int
    diameter: int
    mean_distance: float
    bisection_channels: int | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Topology:
    """Switches, the links between them, and the nodes on them. Immutable.

    S switches have P ports each and serve N nodes. Unconnected ports hold -1 in every array.

    Parameters
    ----------
    name : str
        Name in titles and messages.
    peer_switch, peer_port : array [S, P]
        Switch, and its port, at the far end of each port; -1 without a switch.
    node_switch, node_port : array [N]
        Switch and port of each node; the first of its `node_ports` ports.
    addresses : array [N]
        Destination tag of each node; the node's number by default.
    coordinates : array [S, D]
        Coordinates of each switch, for routing and for pictures.
    positions : array of float [S, 2 or 3] or None
        Position of each switch on the floor, metres; None: no layout.
    bisection_channels : int or None
        As in `Figures`.
    symmetric : bool
        Whether the network looks the same from every switch, its nodes included.
    node_ports : int
        Number of ports per node, adjacent to each other.
    link_latency : array [S, P]
        Cycles of each port's link in addition to `link.latency`; 0 by default.
    link_interval : array [S, P]
        Cycles in which each port's link carries one flit, at least 1; more for a slower cable.

    Raises
    ------
    TsujiError
        If the two ends of a link disagree, a port has two users, or there is not one position per switch.
    """

    name: str
    peer_switch: Int64
    peer_port: Int64
    node_switch: Int64
    node_port: Int64
    addresses: Int64
    coordinates: Int64
    positions: NDArray[np.float64] | None = None
    bisection_channels: int | None = None
    symmetric: bool = False
    node_ports: int = 1
    link_latency: Int64 = field(default_factory=lambda: np.zeros(1, np.int64))
    link_interval: Int64 = field(default_factory=lambda: np.ones(1, np.int64))

    def __repr__(self) -> str:
        """Return name and sizes on one line."""
        return f"{type(self).__name__}({self.name}: {', '.join(f'{value} {name}' for name, value, _ in self._sizes())})"

    def _repr_html_(self) -> str:
        """Return name, sizes and figures as a table, for notebooks."""
        figures = self.figures
        more = [
            ("diameter", str(figures.diameter), "links"),
            ("mean distance", f"{figures.mean_distance:.3f}", "links, over pairs of nodes"),
        ]
        return html_table(self.name, [*self._sizes(), *more])

    def _sizes(self) -> list[tuple[str, str, str]]:
        """Return numbers of switches, nodes and cables: name, value and unit, as text."""
        return [
            ("switches", f"{self.switches:,}", f"of {self.ports} ports"),
            ("nodes", f"{self.nodes:,}", ""),
            ("cables", f"{len(self.links) // 2:,}", "two channels each"),
        ]

    def __post_init__(self) -> None:
        self._check_arrays()
        self._place()
        self._check_links()
        self._check_nodes()

    def _check_arrays(self) -> None:
        """Check shapes and ranges of all arrays, on which compiled code relies; freeze them as int64."""
        peers = np.shape(self.peer_switch)
        if len(peers) != 2 or not all(peers) or len(np.shape(self.node_switch)) != 1:
            raise TsujiError(
                f"{self.name}: peer_switch of shape {peers}, node_switch of shape {np.shape(self.node_switch)}; must "
                "be (switches, ports) and (nodes,), with a switch and a port at least"
            )
        (switches, ports), nodes = peers, len(self.node_switch)
        check_int(f"{self.name}: node_ports", self.node_ports, 1, ports)
        for each in ("link_latency", "link_interval"):
            if np.shape(getattr(self, each)) != peers:
                object.__setattr__(self, each, np.broadcast_to(getattr(self, each), peers))
        limits: dict[str, tuple[tuple[int | None, ...], int, int]] = {
            "peer_switch": (peers, NOBODY, switches - 1),
            "peer_port": (peers, NOBODY, ports - 1),
            "node_switch": ((nodes,), 0, switches - 1),
            "node_port": ((nodes,), 0, ports - self.node_ports),
            "addresses": ((nodes,), 0, MOST_ADDRESS),
            "coordinates": ((switches, None), -MOST_ADDRESS, MOST_ADDRESS),
            "link_latency": (peers, 0, MOST_CYCLES),
            "link_interval": (peers, 1, MOST_CYCLES),
        }
        for name, (shape, least, most) in limits.items():
            array = check_ints(f"{self.name}: {name}", getattr(self, name), shape, least, most)
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def _place(self) -> None:
        """Freeze the positions."""
        if self.positions is None:
            return
        positions = np.array(self.positions, np.float64)
        if positions.ndim != 2 or len(positions) != self.switches or positions.shape[1] not in (2, 3):
            raise TsujiError(
                f"{self.name}: positions of shape {positions.shape}; must be ({self.switches}, 2) or "
                f"({self.switches}, 3), metres"
            )
        positions.flags.writeable = False
        object.__setattr__(self, "positions", positions)

    def _check_links(self) -> None:
        wired = self.peer_switch != NOBODY
        here = np.argwhere(wired)
        there = self.peer_switch[wired], self.peer_port[wired]
        back = np.column_stack((self.peer_switch[there], self.peer_port[there]))
        wrong = np.flatnonzero((back != here).any(axis=1))
        if len(wrong):
            switch, port = here[wrong[0]]
            raise TsujiError(
                f"{self.name}: switch {switch} port {port} leads to switch {there[0][wrong[0]]} port "
                f"{there[1][wrong[0]]}, which leads to switch {back[wrong[0]][0]} port {back[wrong[0]][1]}"
            )
        for name, least in (("latency", 0), ("interval", 1)):
            values = getattr(self, f"link_{name}")
            wrong = np.flatnonzero((values[wired] < least) | (values[wired] != values[there]))
            if len(wrong):
                switch, port = here[wrong[0]]
                raise TsujiError(
                    f"{self.name}: the link at switch {switch} port {port} has {name} {values[switch, port]} there and "
                    f"{values[there][wrong[0]]} at its other end; both must be the same and at least {least}"
                )

    def _check_nodes(self) -> None:
        switch, port = self.local_ends
        if (self.peer_switch[switch, port] != NOBODY).any():
            raise TsujiError(f"{self.name}: a node sits on a port that leads to a switch")
        if len(np.unique(switch * self.ports + port)) != len(port):
            raise TsujiError(f"{self.name}: two nodes sit on one port")
        if len(np.unique(self.addresses)) != self.nodes:
            raise TsujiError(f"{self.name}: two nodes have one address")

    @property
    def switches(self) -> int:
        """Number of switches, S."""
        return len(self.peer_switch)

    @property
    def ports(self) -> int:
        """Ports of a switch, network and local, P."""
        return int(self.peer_switch.shape[1])

    @property
    def nodes(self) -> int:
        """Number of nodes, N."""
        return len(self.node_switch)

    @cached_property
    def port_node(self) -> Int64:
        """Node on each port [S, P]; -1 without a node."""
        array = np.full(self.peer_switch.shape, NOBODY, np.int64)
        array[self.local_ends] = np.repeat(np.arange(self.nodes), self.node_ports)
        array.flags.writeable = False
        return array

    @cached_property
    def local_ends(self) -> tuple[Int64, Int64]:
        """Switch and port of every local port of every node [N·node_ports]; by node, then port."""
        port = self.node_port[:, None] + np.arange(self.node_ports)
        return np.repeat(self.node_switch, self.node_ports), port.ravel()

    @property
    def network_ports(self) -> int:
        """Number of ports of a switch before those of nodes."""
        return int(self.node_port.min())

    @property
    def after_links(self) -> int:
        """First port such that no switch has a link at this or a later port."""
        return int(np.flatnonzero((self.peer_switch != NOBODY).any(axis=0)).max(initial=-1)) + 1

    @property
    def first_node_port(self) -> int:
        """First port of a node with several ports: after all ports that lead to switches."""
        return max(self.network_ports, self.after_links)

    @cached_property
    def links(self) -> Int64:
        """One-way channels between switches [L, 4]: switch, port, peer switch, peer port; by switch, then port."""
        wired = self.peer_switch != NOBODY
        return np.column_stack((np.argwhere(wired), self.peer_switch[wired], self.peer_port[wired]))

    def distances(self, switch: int) -> Int64:
        """Return the number of links on a shortest path from `switch` to every switch [S]; -1 without a path."""
        switch = check_int("switch", switch, 0, self.switches - 1)
        distance = np.full(self.switches, NOBODY, np.int64)
        distance[switch] = 0
        frontier, step = np.array([switch]), 0
        while len(frontier):
            step += 1
            reached = np.zeros(self.switches + 1, np.bool_)
            reached[self.peer_switch[frontier]] = True  # ports without a switch mark the last element
            frontier = np.flatnonzero(reached[:-1] & (distance == NOBODY))
            distance[frontier] = step
        return distance

    @cached_property
    def figures(self) -> Figures:
        """Degree, diameter, mean distance, bisection; searches start at every switch, in symmetric networks at one.

        Raises
        ------
        TsujiError
            If some switches cannot reach each other.
        """
        population = np.bincount(self.node_switch, minlength=self.switches)
        starts = np.arange(1 if self.symmetric else self.switches)
        found = all_distances(self.peer_switch, population, starts)
        if found.apart:
            raise TsujiError(f"{self.name}: no path from switch {found.apart[0]} to {found.apart[1]}")
        return Figures(
            degree=int((self.peer_switch != NOBODY).sum(axis=1).max()),
            diameter=found.longest,
            mean_distance=found.total * self.switches / len(starts) / max(1, self.nodes * (self.nodes - 1)),
            bisection_channels=self.bisection_channels,
        )

    def with_node_ports(self, node_ports: int) -> Self:
        """Return the same network with `node_ports` ports per node, adjacent, after all ports to switches.

        Raises
        ------
        TsujiError
            If nodes have several ports already.
        """
        if node_ports == 1:
            return self
        if self.node_ports > 1:
            raise TsujiError(
                f"switch.node_ports = {node_ports}: {self.name} needs one port per node, and has {self.node_ports}"
            )
        local = self.node_port - self.network_ports
        first = self.first_node_port
        more = np.full((self.switches, max(0, first + (int(local.max()) + 1) * node_ports - self.ports)), NOBODY)
        return replace(
            self,
            peer_switch=np.hstack((self.peer_switch, more)),
            peer_port=np.hstack((self.peer_port, more)),
            link_latency=np.hstack((self.link_latency, np.zeros_like(more))),
            link_interval=np.hstack((self.link_interval, np.ones_like(more))),
            node_port=first + local * node_ports,
            node_ports=node_ports,
        )

    def with_addresses(self, addresses: ArrayLike) -> Self:
        """Return the same network with other destination tags [N]."""
        return replace(self, addresses=check_ints(f"{self.name}: addresses", addresses, (self.nodes,), 0, MOST_ADDRESS))
