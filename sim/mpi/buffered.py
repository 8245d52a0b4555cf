"""A communicator's messages of buffers: mpi4py's methods with a capital initial."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim.mpi.buffer import Buffer, Spec, flat, parts
from sim.mpi.collective import SUM, Collectives
from sim.mpi.constants import ANY_SOURCE, ANY_TAG, IN_PLACE
from sim.mpi.errors import ValueMisusedError
from sim.mpi.op import Op, on_buffers
from sim.mpi.payload import pack
from sim.mpi.persistent import Prequest
from sim.mpi.rank import Posted, current
from sim.mpi.request import Request, object_of
from sim.mpi.status import Status

# The names are MPI's, as in mpi4py.
# ruff: noqa: N802


class Buffers(Collectives):
    """Messages and collectives of buffers."""

    def Send(self, buf: Any, dest: int, tag: int = 0, *, nic: int = 0) -> None:
        """Send a buffer."""
        self.send(flat(buf).read(), dest, tag, nic=nic)

    Ssend = Bsend = Rsend = Send

    def Isend(self, buf: Any, dest: int, tag: int = 0, *, nic: int = 0) -> Request:
        """Start the send of a buffer; return the request."""
        return self.isend(flat(buf).read(), dest, tag, nic=nic)

    Issend = Ibsend = Irsend = Isend

    def Send_init(self, buf: Any, dest: int, tag: int = 0, *, nic: int = 0) -> Prequest:
        """Return a persistent request for the send of a buffer."""
        return Prequest(lambda: self.Isend(buf, dest, tag, nic=nic))

    Ssend_init = Bsend_init = Rsend_init = Send_init

    def Recv(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> None:
        """Receive into a buffer."""
        into = flat(buf).to_write()
        into.write(self.recv(None, source, tag, status), "Recv")

    def Irecv(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Request:
        """Start to receive into a buffer; return the request."""
        into = flat(buf).to_write()
        current().calls("irecv")
        return Request(self, self._receive(source, tag), "Irecv", delivery(into, "Irecv"))

    def Recv_init(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Prequest:
        """Return a persistent request for the receipt into a buffer."""
        return Prequest(lambda: self.Irecv(buf, source, tag))

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
        into = flat(recvbuf).to_write()
        into.write(self.sendrecv(flat(sendbuf).read(), dest, sendtag, None, source, recvtag, status), "Sendrecv")

    def Sendrecv_replace(
        self,
        buf: Any,
        dest: int,
        sendtag: int = 0,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
    ) -> None:
        """Send a buffer and receive into the same one at once."""
        self.Sendrecv(buf, dest, sendtag, buf, source, recvtag, status)

    def Bcast(self, buf: Any, root: int = 0) -> None:
        """Copy the root's buffer to every rank's."""
        buffer = flat(buf)
        if self.rank == root:
            self.bcast(buffer.read(), root)
        else:
            buffer.to_write().write(self.bcast(None, root), "Bcast")

    def Scatter(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> None:
        """Copy each rank's part of the root's buffer to its buffer."""
        sent = [part.read() for part in parts(sendbuf, self.size, "Scatter")] if self.rank == root else None
        into = None if recvbuf is IN_PLACE else flat(recvbuf).to_write()
        got = self.scatter(sent, root)
        if into is not None:
            into.write(got, "Scatter")

    Scatterv = Scatter

    def Gather(self, sendbuf: Any, recvbuf: Any = None, root: int = 0) -> None:
        """Copy the ranks' buffers to the parts of the root's buffer."""
        into = parts(recvbuf, self.size, "Gather") if self.rank == root else []
        mine = into[self.rank] if sendbuf is IN_PLACE and into else flat(sendbuf)
        _write_all(into, self.gather(mine.read(), root), "Gather")

    Gatherv = Gather

    def Allgather(self, sendbuf: Any, recvbuf: Any) -> None:
        """Copy the ranks' buffers to the parts of every rank's buffer."""
        into = parts(recvbuf, self.size, "Allgather")
        mine = into[self.rank] if sendbuf is IN_PLACE else flat(sendbuf)
        _write_all(into, self.allgather(mine.read()), "Allgather")

    Allgatherv = Allgather

    def Alltoall(self, sendbuf: Any, recvbuf: Any) -> None:
        """Copy part r of rank s's buffer to part s of rank r's buffer, for all r and s."""
        into = parts(recvbuf, self.size, "Alltoall")
        sent = into if sendbuf is IN_PLACE else parts(sendbuf, self.size, "Alltoall")
        _write_all(into, self.alltoall([part.read() for part in sent]), "Alltoall")

    def Alltoallv(self, sendbuf: Any, recvbuf: Any) -> None:
        """Do `Alltoall` with parts of different sizes."""
        into = parts(recvbuf, self.size, "Alltoallv")
        sent = into if sendbuf is IN_PLACE else parts(sendbuf, self.size, "Alltoallv")
        _write_all(into, self.alltoallv([part.read() for part in sent]), "Alltoallv")

    def Alltoallw(self, sendbuf: Any, recvbuf: Any) -> None:
        """Do `Alltoall` with parts of different sizes and types, displaced by bytes."""
        into = Spec(recvbuf).typed_parts(self.size, "Alltoallw")
        sent = into if sendbuf is IN_PLACE else Spec(sendbuf).typed_parts(self.size, "Alltoallw")
        _write_all(into, self.alltoallv([part.read() for part in sent]), "Alltoallw")

    def Reduce(self, sendbuf: Any, recvbuf: Any = None, op: Op = SUM, root: int = 0) -> None:
        """Combine buffers into the root's."""
        into = flat(recvbuf).to_write() if self.rank == root else None
        got = self.reduce(_operand(sendbuf, recvbuf), on_buffers(op), root)
        if into is not None:
            into.write(got, "Reduce")

    def Allreduce(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> None:
        """Combine buffers into every rank's."""
        into = flat(recvbuf).to_write()
        into.write(self.allreduce(_operand(sendbuf, recvbuf), on_buffers(op)), "Allreduce")

    def Scan(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> None:
        """Combine, for each rank, the buffers of the ranks up to it."""
        into = flat(recvbuf).to_write()
        into.write(self.scan(_operand(sendbuf, recvbuf), on_buffers(op)), "Scan")

    def Exscan(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> None:
        """Combine, for each rank, the buffers of the ranks before it; rank 0's is unchanged."""
        into = flat(recvbuf).to_write()
        into.write(self.exscan(_operand(sendbuf, recvbuf), on_buffers(op)), "Exscan")

    def Reduce_scatter(self, sendbuf: Any, recvbuf: Any, recvcounts: Sequence[int] | None = None, op: Op = SUM) -> None:
        """Combine buffers and give each rank its part of the result."""
        into = flat(recvbuf).to_write()
        array = _operand(sendbuf, recvbuf)
        counts = [array.size // self.size] * self.size if recvcounts is None else list(recvcounts)
        if sum(counts) != array.size or len(counts) != self.size:
            raise ValueMisusedError(f"Reduce_scatter: counts {counts} of {array.size} elements: must be one per rank")
        split = np.split(array, np.cumsum(counts)[:-1])
        blocks = {rank: pack(part) for rank, part in enumerate(split)}
        into.write(self._reduce_blocks(blocks, on_buffers(op)).unpack(), "Reduce_scatter")

    def Reduce_scatter_block(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> None:
        """Do `Reduce_scatter` with parts of equal size."""
        self.Reduce_scatter(sendbuf, recvbuf, None, op)


def delivery(into: Buffer, call: str) -> Any:
    """Return a function that stores the message of an operation in a buffer."""

    def deliver(posted: Posted) -> None:
        into.write(object_of(posted), call)

    return deliver


def _operand(sendbuf: Any, recvbuf: Any) -> Any:
    """Return the elements that a rank contributes to a reduction."""
    return flat(recvbuf if sendbuf is IN_PLACE else sendbuf).read()


def _write_all(into: Sequence[Buffer], got: Sequence[Any] | None, call: str) -> None:
    for buffer, part in zip(into, got or [], strict=True):
        buffer.to_write().write(part, call)
