"""k-ary n-cube torus and mesh, any size in each dimension, one or more nodes a switch.

Switch number: dimension 0 runs fastest. Node number: switch · locals + local port. Ports are those of
docs/microarchitecture.md, section 5: 2d is the + and 2d+1 the − neighbour of dimension d, then the local ports.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from sim.topology.base import NOBODY, Topology
from sim.topology.cables import CabledFamily, grid_places
from sim.topology.coordinates import CoordinateTopology
from sim.topology.family import FAMILIES

MAX_SWITCHES = 1 << 16


@dataclass(frozen=True, eq=False, kw_only=True)
class Grid(CoordinateTopology):
    """A torus or mesh.

    Parameters
    ----------
    wrap : bool
        Torus (True) or mesh (False).
    """

    routing: str = "dimension_order"
    wrap: bool

    @property
    def computed_params(self) -> dict[str, object]:
        """Parameters of a switch that computes routes, as far as they follow from the topology."""
        return {**super().computed_params, "wrap": self.wrap}


@FAMILIES.enter
class TorusFamily(CabledFamily):
    """k-ary n-cube with wrap-around links.

    Parameters
    ----------
    radix : tuple of int
        Switches in each dimension; [8, 8] is an 8×8 torus.
    locals : int
        Nodes a switch.
    """

    kind: ClassVar[str] = "torus"
    radix: Annotated[tuple[Annotated[int, Field(ge=2, le=65536)], ...], Field(min_length=1, max_length=12)] = (8, 8)
    locals: Annotated[int, Field(ge=1, le=60)] = 1

    @model_validator(mode="after")
    def _check(self) -> Self:
        if prod(self.radix) > MAX_SWITCHES:
            raise ValueError(f"radix = {list(self.radix)}: {prod(self.radix)} switches; at most {MAX_SWITCHES}")
        return self

    @property
    def cables(self) -> tuple[str, ...]:
        """One kind a dimension."""
        return tuple(f"dimension {dimension}" for dimension in range(len(self.radix)))

    def places(self, topology: Topology) -> NDArray[np.float64]:
        """Return a floor with folded rings."""
        return grid_places(topology.coordinates, self.radix, folded=True)

    def build(self) -> Grid:
        """Return the torus."""
        torus = grid(self.radix, wrap=True, local_ports=self.locals)
        return self.cabled(torus, np.arange(torus.ports) // 2)


@FAMILIES.enter
class MeshFamily(TorusFamily):
    """k-ary n-cube without wrap-around links: the ports at the edges are not connected.

    Parameters
    ----------
    radix : tuple of int
        Switches in each dimension; [2, 3] is a 2×3 mesh.
    locals : int
        Nodes a switch.
    """

    kind: ClassVar[str] = "mesh"

    def places(self, topology: Topology) -> NDArray[np.float64]:
        """Return a floor of straight rows."""
        return grid_places(topology.coordinates, self.radix, folded=False)

    def build(self) -> Grid:
        """Return the mesh."""
        mesh = grid(self.radix, wrap=False, local_ports=self.locals)
        return self.cabled(mesh, np.arange(mesh.ports) // 2)


def grid(radix: tuple[int, ...], *, wrap: bool, local_ports: int = 1) -> Grid:
    """Return a torus (`wrap`) or mesh.

    Parameters
    ----------
    radix : tuple of int
        Switches in each dimension, at least 2 each.
    wrap : bool
        Whether the last switch of a row is wired to the first.
    local_ports : int
        Nodes a switch.
    """
    switches = prod(radix)
    ports = 2 * len(radix) + local_ports
    number = np.arange(switches)
    coordinates = np.column_stack(np.unravel_index(number, radix, order="F")).astype(np.int64)
    peer_switch = np.full((switches, ports), NOBODY, np.int64)
    peer_port = np.full((switches, ports), NOBODY, np.int64)
    for dimension, size in enumerate(radix):
        for port, step in ((2 * dimension, 1), (2 * dimension + 1, -1)):
            neighbour = coordinates.copy()
            neighbour[:, dimension] += step
            inside = (neighbour[:, dimension] >= 0) & (neighbour[:, dimension] < size) | wrap
            neighbour[:, dimension] %= size
            peer = np.ravel_multi_index(tuple(neighbour.T), radix, order="F")
            peer_switch[inside, port] = peer[inside]
            peer_port[inside, port] = port ^ 1
    nodes = switches * local_ports
    longest = max(radix)
    return Grid(
        name=f"{'×'.join(map(str, radix))} {'torus' if wrap else 'mesh'}",
        peer_switch=peer_switch,
        peer_port=peer_port,
        node_switch=np.arange(nodes) // local_ports,
        node_port=2 * len(radix) + np.arange(nodes) % local_ports,
        addresses=np.arange(nodes),
        coordinates=coordinates,
        symmetric=wrap,
        bisection_channels=None if longest % 2 else (4 if wrap else 2) * switches // longest,
        radix=tuple(radix),
        first_local=2 * len(radix),
        wrap=wrap,
    )
