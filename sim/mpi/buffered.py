"""A communicator's messages of buffers: mpi4py's methods with a capital initial.

A buffer is an array, or a list of array, number of elements and type; for parts of different sizes, a list of array,
counts, displacements and type.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.mpi.collective import SUM, Collectives
from sim.mpi.constants import ANY_SOURCE, ANY_TAG, IN_PLACE, Datatype
from sim.mpi.errors import ProgramError
from sim.mpi.op import Op
from sim.mpi.payload import pack
from sim.mpi.request import Request, Status
from sim.mpi.world import Posted

Array = NDArray[Any]

# The names are MPI's, as in mpi4py.
# ruff: noqa: N802


class Buffers(Collectives):
    """Messages and collectives of buffers."""

    def Send(self, buf: Any, dest: int, tag: int = 0, *, nic: int = 0) -> None:
        """Send a buffer."""
        self.send(flat(buf), dest, tag, nic=nic)

    Ssend = Bsend = Rsend = Send

    def Isend(self, buf: Any, dest: int, tag: int = 0, *, nic: int = 0) -> Request:
        """Start the send of a buffer; return the request."""
        return self.isend(flat(buf), dest, tag, nic=nic)

    Issend = Ibsend = Irsend = Isend

    def Recv(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> None:
        """Receive into a buffer."""
        _store(flat(buf), self.recv(None, source, tag, status), "Recv")

    def Irecv(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Request:
        """Start to receive into a buffer; return the request."""
        into = flat(buf)

        def deliver(posted: Posted) -> None:
            _store(into, posted.payload.unpack() if posted.payload else None, "Irecv")

        return Request(self, self._receive(source, tag), "Irecv", deliver)

    def Sendrecv(
        self,
        sendbuf: Any,
        dest: int,
        sendtag: int = 0,
        recvbuf: Any = None,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
    ) -> None:
        """Send a buffer and receive into another at once."""
        into = flat(recvbuf)
        _store(into, self.sendrecv(flat(sendbuf), dest, sendtag, None, source, recvtag, status), "Sendrecv")

    def Bcast(self, buf: Any, root: int = 0) -> None:
        """Copy the root's buffer to every rank's."""
        array = flat(buf)
        got = self.bcast(array if self.rank == root else None, root)
        if self.rank != root:
            _store(array, got, "Bcast")

    def Scatter(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """Copy each rank's part of the root's buffer to its buffer."""
        parts = _parts(sendbuf, self.size, "Scatter") if self.rank == root else None
        got = self.scatter(parts, root)
        if recvbuf is not IN_PLACE:
            _store(flat(recvbuf), got, "Scatter")

    Scatterv = Scatter

    def Gather(self, sendbuf: Any, recvbuf: Any = None, root: int = 0) -> None:
        """Copy the ranks' buffers to the parts of the root's buffer."""
        mine = _parts(recvbuf, self.size, "Gather")[self.rank] if sendbuf is IN_PLACE else flat(sendbuf)
        got = self.gather(mine, root)
        if got is not None:
            _store_parts(recvbuf, got, "Gather")

    Gatherv = Gather

    def Allgather(self, sendbuf: Any, recvbuf: Any) -> None:
        """Copy the ranks' buffers to the parts of every rank's buffer."""
        mine = _parts(recvbuf, self.size, "Allgather")[self.rank] if sendbuf is IN_PLACE else flat(sendbuf)
        _store_parts(recvbuf, self.allgather(mine), "Allgather")

    Allgatherv = Allgather

    def Alltoall(self, sendbuf: Any, recvbuf: Any) -> None:
        """Copy part r of rank s's buffer to part s of rank r's buffer, for all r and s."""
        parts = _parts(recvbuf if sendbuf is IN_PLACE else sendbuf, self.size, "Alltoall")
        _store_parts(recvbuf, self.alltoall(parts), "Alltoall")

    def Alltoallv(self, sendbuf: Any, recvbuf: Any) -> None:
        """Do `Alltoall` with parts of different sizes."""
        _store_parts(recvbuf, self.alltoallv(_parts(sendbuf, self.size, "Alltoallv")), "Alltoallv")

    def Reduce(self, sendbuf: Any, recvbuf: Any = None, op: Op = SUM, root: int = 0) -> None:
        """Combine buffers into the root's."""
        got = self.reduce(flat(recvbuf if sendbuf is IN_PLACE else sendbuf), op, root)
        if got is not None:
            _store(flat(recvbuf), got, "Reduce")

    def Allreduce(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> None:
        """Combine buffers into every rank's."""
        _store(flat(recvbuf), self.allreduce(flat(recvbuf if sendbuf is IN_PLACE else sendbuf), op), "Allreduce")

    def Scan(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> None:
        """Combine, for each rank, the buffers of the ranks up to it."""
        _store(flat(recvbuf), self.scan(flat(recvbuf if sendbuf is IN_PLACE else sendbuf), op), "Scan")

    def Exscan(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> None:
        """Combine, for each rank, the buffers of the ranks before it; rank 0's is unchanged."""
        got = self.exscan(flat(recvbuf if sendbuf is IN_PLACE else sendbuf), op)
        if got is not None:
            _store(flat(recvbuf), got, "Exscan")

    def Reduce_scatter(self, sendbuf: Any, recvbuf: Any, recvcounts: Sequence[int] | None = None, op: Op = SUM) -> None:
        """Combine buffers and give each rank its part of the result."""
        array = flat(recvbuf if sendbuf is IN_PLACE else sendbuf)
        counts = [array.size // self.size] * self.size if recvcounts is None else list(recvcounts)
        if sum(counts) != array.size or len(counts) != self.size:
            raise ProgramError(f"Reduce_scatter: counts {counts} of {array.size} elements: must be one per rank")
        parts = np.split(array, np.cumsum(counts)[:-1])
        blocks = {rank: pack(part) for rank, part in enumerate(parts)}
        _store(flat(recvbuf)[: counts[self.rank]], self._reduce_blocks(blocks, op).unpack(), "Reduce_scatter")

    def Reduce_scatter_block(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> None:
        """Do `Reduce_scatter` with parts of equal size."""
        self.Reduce_scatter(sendbuf, recvbuf, None, op)


def flat(buf: Any) -> Array:
    """Return the elements of a buffer as a flat view.

    Raises
    ------
    ProgramError
        If `buf` is no buffer, or not contiguous in memory.
    """
    count: int | None = None
    kind: Datatype | None = None
    if isinstance(buf, list | tuple):
        first, *rest = buf
        kind = next((each for each in rest if isinstance(each, Datatype)), None)
        count = next((int(each) for each in rest if isinstance(each, int | np.integer)), None)
        buf = first
    if buf is None:
        raise ProgramError("None: must be a buffer, such as an array of NumPy")
    try:
        array = buf if isinstance(buf, np.ndarray) else np.frombuffer(buf, np.uint8)
    except (TypeError, ValueError) as error:
        raise ProgramError(f"{type(buf).__name__}: must be a buffer, such as an array of NumPy ({error})") from error
    if not array.flags.c_contiguous:
        raise ProgramError(f"a buffer of shape {array.shape} that is not in one piece: send a copy")
    array = array.reshape(-1)
    if kind is not None and kind.dtype.itemsize != array.itemsize:
        if array.nbytes % kind.dtype.itemsize:
            raise ProgramError(f"{array.nbytes} bytes are no whole number of {kind}")
        array = array.view(kind.dtype)
    if count is not None and not 0 <= count <= array.size:
        raise ProgramError(f"{count} elements of a buffer of {array.size}")
    return array[:count]


def _parts(buf: Any, ranks: int, call: str) -> list[Array]:
    """Return a buffer's part for each rank, by its counts and displacements, or equal parts."""
    counts, begins = _layout(buf)
    array = flat([buf[0], *(each for each in buf if isinstance(each, Datatype))]) if counts else flat(buf)
    if not counts:
        if array.size % ranks:
            raise ProgramError(f"{call}: {array.size} elements are no whole number for each of {ranks} ranks")
        size = array.size // ranks
        counts, begins = [size] * ranks, [size * rank for rank in range(ranks)]
    if len(counts) != ranks or len(begins) != ranks:
        raise ProgramError(f"{call}: counts or beginnings of {len(counts)} ranks: must be of {ranks}")
    for begin, count in zip(begins, counts, strict=True):
        if begin < 0 or count < 0 or begin + count > array.size:
            raise ProgramError(f"{call}: {count} elements from {begin} on: the buffer has {array.size}")
    return [array[begin : begin + count] for begin, count in zip(begins, counts, strict=True)]


def _layout(buf: Any) -> tuple[list[int], list[int]]:
    """Return counts and displacements of a buffer's parts; None if it has none."""
    if not isinstance(buf, list | tuple):
        return [], []
    listed: list[Any] = []
    for each in buf[1:]:
        if isinstance(each, tuple) and each and not isinstance(each[0], int | np.integer):
            listed.extend(each)  # (counts, beginnings)
        elif not isinstance(each, Datatype | int | np.integer) and each is not None:
            listed.append(each)
    if not listed:
        return [], []
    counts = [int(count) for count in listed[0]]
    if len(listed) > 1 and listed[1] is not None:
        return counts, [int(begin) for begin in listed[1]]
    return counts, [int(begin) for begin in np.cumsum([0, *counts[:-1]])]


def _store(into: Array, got: Any, call: str) -> None:
    """Write a received message into a buffer."""
    if got is None:  # from PROC_NULL
        return
    array = got.reshape(-1) if isinstance(got, np.ndarray) else flat(got)
    if array.nbytes > into.nbytes:
        raise ProgramError(f"{call}: {array.nbytes} bytes came for a buffer of {into.nbytes}: truncated")
    if array.dtype != into.dtype and array.itemsize != into.itemsize:
        array = array.view(into.dtype)
    into[: array.size] = array if array.dtype == into.dtype else array.view(into.dtype)


def _store_parts(buf: Any, parts: list[Any], call: str) -> None:
    for into, part in zip(_parts(buf, len(parts), call), parts, strict=True):
        _store(into, part, call)
