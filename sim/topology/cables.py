"""Cables of a family: cycles and bandwidth by kind of cable, and positions of switches."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from math import ceil, sqrt
from typing import Annotated, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, model_validator

from models.errors import TsujiError
from sim.topology.base import NOBODY, Int64, Topology
from sim.topology.family import Family

T = TypeVar("T", bound=Topology)


class CabledFamily(Family):
    """A family with kinds of cables, such as one per dimension.

    Parameters
    ----------
    latencies : tuple of int
        Additional cycles of each kind of cable, in the order of `cables`; empty: 0.
    intervals : tuple of int
        Cycles in which each kind of cable carries one flit; empty: 1.
    spacing : float or None
        Metres between neighbouring switches of the layout; None: no layout, and no lengths of cables.
    """

    latencies: tuple[Annotated[int, Field(ge=0, le=1023)], ...] = ()
    intervals: tuple[Annotated[int, Field(ge=1, le=1023)], ...] = ()
    spacing: Annotated[float, Field(gt=0, le=1000)] | None = None

    @property
    @abstractmethod
    def cables(self) -> tuple[str, ...]:
        """Name of each kind of cable."""

    @model_validator(mode="after")
    def _check_cables(self) -> Self:
        for name in ("latencies", "intervals"):
            given = getattr(self, name)
            if given and len(given) != len(self.cables):
                raise ValueError(
                    f"{name} = {list(given)}: must be none, or {len(self.cables)} values: {', '.join(self.cables)}"
                )
        return self

    def places(self, topology: Topology) -> NDArray[np.float64]:
        """Return the positions of switches [S, 2 or 3], in units of `spacing`: in rows of a square hall."""
        return square_hall(topology.switches)

    def cabled(self, topology: T, cable: ArrayLike) -> T:
        """Return the network with these cables.

        Parameters
        ----------
        topology : Topology
            The network, S switches of P ports.
        cable : array, broadcast to [S, P]
            Kind of cable at each port, an index into `cables`; ignored at ports without a link.
        """
        wired = topology.peer_switch != NOBODY
        kind = np.where(wired, cable, 0)
        return replace(
            topology,
            positions=None if self.spacing is None else self.spacing * self.places(topology),
            link_latency=np.where(wired, np.array(self.latencies)[kind], 0)
            if self.latencies
            else topology.link_latency,
            link_interval=np.where(wired, np.array(self.intervals)[kind], 1)
            if self.intervals
            else topology.link_interval,
        )


class Cables(NamedTuple):
    """Lengths of cables, metres. A cable is both directions of a link and runs along rows and columns.

    Attributes
    ----------
    total, mean, longest : float
        Over all cables; 0 if there are none.
    """

    total: float
    mean: float
    longest: float


def cable_lengths(topology: Topology) -> Cables:
    """Return the lengths of a network's cables.

    Raises
    ------
    TsujiError
        If the network has no layout.
    """
    if topology.positions is None:
        raise TsujiError(f"{topology.name}: no layout; set topology.spacing, the metres between neighbouring switches")
    lengths = np.abs(np.diff(topology.positions[cable_ends(topology)], axis=1)).sum(axis=(1, 2))
    return Cables(float(lengths.sum()), float(lengths.mean()) if len(lengths) else 0.0, float(lengths.max(initial=0)))


def cable_links(topology: Topology) -> Int64:
    """Return one of the two `Topology.links` of each cable [L / 2, 4]; each parallel cable has its own."""
    switch, port, peer, peer_port = topology.links.T
    cables: Int64 = topology.links[(switch < peer) | (switch == peer) & (port < peer_port)]
    return cables


def cable_ends(topology: Topology) -> Int64:
    """Return the two switches of each cable [L / 2, 2], in the order of `cable_links`."""
    return cable_links(topology)[:, [0, 2]]


def square_hall(count: int) -> NDArray[np.float64]:
    """Return `count` places [count, 2] row by row in a square: as many rows as places per row, or one less."""
    row, column = np.divmod(np.arange(count), ceil(sqrt(count)))
    return np.column_stack((column, row)).astype(np.float64)


def grid_places(coordinates: Int64, radix: tuple[int, ...], *, folded: tuple[bool, ...]) -> NDArray[np.float64]:
    """Return the places of a grid's switches on a floor [S, 2]: even dimensions along rows, odd ones along columns.

    Parameters
    ----------
    coordinates : array [S, D]
        Coordinates of each switch.
    radix : tuple of int
        Size of each dimension; the third and later ones repeat the floor of the first two, side by side.
    folded : tuple of bool
        Dimensions that are rings: folded, so that neighbours are at most two places apart.
    """
    places = np.zeros((len(coordinates), 2))
    stride = [1, 1]
    for dimension, (size, ring) in enumerate(zip(radix, folded, strict=True)):
        place = coordinates[:, dimension]
        if ring:
            place = np.where(2 * place < size, 2 * place, 2 * (size - place) - 1)
        places[:, dimension % 2] += stride[dimension % 2] * place
        stride[dimension % 2] *= size
    return places
