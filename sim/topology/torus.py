"""k-ary n-cube torus and mesh, any size in each dimension, one or more nodes per switch.

Switch number: dimension 0 runs fastest. Node number: switch · locals + local port. Ports are those of
microarchitecture.md, section 5: 2d is the + and 2d+1 the − neighbour of dimension d, then the local ports.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import prod
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from models.params.rings import longest_ring, ring_dimensions
from sim.topology.base import NOBODY, Topology
from sim.topology.cables import CabledFamily, grid_places
from sim.topology.coordinates import CoordinateTopology
from sim.topology.family import FAMILIES

MAX_SWITCHES = 1 << 17


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Grid(CoordinateTopology):
    """A torus or mesh.

    Parameters
    ----------
    wrap : bool or tuple of bool
        Torus (True) or mesh (False), or whether each dimension is a ring.
    """

    routing: ClassVar[str] = "dimension_order"
    wrap: bool | tuple[bool, ...]

    @property
    def rings(self) -> tuple[bool, ...]:
        """Whether each dimension is a ring."""
        return ring_dimensions(self.wrap, self.radix)

    @property
    def longest_ring(self) -> int:
        """Switches of the longest ring; 0 without rings."""
        return longest_ring(self.wrap, self.radix)

    @property
    def computed_params(self) -> dict[str, object]:
        """Parameters that the topology sets for a switch that computes routes."""
        return {**super().computed_params, "wrap": self.wrap}


class GridFamily(CabledFamily):
    """Parameters common to torus and mesh.

    Parameters
    ----------
    radix : tuple of int
        Switches in each dimension.
    locals : int
        Nodes per switch.
    """

    radix: Annotated[tuple[Annotated[int, Field(ge=2, le=65536)], ...], Field(min_length=1, max_length=12)] = (8, 8)
    locals: Annotated[int, Field(ge=1, le=60)] = 1

    @model_validator(mode="after")
    def _check(self) -> Self:
        if prod(self.radix) > MAX_SWITCHES:
            raise ValueError(f"radix = {list(self.radix)}: {prod(self.radix)} switches; at most {MAX_SWITCHES}")
        return self

    @property
    @abstractmethod
    def rings(self) -> tuple[bool, ...]:
        """Whether each dimension is a ring."""

    @property
    def cables(self) -> tuple[str, ...]:
        """Kinds of cables: one per dimension."""
        return tuple(f"dimension {dimension}" for dimension in range(len(self.radix)))

    def places(self, topology: Topology) -> NDArray[np.float64]:
        """Return a floor with folded rings and straight rows."""
        return grid_places(topology.coordinates, self.radix, folded=self.rings)

    def build(self) -> Grid:
        """Return the network."""
        wrap = all(self.rings) if len(set(self.rings)) == 1 else self.rings
        found = grid(self.radix, wrap=wrap, local_ports=self.locals)
        return self.cabled(found, np.arange(found.ports) // 2)


@FAMILIES.enter
class TorusFamily(GridFamily):
    """k-ary n-cube with wrap-around links, in all dimensions or in some.

    Parameters
    ----------
    radix : tuple of int
        Switches in each dimension; [8, 8] is an 8×8 torus.
    wrap : bool or tuple of bool
        Whether each dimension is a ring, one value for all or one each: Tofu's 2×3×2 groups are [false, true, false]
        (Ajima, Sumimoto, Shimizu: Tofu: A 6D Mesh/Torus Interconnect for Exascale Computers, IEEE Computer, 2009).
    locals : int
        Nodes per switch.
    """

    kind: ClassVar[str] = "torus"
    wrap: bool | tuple[bool, ...] = True

    @model_validator(mode="after")
    def _check_wrap(self) -> Self:
        if isinstance(self.wrap, tuple) and len(self.wrap) != len(self.radix):
            raise ValueError(f"wrap = {list(self.wrap)}: must be one for each of {len(self.radix)} dimensions")
        if not any(self.rings):
            raise ValueError('wrap = false: a torus without rings is kind = "mesh"')
        return self

    @property
    def rings(self) -> tuple[bool, ...]:
        """Whether each dimension is a ring."""
        return ring_dimensions(self.wrap, self.radix)


@FAMILIES.enter
class MeshFamily(GridFamily):
    """k-ary n-cube without wrap-around links: the ports at the edges are not connected.

    Parameters
    ----------
    radix : tuple of int
        Switches in each dimension; [2, 3] is a 2×3 mesh.
    locals : int
        Nodes per switch.
    """

    kind: ClassVar[str] = "mesh"

    @property
    def rings(self) -> tuple[bool, ...]:
        """Whether each dimension is a ring: none is."""
        return (False,) * len(self.radix)


def grid(radix: tuple[int, ...], *, wrap: bool | tuple[bool, ...], local_ports: int = 1) -> Grid:
    """Return a torus or mesh.

    Parameters
    ----------
    radix : tuple of int
        Switches in each dimension, at least 2 each.
    wrap : bool or tuple of bool
        Whether the last switch of a row is wired to the first, for all dimensions or for each.
    local_ports : int
        Nodes per switch.
    """
    switches = prod(radix)
    ports = 2 * len(radix) + local_ports
    number = np.arange(switches)
    coordinates = np.column_stack(np.unravel_index(number, radix, order="F")).astype(np.int64)
    peer_switch = np.full((switches, ports), NOBODY, np.int64)
    peer_port = np.full((switches, ports), NOBODY, np.int64)
    rings = ring_dimensions(wrap, radix)
    for dimension, (size, ring) in enumerate(zip(radix, rings, strict=True)):
        for port, step in ((2 * dimension, 1), (2 * dimension + 1, -1)):
            neighbour = coordinates.copy()
            neighbour[:, dimension] += step
            inside = (neighbour[:, dimension] >= 0) & (neighbour[:, dimension] < size) | ring
            neighbour[:, dimension] %= size
            peer = np.ravel_multi_index(tuple(neighbour.T), radix, order="F")
            peer_switch[inside, port] = peer[inside]
            peer_port[inside, port] = port ^ 1
    nodes = switches * local_ports
    longest = max(radix)
    kind = "torus" if all(rings) else "mesh-torus" if any(rings) else "mesh"
    cut = None if longest % 2 or kind == "mesh-torus" else (4 if all(rings) else 2) * switches // longest
    return Grid(
        name=f"{'×'.join(map(str, radix))} {kind}",
        peer_switch=peer_switch,
        peer_port=peer_port,
        node_switch=np.arange(nodes) // local_ports,
        node_port=2 * len(radix) + np.arange(nodes) % local_ports,
        addresses=np.arange(nodes),
        coordinates=coordinates,
        symmetric=all(rings),
        bisection_channels=cut,
        radix=tuple(radix),
        first_local=2 * len(radix),
        wrap=wrap,
    )
