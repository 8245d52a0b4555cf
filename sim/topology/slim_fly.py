"""Slim Fly (Besta and Hoefler, SC 2014): the graphs of McKay, Miller and Širáň, of diameter 2, near the Moore bound.

For a prime power q = 4w + δ, δ in {-1, 0, 1}, there are 2q² switches (s, a, b), s in {0, 1}, a and b in the field of q
elements. (0, x, y) and (0, x, y') are neighbours if y - y' is in X; (1, m, c) and (1, m, c') if c - c' is in X';
(0, x, y) and (1, m, c) if y = m·x + c. X and X' are powers of a primitive element ξ (Hafner, Discrete Math. 2004):

    δ      X                                                     X'
     1, 0  1, ξ², ξ⁴, …                                          ξ, ξ³, ξ⁵, …
    -1     1, ξ², …, ξ^(2w-2), ξ^(2w-1), ξ^(2w+1), …, ξ^(4w-3)   ξ, ξ³, …, ξ^(2w-1), ξ^(2w), ξ^(2w+2), …, ξ^(4w-2)

Switch number: s·q² + a·q + b. Ports: neighbours in increasing order, then nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from models.errors import TsujiError
from models.params.parts import MAX_PORTS
from sim.topology.base import Int64, Topology
from sim.topology.cables import CabledFamily, square_hall
from sim.topology.family import FAMILIES
from sim.topology.finite_field import FiniteField, prime_power
from sim.topology.wiring import wire


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SlimFly(Topology):
    """A Slim Fly; coordinates are s, a, b."""

    @property
    def across(self) -> NDArray[np.bool_]:
        """Whether the link at a port leaves its row (s, a) [S, P]; undefined at ports without a link."""
        row = self.coordinates[:, :2]
        different: NDArray[np.bool_] = (row[:, None] != row[self.peer_switch]).any(axis=2)
        return different


@FAMILIES.enter
class SlimFlyFamily(CabledFamily):
    """Slim Fly.

    Parameters
    ----------
    q : int
        Power of a prime, 3 and more; 2q² switches of degree (3q - δ) / 2.
    locals : int or None
        Nodes per switch; None: half the degree, rounded up, which balances the load.
    """

    kind: ClassVar[str] = "slim_fly"
    q: Annotated[int, Field(ge=3)] = 5
    locals: Annotated[int, Field(ge=1, le=60)] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        fit = [q for q in range(3, MAX_PORTS) if prime_power(q) and _degree(q) < MAX_PORTS]
        if self.q not in fit:
            raise ValueError(f"q = {self.q}: must be a power of a prime; allowed: {', '.join(map(str, fit))}")
        degree = _degree(self.q)
        nodes = self.locals or -(-degree // 2)
        if degree + nodes > MAX_PORTS:
            raise ValueError(
                f"locals = {nodes}: switches of {degree + nodes} ports; at most {MAX_PORTS}, so use locals ≤ "
                f"{MAX_PORTS - degree}"
            )
        return self

    @property
    def cables(self) -> tuple[str, ...]:
        """Kinds of cables: those between the q switches of one row (s, a), and all others."""
        return "row", "across"

    def places(self, topology: Topology) -> NDArray[np.float64]:
        """Return a square hall of q racks, rack a with the switches (0, a, ·) and (1, a, ·) in two rows."""
        side, rack, place = topology.coordinates.T
        hall = square_hall(self.q)[rack]
        return np.column_stack((hall[:, 0] * self.q + place, hall[:, 1] * 2 + side))

    def build(self) -> Topology:
        """Return the network."""
        network = slim_fly(self.q, self.locals)
        return self.cabled(network, network.across)


def slim_fly(q: int, local_ports: int | None = None) -> SlimFly:
    """Return a Slim Fly.

    Parameters
    ----------
    q : int
        Power of a prime, 3 and more.
    local_ports : int or None
        Nodes per switch; None: half the degree, rounded up.
    """
    power = prime_power(q)
    if power is None:
        raise TsujiError(f"topology.q = {q}: must be a power of a prime")
    field = FiniteField(*power)
    a, b, c = (index.ravel() for index in np.indices((q, q, q)))
    ends = [np.column_stack((a * q + field.sum[field.product[b, a], c], q * q + b * q + c))]
    row, place = (index.ravel() for index in np.indices((q, q)))
    for s, steps in enumerate(_generators(field, q)):
        first = s * q * q + row * q
        ends.extend(np.column_stack((first + place, first + field.sum[place, step])) for step in steps)
    cables = np.unique(np.sort(np.concatenate(ends), axis=1), axis=0)  # edges of X and X' were found from both ends
    locals_ = local_ports or -(-_degree(q) // 2)
    wiring = wire(cables, np.full(2 * q * q, locals_))
    return SlimFly(
        name=f"Slim Fly of q = {q}",
        peer_switch=wiring.peer_switch,
        peer_port=wiring.peer_port,
        node_switch=wiring.node_switch,
        node_port=wiring.node_port,
        addresses=np.arange(len(wiring.node_switch)),
        coordinates=np.column_stack(np.unravel_index(np.arange(2 * q * q), (2, q, q))),
    )


def _generators(field: FiniteField, q: int) -> tuple[Int64, Int64]:
    """Return X and X'."""
    power = field.powers[np.arange(q) % (q - 1)]  # up to ξ^(q-1) = 1, which δ = 0 needs
    if q % 4 == 3:
        half = (q - 1) // 2  # 2w - 1
        return (
            np.concatenate((power[0:half:2], power[half : q - 1 : 2])),
            np.concatenate((power[1 : half + 1 : 2], power[half + 1 : q - 1 : 2])),
        )
    return power[0 : q - 1 : 2], power[1:q:2]


def _degree(q: int) -> int:
    """Return (3q - δ) / 2."""
    return (3 * q - {0: 0, 1: 1, 3: -1}[q % 4]) // 2
