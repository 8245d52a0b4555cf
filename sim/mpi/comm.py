"""Communicators: all methods of ranks, and the creation of further communicators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NoReturn

from sim.mpi.constants import (
    CART,
    CONGRUENT,
    DIST_GRAPH,
    IDENT,
    PROC_NULL,
    SIMILAR,
    TAG_UB,
    UNDEFINED,
)
from sim.mpi.errors import MpiError, ProgramError, ValueMisusedError
from sim.mpi.group import Group
from sim.mpi.neighbours import Neighbours
from sim.mpi.nonblocking import Nonblocking
from sim.mpi.rank import current
from sim.mpi.refusal import refuse_missing
from sim.mpi.world import World

# The names are MPI's, as in mpi4py.
# ruff: noqa: N802

ANSWER_BYTES = 8
"""Bytes that each rank sends to the others when a communicator is split."""


@refuse_missing("Intracomm")
class Comm(Nonblocking):
    """A communicator, as in mpi4py."""

    is_inter = False
    is_intra = True

    def __init__(self, world: World, members: Sequence[int], number: int) -> None:
        super().__init__(world, members, number)
        self._names: dict[int, str] = {}

    def Get_group(self) -> Group:
        """Return the group of the ranks."""
        return Group(self.members)

    @property
    def group(self) -> Group:
        """Group of the ranks."""
        return self.Get_group()

    def Compare(self, comm: Comm) -> int:
        """Return `IDENT`, `CONGRUENT` for the same ranks in the same order, `SIMILAR` or `UNEQUAL`."""
        if comm is self:
            return IDENT
        return CONGRUENT if comm.members == self.members else self.group.Compare(comm.group) or SIMILAR

    def Split(self, color: int = 0, key: int = 0) -> Comm:
        """Return a communicator of the ranks of the same colour, ordered by their keys; for `UNDEFINED` `COMM_NULL`."""
        if color < 0 and color != UNDEFINED:
            raise MpiError.of("ARG", f"Split: color = {color}: must be at least 0, or UNDEFINED")
        found: Comm = self._split(color, key, Comm)
        return found

    def _split(self, color: int, key: int, kind: type[Comm], *details: Any) -> Any:
        me = current()
        sequence, sent = me.sequence.get(self.number, 0), me.sent.copy()
        answers = self.allgather((color, key), bytes=ANSWER_BYTES)
        self.world.set_up += me.sent - sent
        if color == UNDEFINED:
            return COMM_NULL
        members = [rank for _, rank in sorted((order, rank) for rank, (c, order) in enumerate(answers) if c == color)]
        return self._shared((self.number, sequence, color), [self.members[rank] for rank in members], kind, *details)

    def _shared(self, key: object, members: Sequence[int], kind: type[Comm], *details: Any) -> Any:
        """Return the communicator that all ranks give the same key; the first of them creates it."""
        shared, name = self.world.shared, ("communicator", key)
        if name not in shared:
            shared["communicators"] = shared.get("communicators", 0) + 1
            shared[name] = kind(self.world, members, shared["communicators"], *details)
        return shared[name]

    split = Split

    def Dup(self) -> Comm:
        """Return a communicator of the same ranks."""
        duplicate: Comm = self._split(0, self.rank, *self._kind())
        return duplicate

    dup = Clone = Dup

    def _kind(self) -> tuple[Any, ...]:
        """Return the class, and its further arguments, of a communicator like this one."""
        return (Comm,)

    def Create(self, group: Group) -> Comm:
        """Return a communicator of a group of the ranks; `COMM_NULL` to others. All ranks call it."""
        self._check_group(group)
        within = group.rank != UNDEFINED
        found: Comm = self._split(group.members[0] if within else UNDEFINED, group.rank if within else 0, Comm)
        return found

    def Create_group(self, group: Group, tag: int = 0) -> Comm:
        """Return a communicator of a group of the ranks, which alone call it."""
        self._check_group(group)
        if group.rank == UNDEFINED:
            return COMM_NULL
        sequence = current().sequence
        calls = sequence[self.number, group.members, tag] = sequence.get((self.number, group.members, tag), 0) + 1
        found: Comm = self._shared((self.number, group.members, tag, calls), group.members, Comm)
        found.barrier()
        return found

    def _check_group(self, group: Group) -> None:
        if not set(group.members) <= set(self.members):
            raise MpiError.of("GROUP", f"{group}: has ranks that the communicator lacks")

    def Create_cart(self, dims: Sequence[int], periods: Sequence[bool] | None = None, reorder: bool = False) -> Comm:
        """Return a `Cart` of sizes `dims`, the last coordinate varying fastest; `COMM_NULL` for surplus ranks."""
        sizes = tuple(int(size) for size in dims)
        count = math.prod(sizes)
        if min(sizes, default=1) < 1 or count > self.size:
            raise MpiError.of("ARG", f"Create_cart: dims {list(sizes)} are {count} ranks: must be 1 to {self.size}")
        wraps = tuple(bool(wrap) for wrap in (periods or [False] * len(sizes)))
        if len(wraps) != len(sizes):
            raise ValueMisusedError(f"Create_cart: {len(wraps)} periods for {len(sizes)} dims")
        cart: Comm = self._split(0 if self.rank < count else UNDEFINED, self.rank, Cart, sizes, wraps)
        return cart

    def Create_dist_graph_adjacent(
        self, sources: Sequence[int], destinations: Sequence[int], *, reorder: bool = False
    ) -> Distgraph:
        """Return a communicator in which the calling rank has these neighbours: it receives from, and sends to them."""
        for rank in (*sources, *destinations):
            self._check("a neighbour", rank)
        graph: Distgraph = self._split(0, self.rank, Distgraph)
        graph.set_neighbours(sources, destinations)
        return graph

    def Get_topology(self) -> int:
        """Return `CART` for a grid, `DIST_GRAPH` for neighbours of any kind, else `UNDEFINED`."""
        return UNDEFINED

    @property
    def topology(self) -> int:
        """`CART` for a grid, `DIST_GRAPH` for neighbours of any kind, else `UNDEFINED`."""
        return self.Get_topology()

    @property
    def is_topo(self) -> bool:
        """Whether ranks have neighbours."""
        return self.topology != UNDEFINED

    def Get_attr(self, keyval: int) -> int | None:
        """Return the largest tag for `TAG_UB`; there are no other attributes."""
        return TAG_UB if keyval == TAG_UB else None

    def Free(self) -> None:
        """Do nothing: there is nothing to free."""

    free = Disconnect = Free

    def Abort(self, errorcode: int = 0) -> NoReturn:
        """Abort the program.

        Raises
        ------
        ProgramError
            Always.
        """
        raise ProgramError(f"Abort({errorcode})")

    def Get_name(self) -> str:
        """Return the name; empty unless it was set."""
        return self._names.get(current().number, "MPI_COMM_WORLD" if self.number == 0 else "")

    def Set_name(self, name: str) -> None:
        """Set the name, for the calling rank."""
        self._names[current().number] = name

    name = property(Get_name, Set_name)

    def Is_inter(self) -> bool:
        """Return False: there are no intercommunicators."""
        return False

    def Is_intra(self) -> bool:
        """Return True."""
        return True

    def __repr__(self) -> str:
        return f"<communicator {self.number} of {self.size} ranks>"


class NullComm(Comm):
    """No communicator: what ranks get that are not in a new one."""

    def __init__(self) -> None:
        """Do without ranks."""

    def __bool__(self) -> bool:
        return False

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise MpiError.of("COMM", "COMM_NULL: no communicator; this rank is not in the one that was created")

    def __repr__(self) -> str:
        return "MPI.COMM_NULL"


COMM_NULL = NullComm()


@refuse_missing("Topocomm")
class Topocomm(Neighbours, Comm):
    """Ranks with neighbours."""


@refuse_missing("Cartcomm")
class Cart(Topocomm):
    """Ranks with coordinates."""

    dims: list[int]
    periods: list[int]

    def __init__(
        self, world: World, members: Sequence[int], number: int, dims: tuple[int, ...], periods: tuple[bool, ...]
    ) -> None:
        super().__init__(world, members, number)
        self.dims = list(dims)
        self.periods = [int(wraps) for wraps in periods]

    def _kind(self) -> tuple[Any, ...]:
        return Cart, self.dims, self.periods

    def Get_topology(self) -> int:
        """Return `CART`."""
        return CART

    def Get_dim(self) -> int:
        """Return the number of dimensions."""
        return len(self.dims)

    dim = ndim = property(Get_dim)

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
        if len(coords) != len(self.dims):
            raise ValueMisusedError(f"{len(coords)} coordinates: must be {len(self.dims)}")
        rank = 0
        for coordinate, size, wraps in zip(coords, self.dims, self.periods, strict=True):
            if not wraps and not 0 <= coordinate < size:
                raise MpiError.of("ARG", f"coordinates {list(coords)}: must be within {self.dims}")
            rank = rank * size + coordinate % size
        return rank

    def Shift(self, direction: int, disp: int = 1) -> tuple[int, int]:
        """Return the ranks to receive from and to send to, `disp` away in a dimension; `PROC_NULL` beyond an edge."""
        if not 0 <= direction < len(self.dims):
            raise MpiError.of("ARG", f"Shift: direction = {direction}: must be from 0 to {len(self.dims) - 1}")

        def at(distance: int) -> int:
            coords = self.coords
            coords[direction] += distance
            outside = not 0 <= coords[direction] < self.dims[direction]
            return PROC_NULL if outside and not self.periods[direction] else self.Get_cart_rank(coords)

        return at(-disp), at(disp)

    def Sub(self, remain_dims: Sequence[bool]) -> Cart:
        """Return the grid of the remaining dimensions that has the calling rank's coordinates in the others."""
        if len(remain_dims) != len(self.dims):
            raise ValueMisusedError(f"Sub: {len(remain_dims)} of remain_dims: must be {len(self.dims)}")
        keep = [number for number, remains in enumerate(remain_dims) if remains]
        color = 0
        for number, coordinate in enumerate(self.coords):
            color = color if number in keep else color * self.dims[number] + coordinate
        dims, periods = ([of[number] for number in keep] for of in (self.dims, self.periods))
        found: Cart = self._split(color, self.rank, Cart, dims, periods)
        return found

    def Get_topo(self) -> tuple[list[int], list[int], list[int]]:
        """Return dimensions, periods and the coordinates of the calling rank."""
        return self.dims, self.periods, self.coords

    topo = property(Get_topo)

    def neighbours(self) -> tuple[list[int], list[int]]:
        """Return the ranks on either side in each dimension, twice: it receives from, and sends to them."""
        sides = [rank for direction in range(len(self.dims)) for rank in self.Shift(direction, 1)]
        return sides, sides

    def sending_order(self) -> list[int]:
        """Return first the upper side of each dimension: what is sent upwards arrives from below."""
        return [number ^ 1 for number in range(2 * len(self.dims))]


@refuse_missing("Distgraphcomm")
class Distgraph(Topocomm):
    """Ranks with neighbours of any kind."""

    def __init__(self, world: World, members: Sequence[int], number: int) -> None:
        super().__init__(world, members, number)
        self._near: dict[int, tuple[list[int], list[int]]] = {}

    def set_neighbours(self, sources: Sequence[int], destinations: Sequence[int]) -> None:
        """Set the neighbours of the calling rank."""
        self._near[self.rank] = list(sources), list(destinations)

    def Get_topology(self) -> int:
        """Return `DIST_GRAPH`."""
        return DIST_GRAPH

    def Get_dist_neighbors_count(self) -> tuple[int, int, bool]:
        """Return the numbers of neighbours that it receives from and sends to; False: they have no weights."""
        return len(self.inedges), len(self.outedges), False

    def Get_dist_neighbors(self) -> tuple[list[int], list[int], None]:
        """Return the neighbours that it receives from and those that it sends to; None: they have no weights."""
        return self.inedges, self.outedges, None

    def neighbours(self) -> tuple[list[int], list[int]]:
        """Return the ranks that the calling rank receives from, and those that it sends to."""
        return self._near[self.rank]
