"""Hypercube in any coordinates (paper D): switch x is wired to x ⊕ h for each generator h.

Generators that are a basis of GF(2)^n make a hypercube, one more makes it folded; the unit basis 1, 2, 4, … makes the
ordinary one. Port k of a switch leads to port k of its neighbour across generator k; the nodes' ports come after.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from operator import xor
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from models.node.plane_selector import plane_tables, route_value
from models.params.planes import MAX_ADDRESS_BITS, PlaneParams, check_generators
from sim.topology.base import NOBODY, Int64, Topology
from sim.topology.cables import CabledFamily, grid_places
from sim.topology.coordinates import CoordinateTopology
from sim.topology.family import FAMILIES


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Hypercube(CoordinateTopology):
    """A hypercube, plain or folded.

    Its coordinates are the bits of a switch's number. Routes are computed from coordinates in the basis of generators,
    in which every hypercube is an ordinary one.

    Parameters
    ----------
    plane : PlaneParams
        Parameters of a single plane, with its generators.
    """

    routing: ClassVar[str] = "hypercube"
    ordered: ClassVar[bool] = True
    plane: PlaneParams

    @property
    def own_coordinates(self) -> Int64:
        """Generators of the basis on the path from switch 0 to each switch [S, dimensions]: 1 if taken."""
        ways = np.bitwise_xor.reduce(np.where(self.coordinates, self.plane.inverse(0), 0), axis=1)
        taken: Int64 = ways[:, None] >> np.arange(self.plane.bits) & 1
        return taken

    @property
    def computed_params(self) -> dict[str, object]:
        """Parameters that the topology sets for a switch that computes routes."""
        return {**super().computed_params, "fold": self.plane.fold(0) or None}

    @property
    def generators(self) -> tuple[int, ...]:
        """The generators, one per port."""
        return self.plane.generators(0)

    @cached_property
    def route_values(self) -> Int64:
        """Shortest path between switches by the XOR of their numbers [S]: bit k for the link of generator k."""
        tables = plane_tables(self.plane)
        values = np.array([route_value(difference, 0, tables) for difference in range(self.switches)], np.int64)
        values.flags.writeable = False
        return values


@FAMILIES.enter
class HypercubeFamily(CabledFamily):
    """n-dimensional hypercube, also folded, also in other coordinates.

    Parameters
    ----------
    dimensions : int
        Bits n of a switch's number; 2^n switches.
    generators : tuple of int
        n generators that are a basis of GF(2)^n, or one more for a folded hypercube; empty: 1, 2, 4, ….
    folded : bool
        Adds the generator that is the sum of all others: a link from each switch to the farthest one.
    locals : int
        Nodes per switch.
    """

    kind: ClassVar[str] = "hypercube"
    dimensions: Annotated[int, Field(ge=1, le=MAX_ADDRESS_BITS)] = 6
    generators: tuple[int, ...] = ()
    folded: bool = False
    locals: Annotated[int, Field(ge=1, le=60)] = 1

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.generators:
            check_generators("generators", self.generators, "dimensions", self.dimensions)
        if self.folded and self.dimensions == 1:
            raise ValueError("folded = true: dimensions = 1 has no link to add; use 2 or more")
        if self.folded and len(self.generators) > self.dimensions:
            raise ValueError(
                f"folded = true: generators = {list(self.generators)} are folded already; leave out the last, or folded"
            )
        return self

    @property
    def all_generators(self) -> tuple[int, ...]:
        """The generators, one per port."""
        basis = self.generators or tuple(1 << bit for bit in range(self.dimensions))
        return (*basis, reduce(xor, basis)) if self.folded else basis

    @property
    def cables(self) -> tuple[str, ...]:
        """Kinds of cables: one per generator."""
        return tuple(f"generator {generator}" for generator in self.all_generators)

    def places(self, topology: Topology) -> NDArray[np.float64]:
        """Return a floor; bits of the switch's number run alternately along rows and columns."""
        return grid_places(topology.coordinates, (2,) * self.dimensions, folded=(False,) * self.dimensions)

    def build(self) -> Hypercube:
        """Return the network."""
        cube = hypercube(self.dimensions, self.all_generators, self.locals)
        return self.cabled(cube, np.arange(cube.ports))


def hypercube(dimensions: int, generators: tuple[int, ...] = (), local_ports: int = 1) -> Hypercube:
    """Return a hypercube.

    Parameters
    ----------
    dimensions : int
        Bits n of a switch's number.
    generators : tuple of int
        n generators, or n + 1 if folded; empty: the unit basis.
    local_ports : int
        Nodes per switch.
    """
    plane = PlaneParams(bits=dimensions, planes=(generators,))
    steps = plane.generators(0)
    switches, degree = 1 << dimensions, len(steps)
    number = np.arange(switches)
    local = np.full((switches, local_ports), NOBODY, np.int64)
    port = np.broadcast_to(np.arange(degree), (switches, degree))
    nodes = np.arange(switches * local_ports)
    # The eigenvalues of a Cayley graph of GF(2)^n bound its bisection, and a cut across one coordinate meets the bound:
    # one link per switch, and a second one if the last generator crosses every coordinate.
    crossing = 2 if plane.fold(0) == switches - 1 else 1
    return Hypercube(
        name=_name(plane),
        peer_switch=np.hstack((number[:, None] ^ np.array(steps), local)),
        peer_port=np.hstack((port, local)),
        node_switch=nodes // local_ports,
        node_port=degree + nodes % local_ports,
        addresses=nodes,
        coordinates=number[:, None] >> np.arange(dimensions) & 1,
        symmetric=True,
        bisection_channels=crossing * switches,
        radix=(2,) * dimensions,
        first_local=degree,
        plane=plane,
    )


def _name(plane: PlaneParams) -> str:
    generators = plane.generators(0)
    folded = "folded " if plane.fold(0) else ""
    ordinary = generators[: plane.bits] == tuple(1 << bit for bit in range(plane.bits))
    if ordinary and plane.fold(0) in (0, (1 << plane.bits) - 1):
        return f"{folded}{plane.bits}-cube"
    return f"{folded}{plane.bits}-cube of generators {', '.join(map(str, generators))}"
