"""HyperX (Ahn et al., SC 2009), regular: a grid of switches, fully connected along each line of it.

One dimension is a full mesh; [k, k, …] with k nodes per switch is a flattened butterfly (Kim, Dally and Abts, ISCA
2007). Switch number: dimension 0 runs fastest; node number: switch · locals + local port. Ports: for each dimension,
for each other coordinate in increasing order, its parallel cables; then the nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from models.errors import TsujiError
from models.params.parts import MAX_PORTS
from sim.topology.base import NOBODY, Int64, Topology
from sim.topology.cables import CabledFamily, grid_places
from sim.topology.computed import ComputedTopology
from sim.topology.coordinates import bit_fields
from sim.topology.family import FAMILIES
from sim.topology.torus import MAX_SWITCHES


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class HyperX(ComputedTopology):
    """A HyperX.

    Parameters
    ----------
    radix : tuple of int
        Size of each dimension.
    multiplicity : tuple of int
        Parallel cables between two switches of a line, for each dimension.
    """

    routing: ClassVar[str] = "hyperx"
    ordered: ClassVar[bool] = True
    radix: tuple[int, ...]
    multiplicity: tuple[int, ...]

    @property
    def first_port(self) -> tuple[int, ...]:
        """First port of each dimension, and of the nodes."""
        widths = [copies * (size - 1) for copies, size in zip(self.multiplicity, self.radix, strict=True)]
        return tuple(np.cumsum([0, *widths]).tolist())

    @property
    def coordinate_tags(self) -> Int64:
        """Address of each node [N] as a bit field: dimension 0 lowest, the local port above the last."""
        local = (self.node_port - self.first_port[-1]) // self.node_ports
        return bit_fields(self.coordinates[self.node_switch], self.radix, local)

    @property
    def computed_params(self) -> dict[str, object]:
        """Parameters that the topology sets for a switch that computes routes.

        Raises
        ------
        TsujiError
            If there are parallel cables.
        """
        if max(self.multiplicity) > 1:
            raise TsujiError(
                f'topology.multiplicity = {list(self.multiplicity)}: switch.routing = "{self.routing}" knows one cable '
                'between two switches; use switch.routing = "table" or "linear"'
            )
        return {"radix": list(self.radix)}


@FAMILIES.enter
class HyperXFamily(CabledFamily):
    """HyperX, also called flattened butterfly.

    Parameters
    ----------
    radix : tuple of int
        Switches S_d in each dimension.
    multiplicity : tuple of int
        Parallel cables K_d between two switches, for each dimension; empty: 1.
    locals : int
        Nodes per switch.
    passing_latencies : tuple of int
        Additional cycles for each switch between the ends of a cable in its line, for each dimension; empty: 0.
    """

    kind: ClassVar[str] = "hyperx"
    radix: Annotated[tuple[Annotated[int, Field(ge=2, le=MAX_PORTS)], ...], Field(min_length=1, max_length=12)] = (8, 8)
    multiplicity: tuple[Annotated[int, Field(ge=1, le=MAX_PORTS)], ...] = ()
    locals: Annotated[int, Field(ge=1, le=60)] = 1
    passing_latencies: tuple[Annotated[int, Field(ge=0, le=1023)], ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.multiplicity and len(self.multiplicity) != len(self.radix):
            raise ValueError(
                f"multiplicity = {list(self.multiplicity)}: must be none, or one for each of radix = {list(self.radix)}"
            )
        if self.passing_latencies and len(self.passing_latencies) != len(self.radix):
            raise ValueError(
                f"passing_latencies = {list(self.passing_latencies)}: must be none, or one for each of radix = "
                f"{list(self.radix)}"
            )
        if prod(self.radix) > MAX_SWITCHES:
            raise ValueError(f"radix = {list(self.radix)}: {prod(self.radix)} switches; at most {MAX_SWITCHES}")
        copies = self.multiplicity or (1,) * len(self.radix)
        ports = sum(k * (size - 1) for k, size in zip(copies, self.radix, strict=True)) + self.locals
        if ports > MAX_PORTS:
            raise ValueError(f"radix = {list(self.radix)}: switches of {ports} ports; at most {MAX_PORTS}")
        return self

    @property
    def cables(self) -> tuple[str, ...]:
        """Kinds of cables: one per dimension."""
        return tuple(f"dimension {dimension}" for dimension in range(len(self.radix)))

    def places(self, topology: Topology) -> NDArray[np.float64]:
        """Return a floor of straight rows."""
        return grid_places(topology.coordinates, self.radix, folded=(False,) * len(self.radix))

    def build(self) -> HyperX:
        """Return the network."""
        network = hyperx(self.radix, self.multiplicity, self.locals)
        kind = np.searchsorted(network.first_port, np.arange(network.ports), side="right") - 1
        found = self.cabled(network, kind)
        if not self.passing_latencies:
            return found
        more = np.zeros((network.switches, network.ports), np.int64)
        for d, cycles in enumerate(self.passing_latencies):
            ports = slice(*network.first_port[d : d + 2])
            far = np.abs(network.coordinates[network.peer_switch[:, ports], d] - network.coordinates[:, d, None])
            more[:, ports] = cycles * (far - 1)
        return replace(found, link_latency=found.link_latency + more)


def hyperx(radix: tuple[int, ...], multiplicity: tuple[int, ...] = (), local_ports: int = 1) -> HyperX:
    """Return a HyperX.

    Parameters
    ----------
    radix : tuple of int
        Switches in each dimension.
    multiplicity : tuple of int
        Parallel cables in each dimension; empty: 1.
    local_ports : int
        Nodes per switch.
    """
    copies = multiplicity or (1,) * len(radix)
    switches = prod(radix)
    number = np.arange(switches)
    coordinates = np.column_stack(np.unravel_index(number, radix, order="F")).astype(np.int64)
    peer_switches, peer_ports = [], []
    first, stride = 0, 1
    for dimension, size in enumerate(radix):
        own = coordinates[:, dimension, None]
        step, copy = np.divmod(np.arange((size - 1) * copies[dimension]), copies[dimension])
        other = step + (step >= own)
        peer_switches.append(number[:, None] + (other - own) * stride)
        peer_ports.append(first + (own - (own > other)) * copies[dimension] + copy)
        first, stride = first + len(step), stride * size
    nodes = np.arange(switches * local_ports)
    local = np.full((switches, local_ports), NOBODY)
    # The least K·S is the Laplacian's second eigenvalue, which bounds the cut; a cut across an even dimension meets it.
    narrow, odd = min((k * size, size % 2) for k, size in zip(copies, radix, strict=True))
    parallel = "" if set(copies) == {1} else f" of {'×'.join(map(str, copies))} parallel cables"
    return HyperX(
        name=f"{'×'.join(map(str, radix))} HyperX{parallel}",
        peer_switch=np.hstack((*peer_switches, local)),
        peer_port=np.hstack((*peer_ports, local)),
        node_switch=nodes // local_ports,
        node_port=first + nodes % local_ports,
        addresses=nodes,
        coordinates=coordinates,
        symmetric=True,
        bisection_channels=None if odd else narrow * switches // 2,
        radix=tuple(radix),
        multiplicity=copies,
    )
