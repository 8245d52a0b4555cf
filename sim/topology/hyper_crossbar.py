"""Hyper-crossbar (paper E): an exchanger at every point of a grid, a crossbar along every line of it.

Switch number: exchangers first, dimension 0 fastest; then the crossbars of dimension 0, of dimension 1, …, each in
order of the coordinates that it does not resolve. Ports of an exchanger: d leads to its crossbar of dimension d, then
the nodes' ports. Port x of a crossbar leads to the exchanger with coordinate x on its line.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from sim.topology.base import NOBODY, Int64
from sim.topology.cables import CabledFamily
from sim.topology.coordinates import CoordinateTopology
from sim.topology.family import FAMILIES
from sim.topology.torus import MAX_SWITCHES


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class HyperCrossbar(CoordinateTopology):
    """Exchangers and crossbars.

    Parameters
    ----------
    crossbar : array [S]
        Dimension of each crossbar; -1 for exchangers.
    """

    routing: ClassVar[str] = "hyper_crossbar"
    crossbar: Int64

    @property
    def exchanger_ports(self) -> int:
        """Ports of an exchanger."""
        return int(self.node_port.max()) + self.node_ports

    @property
    def first_node_port(self) -> int:
        """First port of a node: after an exchanger's ports to crossbars."""
        return self.first_local


@FAMILIES.enter
class HyperCrossbarFamily(CabledFamily):
    """n-dimensional hyper-crossbar.

    Parameters
    ----------
    radix : tuple of int
        Exchangers in each dimension, and so ports of its crossbars; [8, 8, 16] has 1,024 exchangers.
    locals : int
        Nodes per exchanger.
    """

    kind: ClassVar[str] = "hyper_crossbar"
    radix: Annotated[tuple[Annotated[int, Field(ge=2, le=62)], ...], Field(min_length=1, max_length=12)] = (8, 8)
    locals: Annotated[int, Field(ge=1, le=50)] = 1

    @model_validator(mode="after")
    def _check(self) -> Self:
        exchangers = prod(self.radix)
        switches = exchangers + sum(exchangers // size for size in self.radix)
        if switches > MAX_SWITCHES:
            raise ValueError(f"radix = {list(self.radix)}: {switches} switches; at most {MAX_SWITCHES}")
        return self

    @property
    def cables(self) -> tuple[str, ...]:
        """Kinds of cables: one per dimension."""
        return tuple(f"dimension {dimension}" for dimension in range(len(self.radix)))

    def build(self) -> HyperCrossbar:
        """Return the network."""
        network = hyper_crossbar(self.radix, self.locals)
        exchanger = network.crossbar[:, None] == NOBODY
        return self.cabled(network, np.where(exchanger, np.arange(network.ports), network.crossbar[:, None]))


def hyper_crossbar(radix: tuple[int, ...], local_ports: int = 1) -> HyperCrossbar:
    """Return a hyper-crossbar.

    Parameters
    ----------
    radix : tuple of int
        Exchangers in each dimension.
    local_ports : int
        Nodes per exchanger.
    """
    dimensions, exchangers = len(radix), prod(radix)
    place = np.column_stack(np.unravel_index(np.arange(exchangers), radix, order="F")).astype(np.int64)
    lines = [exchangers // size for size in radix]
    first = exchangers + np.concatenate(([0], np.cumsum(lines)))
    switches = int(first[-1])
    ports = max(dimensions + local_ports, *radix)
    peer_switch = np.full((switches, ports), NOBODY, np.int64)
    peer_port = np.full((switches, ports), NOBODY, np.int64)
    crossbar = np.full(switches, NOBODY, np.int64)
    coordinates = np.full((switches, dimensions), NOBODY, np.int64)
    coordinates[:exchangers] = place
    for d in range(dimensions):
        others = [other for other in range(dimensions) if other != d]
        line = np.zeros(exchangers, np.int64)
        if others:
            line = np.ravel_multi_index(tuple(place[:, others].T), [radix[o] for o in others], order="F")
        across = first[d] + line
        peer_switch[:exchangers, d] = across
        peer_port[:exchangers, d] = place[:, d]
        peer_switch[across, place[:, d]] = np.arange(exchangers)
        peer_port[across, place[:, d]] = d
        crossbar[first[d] : first[d + 1]] = d
        for other in others:
            coordinates[across, other] = place[:, other]
    nodes = exchangers * local_ports
    return HyperCrossbar(
        name=f"{'×'.join(map(str, radix))} hyper-crossbar",
        peer_switch=peer_switch,
        peer_port=peer_port,
        node_switch=np.arange(nodes) // local_ports,
        node_port=dimensions + np.arange(nodes) % local_ports,
        addresses=np.arange(nodes),
        coordinates=coordinates,
        bisection_channels=None if any(size % 2 for size in radix) else exchangers,
        radix=tuple(radix),
        first_local=dimensions,
        crossbar=crossbar,
    )
