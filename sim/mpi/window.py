"""Windows: memory of each rank that others read and write, between fences.

A put, get or accumulate is kept until the next fence. There, ranks first tell each other how many accesses to expect,
by a reduce-scatter; then the accesses are messages, and gets are answered by messages.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from sim.mpi.buffer import Array, Buffer, Spec, picked
from sim.mpi.comm import Comm
from sim.mpi.constants import ANY_SOURCE, MODE_NOPRECEDE, MODE_NOSUCCEED, PROC_NULL
from sim.mpi.datatype import Datatype
from sim.mpi.errors import MpiError, TypeMisusedError, ValueMisusedError
from sim.mpi.group import Group
from sim.mpi.op import OPS, Op, on_buffers
from sim.mpi.refusal import refuse_missing, refused
from sim.mpi.request import Request
from sim.mpi.status import Status

HEADER_BYTES = 16
"""Bytes of an access beside its data."""
ACCESS, ANSWER = 0, 1  # tags

# The names are MPI's, as in mpi4py.
# ruff: noqa: N802


class _Access(NamedTuple):
    """An access to the memory of another rank.

    Attributes
    ----------
    place : tuple of int, int and Datatype
        First byte, number of elements, and their type.
    data : array or None
        Elements to store; None: nothing is stored.
    op : Op
        What combines them with those that are there.
    answered : bool
        Whether the elements that were there before are sent back.
    """

    place: tuple[int, int, Datatype]
    data: Array | None
    op: Op
    answered: bool


@refuse_missing("Win")
class Win:
    """A window: `memory` of each rank of a communicator, all of which create it.

    Parameters
    ----------
    memory : buffer or None
        Memory of the calling rank.
    disp_unit : int
        Bytes that displacements count.
    comm : Comm
        The ranks.
    """

    def __init__(self, memory: Any, disp_unit: int, comm: Comm) -> None:
        if disp_unit < 1:
            raise MpiError.of("ARG", f"disp_unit = {disp_unit}: must be at least 1")
        self._memory = np.empty(0, np.uint8) if memory is None else _bytes_of(memory)
        self._comm = comm.Dup()
        self._open = False
        shape = self._memory.size, disp_unit
        self._shapes: list[tuple[int, int]] = self._comm.allgather(shape, bytes=HEADER_BYTES)
        self._accesses: list[tuple[int, _Access, Buffer | None]] = []

    @classmethod
    def Create(cls, memory: Any, disp_unit: int = 1, info: None = None, comm: Comm | None = None) -> Win:
        """Return a window of memory."""
        return cls(memory, disp_unit, _ranks(info, comm))

    @classmethod
    def Allocate(cls, size: int, disp_unit: int = 1, info: None = None, comm: Comm | None = None) -> Win:
        """Return a window of `size` new bytes."""
        if size < 0:
            raise MpiError.of("SIZE", f"size = {size}: must be at least 0")
        return cls(np.zeros(size, np.uint8), disp_unit, _ranks(info, comm))

    def tomemory(self) -> memoryview:
        """Return the memory of the calling rank."""
        return self._memory.data

    def Get_group(self) -> Group:
        """Return the group of the ranks."""
        return self._comm.Get_group()

    group = property(Get_group)

    @property
    def group_size(self) -> int:
        """Number of ranks."""
        return self._comm.size

    @property
    def group_rank(self) -> int:
        """Number of the calling rank."""
        return self._comm.rank

    def Put(self, origin: Any, target_rank: int, target: Any = None) -> None:
        """Store the elements of a buffer in the memory of a rank, by the next fence.

        Parameters
        ----------
        origin : buffer
        target_rank : int
        target : int or tuple or None
            Displacement, number of elements and type there; None: the first ones, as many as in the buffer.
        """
        self._store(origin, None, target_rank, target, OPS["REPLACE"])

    def Accumulate(self, origin: Any, target_rank: int, target: Any = None, op: Op = OPS["SUM"]) -> None:
        """Combine the elements of a buffer with those in the memory of a rank, by the next fence."""
        self._store(origin, None, target_rank, target, op)

    def Get_accumulate(
        self, origin: Any, result: Any, target_rank: int, target: Any = None, op: Op = OPS["SUM"]
    ) -> None:
        """Do `Accumulate`; by the next fence, the elements that were there before are in `result`."""
        self._store(origin, result, target_rank, target, op)

    def Get(self, origin: Any, target_rank: int, target: Any = None) -> None:
        """Copy elements of the memory of a rank into a buffer, by the next fence."""
        place = self._place(Spec(origin), target_rank, target)
        access = _Access(place, None, OPS["NO_OP"], True)
        self._add(target_rank, access, Spec(origin).whole().to_write())

    def _store(self, origin: Any, result: Any, target_rank: int, target: Any, op: Op) -> None:
        if isinstance(op, Op) and op.created:
            raise MpiError.of("OP", f"{op}: an access to a window takes one of MPI's own operations")
        spec = Spec(origin)
        into = None if result is None else Spec(result).whole().to_write()
        data = spec.whole().read().copy()
        place = self._place(spec, target_rank, target)
        self._add(target_rank, _Access(place, data, on_buffers(op), into is not None), into)

    def _add(self, target_rank: int, access: _Access, into: Buffer | None) -> None:
        """Keep an access until the next fence."""
        if not self._open:
            raise MpiError.of("RMA_SYNC", "an access to a window before a fence, or after the last one")
        if target_rank != PROC_NULL:
            self._accesses.append((target_rank, access, into))

    def _place(self, spec: Spec, rank: int, target: Any) -> tuple[int, int, Datatype]:
        """Return the first byte, the number of elements and their type of an access to the memory of a rank."""
        if rank != PROC_NULL and not 0 <= rank < self._comm.size:
            raise MpiError.of("RANK", f"target_rank = {rank}: must be a rank from 0 to {self._comm.size - 1}")
        _, kind = spec.typed(spec.kind)
        given = [0] if target is None else [target] if isinstance(target, int | np.integer) else list(target)
        if not 1 <= len(given) <= 3:
            raise ValueMisusedError(f"target = {target}: must be displacement, number of elements and type")
        displacement, count, other = [*given, None, None][:3]
        if isinstance(count, Datatype):
            count, other = None, count
        kind = kind if other is None else other
        size = spec.whole().nbytes // max(1, kind.size) if count is None else int(count)
        room, unit = (0, 1) if rank == PROC_NULL else self._shapes[rank]
        begin = int(displacement) * unit
        last = begin + (size - 1) * kind.extent + int(kind.places.max(initial=-1) + 1) * kind.dtype.itemsize
        if rank != PROC_NULL and not (begin >= 0 and (size == 0 or last <= room)):
            raise MpiError.of("RMA_RANGE", f"bytes {begin} to {last} of a window of {room}: not all are there")
        return begin, size, kind

    def Fence(self, assertion: int = 0) -> None:
        """End the accesses since the last fence, of all ranks.

        Parameters
        ----------
        assertion : int
            With `MODE_NOPRECEDE`, there are none, and ranks only wait for each other; with `MODE_NOSUCCEED`, none
            follow. The other assertions change nothing.
        """
        if not assertion & MODE_NOPRECEDE:
            self._exchange()
        elif self._accesses:
            raise MpiError.of("RMA_SYNC", "MODE_NOPRECEDE at a fence that accesses precede")
        else:
            self._comm.barrier()
        self._open = not assertion & MODE_NOSUCCEED

    def _exchange(self) -> None:
        """Send the accesses, answer those of others, and receive the answers."""
        comm, accesses = self._comm, self._accesses
        self._accesses = []
        to = Counter(rank for rank, _, _ in accesses)
        expected = comm.reduce_scatter([to[rank] for rank in range(comm.size)], bytes=8)
        receives = [comm.irecv(source=ANY_SOURCE, tag=ACCESS) for _ in range(expected)]
        sends, answers, buffers = [], [], []
        for rank, access, into in accesses:
            size = HEADER_BYTES + (0 if access.data is None else access.data.nbytes)
            sends.append(comm.isend(access, rank, ACCESS, bytes=size))
            if into is not None:
                answers.append(comm.irecv(source=rank, tag=ANSWER))
                buffers.append(into)
        status = Status()
        for _ in range(expected):
            _, access = Request.waitany(receives, status)
            self._apply(access, status.source, sends)
        for into, answer in zip(buffers, Request.waitall(answers), strict=True):
            into.write(answer, "Get")
        Request.waitall(sends)

    def _apply(self, access: _Access, source: int, sends: list[Request]) -> None:
        """Do an access to the memory of the calling rank, and answer it."""
        begin, count, kind = access.place
        room = self._memory[begin:]
        array = room[: room.size - room.size % kind.dtype.itemsize].view(kind.dtype)
        here = picked(array, kind, count, 0)
        if access.answered:
            before = here.read().copy()
            sends.append(self._comm.isend(before, source, ANSWER, bytes=before.nbytes))
        if access.data is not None:
            here.write(access.op(here.read(), access.data.view(kind.dtype)), "access to a window")

    def Free(self) -> None:
        """Release the window; all ranks call it."""
        self._comm.barrier()
        self._open = False

    free = Free


def _ranks(info: None, comm: Comm | None) -> Comm:
    """Return the communicator of a window."""
    if info is not None:
        raise refused("Info")
    if comm is None:
        raise ValueMisusedError("a window of COMM_SELF: give the communicator, comm=…")
    return comm


def _bytes_of(memory: Any) -> Array:
    """Return memory as bytes, which can be written."""
    array = Spec(memory).array
    if not (array.flags.c_contiguous and array.flags.writeable):
        raise TypeMisusedError("memory of a window: must be contiguous, and not read-only")
    return array.reshape(-1).view(np.uint8)
