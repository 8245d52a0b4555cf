"""Dimension order as data: the model's own rule, evaluated for every node.

The rule is `models.route.dimension_order`; that of hypercubes is `models.node.plane_selector`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from models.errors import TsujiError
from models.jit.compiled import compiled
from models.route.dimension_order import BY_PARITY, dimension_order_route
from sim.routing.base import ALGORITHMS, Algorithm, Int8, Tables
from sim.topology.base import Topology
from sim.topology.coordinates import CoordinateTopology
from sim.topology.hyper_crossbar import HyperCrossbar
from sim.topology.hypercube import Hypercube
from sim.topology.hyperx import HyperX
from sim.topology.torus import Grid

Ties = Literal["parity", "random"]


@compiled
def _fill(
    coordinates: np.ndarray,
    node_switch: np.ndarray,
    node_local: np.ndarray,
    radix: np.ndarray,
    wrap: int,
    fixed: bool,
    vcs: int,
    paths: int,
    out: np.ndarray,
    vc_first: np.ndarray,
    vc_last: np.ndarray,
) -> None:
    """Write the choice of every switch for every address; shapes as in `Tables`. With one path, ties go by parity."""
    for switch in range(out.shape[0]):
        for column in range(out.shape[1]):
            node = column // paths
            there = coordinates[node_switch[node]]
            ties = column % paths if paths > 1 else BY_PARITY
            route = dimension_order_route(there, node_local[node], coordinates[switch], radix, wrap, fixed, vcs, ties)
            out[switch, column] = route[0]
            vc_first[switch, column] = route[1]
            vc_last[switch, column] = route[2]


@ALGORITHMS.enter
class DimensionOrder(Algorithm):
    """Correct the lowest dimension first; on rings of 4 or more, two VC classes with a dateline at the wrap-around.

    The rule is that of microarchitecture.md, section 5; on a hypercube, of section 14.

    Parameters
    ----------
    ties : {"parity", "random"}
        Direction of packets that go half-way round an even ring of a torus: + from even and − from odd places; or drawn
        by the source for each even dimension (BookSim2's dim_order). A node then has one address per outcome.
    """

    kind: ClassVar[str] = "dimension_order"
    ties: Ties = "parity"

    @property
    def drawn_by(self) -> str:
        """The setting that draws ties."""
        return 'routing.ties = "random"' if self.ties == "random" else ""

    def addresses_per_node(self, topology: Topology) -> int:
        """Return the number of outcomes of all draws."""
        return 1 << even_rings(topology) if self.ties == "random" else 1

    @property
    def computed_by(self) -> tuple[str, ...]:
        """All computed routes that go by dimension."""
        return "dimension_order", "hyper_crossbar", "hypercube", "hyperx"

    def computed_params(self, topology: Topology) -> dict[str, object]:
        """Return the parameter for ties of switches that compute routes.

        Raises
        ------
        TsujiError
            If ties are to be drawn on a topology without any.
        """
        self._check_ties(topology)
        return {"ties": self.ties}

    def _check_ties(self, topology: Topology) -> None:
        if self.ties == "parity":
            return
        if not even_rings(topology):
            raise TsujiError(
                f'routing.ties = "random": {topology.name} has no rings of an even number of switches; leave it out'
            )

    def check(self, topology: Topology, vcs: int) -> None:
        """Refuse topologies without coordinates, and rings with too few VCs.

        Raises
        ------
        TsujiError
            If the topology has no coordinates to correct, a ring has too few VCs, or ties are to be drawn on a topology
            without any.
        """
        self._check_ties(topology)
        if not isinstance(topology, CoordinateTopology | HyperX):
            raise TsujiError(
                f'routing.kind = "dimension_order": {topology.name} is no torus, mesh, hyper-crossbar, hypercube or '
                'HyperX; use "minimal" or "up_down"'
            )
        if isinstance(topology, Grid) and vcs < 2 and topology.longest_ring > 3:
            raise TsujiError(
                f"switch.vcs = {vcs}: a torus with a ring of 4 or more switches needs at least 2, or packets can "
                'wait for each other all round it; routing.kind = "minimal" with routing.vc_classes = "none" shows how'
            )

    def tables(self, topology: Topology, vcs: int) -> Tables:
        """Return the routes for a torus, a mesh, a hyper-crossbar, a hypercube or a HyperX.

        Raises
        ------
        TsujiError
            If there are too many routes, outcomes of ties included.
        """
        self.check(topology, vcs)
        self.check_size(topology)
        if isinstance(topology, Hypercube):
            return _on_hypercube(topology, vcs)
        if isinstance(topology, HyperCrossbar):
            return _on_hyper_crossbar(topology, vcs)
        if isinstance(topology, HyperX):
            return _on_hyperx(topology, vcs)
        assert isinstance(topology, Grid)
        return _on_grid(topology, False, vcs, self.ties)


def even_rings(topology: Topology) -> int:
    """Return the dimensions in which destinations can be half a ring away."""
    if not isinstance(topology, Grid):
        return 0
    return sum(ring and k % 2 == 0 for k, ring in zip(topology.radix, topology.rings, strict=True))


def with_fixed_classes(topology: Grid, vcs: int, ties: Ties = "parity") -> Tables:
    """Return the routes of switches with ring_classes = "fixed": a packet keeps its VCs while it stays on a ring."""
    rings = (np.array(topology.radix) > 3) & topology.rings
    return replace(_on_grid(topology, True, vcs, ties), kept=np.flatnonzero(np.repeat(rings, 2)))


def _on_grid(topology: Grid, fixed: bool, vcs: int, ties: Ties = "parity") -> Tables:
    """Return the routes on a torus or mesh."""
    paths = 1 << even_rings(topology) if ties == "random" else 1
    shape = topology.switches, topology.nodes * paths
    out, vc_first, vc_last = (np.empty(shape, np.int8) for _ in range(3))
    _fill(
        topology.coordinates,
        topology.node_switch,
        topology.node_port - 2 * len(topology.radix),
        np.array(topology.radix, np.int64),
        sum(1 << d for d, ring in enumerate(topology.rings) if ring),
        fixed,
        vcs,
        paths,
        out,
        vc_first,
        vc_last,
    )
    return Tables(out, vc_first, vc_last, np.ones(shape, np.bool_), paths=paths)


def _on_hyper_crossbar(topology: HyperCrossbar, vcs: int) -> Tables:
    """Return the routes of exchangers, lowest dimension first, and of crossbars; all VCs are allowed."""
    shape = topology.switches, topology.nodes
    destination = topology.coordinates[topology.node_switch]
    out = np.broadcast_to(topology.node_port, shape).astype(np.int8)
    for d in reversed(range(len(topology.radix))):
        out[topology.coordinates[:, d, None] != destination[:, d]] = d
    for d in range(len(topology.radix)):
        out[topology.crossbar == d] = destination[:, d]
    ranges = np.zeros(shape, np.int8), np.full(shape, vcs - 1, np.int8)
    return Tables(out, *ranges, np.ones(shape, np.bool_))


def highest_first(topology: Grid | HyperX) -> Int8:
    """Return the outputs [S, N] on a mesh or HyperX that correct the highest dimension first."""
    if isinstance(topology, HyperX):
        return _hyperx_outputs(topology, range(len(topology.radix)))
    last = len(topology.radix) - 1
    turned = replace(topology, coordinates=topology.coordinates[:, ::-1], radix=topology.radix[::-1])
    out = _on_grid(turned, False, 1).out
    return np.where(out <= 2 * last + 1, 2 * last - out + 2 * (out % 2), out).astype(np.int8)


def _on_hyperx(topology: HyperX, vcs: int) -> Tables:
    """Return the routes: one link per dimension, lowest first; all VCs are allowed."""
    out = _hyperx_outputs(topology, reversed(range(len(topology.radix))))
    ranges = np.zeros(out.shape, np.int8), np.full(out.shape, vcs - 1, np.int8)
    return Tables(out, *ranges, np.ones(out.shape, np.bool_))


def _hyperx_outputs(topology: HyperX, least_urgent: Iterable[int]) -> Int8:
    """Return the outputs [S, N], given dimensions from the last to be corrected; nodes take parallel cables in turn."""
    out = np.broadcast_to(topology.node_port, (topology.switches, topology.nodes)).astype(np.int8)
    for d in least_urgent:
        # Ports and sizes of dimensions fit a byte, and there may be a billion routes.
        here = topology.coordinates[:, d, None].astype(np.int8)
        there = topology.coordinates[topology.node_switch, d].astype(np.int8)
        copies = topology.multiplicity[d]
        order = np.argsort(there, kind="stable")
        turn = np.empty_like(order)  # number of each node among those with its coordinate
        turn[order] = np.arange(topology.nodes) - np.searchsorted(there[order], there[order])
        port = (there - (there > here)) * np.int8(copies) + (topology.first_port[d] + turn % copies).astype(np.int8)
        out = np.where(here == there, out, port)
    return out


def _on_hypercube(topology: Hypercube, vcs: int) -> Tables:
    """Return the routes: the link of the lowest generator of the route value; all VCs are allowed.

    The rest of a route value after that link is the route value of the remaining path, so packets take links in
    increasing order, and dependencies have no cycle.
    """
    shape = topology.switches, topology.nodes
    lowest = (topology.route_values[:, None] >> np.arange(len(topology.generators)) & 1).argmax(axis=1)
    difference = np.arange(topology.switches)[:, None] ^ topology.node_switch
    out = np.where(difference == 0, topology.node_port, lowest[difference]).astype(np.int8)
    ranges = np.zeros(shape, np.int8), np.full(shape, vcs - 1, np.int8)
    return Tables(out, *ranges, np.ones(shape, np.bool_))
