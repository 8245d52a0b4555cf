"""Communicators: all methods of ranks, and the creation of further communicators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sim.mpi.buffered import Buffers
from sim.mpi.constants import PROC_NULL, UNDEFINED
from sim.mpi.errors import ProgramError
from sim.mpi.world import World, current

# The names are MPI's, as in mpi4py.
# ruff: noqa: N802

ANSWER_BYTES = 8
"""Bytes that each rank sends to the others when a communicator is split."""


class Comm(Buffers):
    """A communicator, as in mpi4py."""

    def Split(self, color: int = 0, key: int = 0) -> Comm | None:
        """Return a communicator of the ranks with the same colour, ordered by their keys; None for `UNDEFINED`."""
        found: Comm | None = self._split(color, key, Comm)
        return found

    def _split(self, color: int, key: int, kind: type[Comm], *details: Any) -> Any:
        sequence = current().sequence.get(self.number, 0)
        answers = self.allgather((color, key), bytes=ANSWER_BYTES)
        if color == UNDEFINED:
            return None
        members = [rank for _, rank in sorted((order, rank) for rank, (c, order) in enumerate(answers) if c == color)]
        shared = self.world.shared
        name = ("communicator", self.number, sequence, color)
        if name not in shared:
            shared["communicators"] = shared.get("communicators", 0) + 1
            shared[name] = kind(self.world, [self.group[rank] for rank in members], shared["communicators"], *details)
        return shared[name]

    split = Split

    def Dup(self) -> Comm:
        """Return a communicator of the same ranks."""
        duplicate: Comm = self._split(0, self.rank, Comm)
        return duplicate

    dup = Clone = Dup

    def Create_cart(
        self, dims: Sequence[int], periods: Sequence[bool] | None = None, reorder: bool = False
    ) -> Cart | None:
        """Return a communicator whose ranks have coordinates, the last varying fastest; None for surplus ranks."""
        sizes = tuple(int(size) for size in dims)
        count = math.prod(sizes)
        if min(sizes, default=1) < 1 or count > self.size:
            raise ProgramError(f"Create_cart: dims {list(sizes)} are {count} ranks: must be 1 to {self.size}")
        wraps = tuple(bool(wrap) for wrap in (periods or [False] * len(sizes)))
        if len(wraps) != len(sizes):
            raise ProgramError(f"Create_cart: {len(wraps)} periods for {len(sizes)} dims")
        color = 0 if self.rank < count else UNDEFINED
        cart: Cart | None = self._split(color, self.rank, Cart, sizes, wraps)
        return cart

    def Free(self) -> None:
        """Do nothing: there is nothing to free."""

    def Abort(self, errorcode: int = 0) -> None:
        """Abort the program.

        Raises
        ------
        ProgramError
            Always.
        """
        raise ProgramError(f"Abort({errorcode})")

    def Get_name(self) -> str:
        """Return a name."""
        return "MPI_COMM_WORLD" if self.number == 0 else f"communicator {self.number}"

    def Set_name(self, name: str) -> None:
        """Do nothing: names are not shown."""

    def Is_inter(self) -> bool:
        """Return False: there are no intercommunicators."""
        return False

    def __repr__(self) -> str:
        return f"<{self.Get_name()} of {self.size} ranks>"


class Cart(Comm):
    """Ranks with coordinates."""

    def __init__(
        self, world: World, group: Sequence[int], number: int, dims: tuple[int, ...], periods: tuple[bool, ...]
    ) -> None:
        super().__init__(world, group, number)
        self.dims = list(dims)
        self.periods = list(periods)

    @property
    def coords(self) -> list[int]:
        """Coordinates of the calling rank."""
        return self.Get_coords(self.rank)

    def Get_coords(self, rank: int) -> list[int]:
        """Return the coordinates of a rank."""
        self._check("rank", rank)
        coords = []
        for size in reversed(self.dims):
            rank, coordinate = divmod(rank, size)
            coords.append(coordinate)
        return coords[::-1]

    def Get_cart_rank(self, coords: Sequence[int]) -> int:
        """Return the rank at coordinates, which wrap in periodic dimensions."""
        rank = 0
        for coordinate, size, wraps in zip(coords, self.dims, self.periods, strict=True):
            if not wraps and not 0 <= coordinate < size:
                raise ProgramError(f"coordinates {list(coords)}: must be within {self.dims}")
            rank = rank * size + coordinate % size
        return rank

    def Shift(self, direction: int, disp: int = 1) -> tuple[int, int]:
        """Return the ranks to receive from and to send to, `disp` away in a dimension; `PROC_NULL` beyond an edge."""
        if not 0 <= direction < len(self.dims):
            raise ProgramError(f"Shift: direction = {direction}: must be from 0 to {len(self.dims) - 1}")

        def at(distance: int) -> int:
            coords = self.coords
            coords[direction] += distance
            outside = not 0 <= coords[direction] < self.dims[direction]
            return PROC_NULL if outside and not self.periods[direction] else self.Get_cart_rank(coords)

        return at(-disp), at(disp)

    def Get_topo(self) -> tuple[list[int], list[bool], list[int]]:
        """Return dimensions, periods and the coordinates of the calling rank."""
        return self.dims, self.periods, self.coords

    topo = property(Get_topo)


def compute_dims(ranks: int, dims: int | Sequence[int]) -> list[int]:
    """Return sizes of dimensions, as equal as possible, whose product is `ranks`; nonzero sizes in `dims` are kept.

    Raises
    ------
    ProgramError
        If the given sizes do not divide the number of ranks.
    """
    given = [0] * dims if isinstance(dims, int) else list(dims)
    fixed = math.prod(size for size in given if size)
    if ranks < 1 or fixed < 1 or ranks % fixed:
        raise ProgramError(f"Compute_dims: {given} do not divide {ranks} ranks")
    free = given.count(0)
    if not free and fixed != ranks:
        raise ProgramError(f"Compute_dims: {given} are {fixed} ranks, not {ranks}")
    sizes = [1] * free
    for prime in sorted(_primes(ranks // fixed), reverse=True):
        sizes[sizes.index(min(sizes))] *= prime
    left = iter(sorted(sizes, reverse=True))
    return [size or next(left) for size in given]


def _primes(number: int) -> list[int]:
    found = []
    divisor = 2
    while number > 1:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1
    return found
