"""Matched messages: found by a probe, and then received by nobody else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sim.messages.tags import ANY_IN_CONTEXT
from sim.mpi.buffer import flat
from sim.mpi.buffered import Buffers, delivery
from sim.mpi.constants import ANY_SOURCE, ANY_TAG, PROC_NULL
from sim.mpi.errors import MpiError
from sim.mpi.rank import Posted, current, nobody
from sim.mpi.refusal import refuse_missing
from sim.mpi.request import Request, object_of
from sim.mpi.status import Status, fill

if TYPE_CHECKING:
    from sim.mpi.comm import Comm

# The names are MPI's, as in mpi4py.
# ruff: noqa: N802


@refuse_missing("Message")
class Message:
    """A message that a probe has found; its receive is posted at once, so that no other one can match it.

    Parameters
    ----------
    comm : Buffers or None
        Its communicator.
    posted : Posted or None
        Its receive; None: there is no message.
    from_nobody : bool
        Whether it is the one that every probe for a message from `PROC_NULL` finds.
    """

    def __init__(self, comm: Buffers | None = None, posted: Posted | None = None, *, from_nobody: bool = False) -> None:
        self._comm = comm
        self._posted = posted
        self._from_nobody = from_nobody

    def __bool__(self) -> bool:
        return self._from_nobody or self._posted is not None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return self is other or (
            self._from_nobody == other._from_nobody and self._posted is None and other._posted is None
        )

    def __hash__(self) -> int:
        return id(self)

    @classmethod
    def probe(cls, comm: Comm, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> Message:
        """Wait for a message, and return it."""
        return comm.mprobe(source, tag, status)

    @classmethod
    def iprobe(
        cls, comm: Comm, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> Message | None:
        """Return a message; None if there is none."""
        return comm.improbe(source, tag, status)

    Probe = probe
    Iprobe = iprobe

    def recv(self, status: Status | None = None) -> Any:
        """Receive the object; return it."""
        return self._started(object_of).wait(status)

    def irecv(self) -> Request:
        """Start to receive the object; the request's `wait` returns it."""
        return self._started(object_of)

    def Recv(self, buf: Any, status: Status | None = None) -> None:
        """Receive into a buffer."""
        into = flat(buf).to_write()
        into.write(self.recv(status), "Recv")

    def Irecv(self, buf: Any) -> Request:
        """Start to receive into a buffer; return the request."""
        return self._started(delivery(flat(buf).to_write(), "Irecv"))

    def _started(self, deliver: Callable[[Posted], Any]) -> Request:
        """Return the request for the receive of the message, which is then null."""
        comm = self._comm
        posted = nobody() if self._from_nobody else self._posted
        if posted is None:
            raise MpiError.of("REQUEST", "a message that was received already, or MESSAGE_NULL")
        self._posted = None
        return Request(comm, posted, "receive of a matched message", deliver)


class MatchedProbes(Buffers):
    """Probes that return the message."""

    def mprobe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> Message:
        """Wait for a message that no other receive gets; return it."""
        current().calls("mprobe")
        return self._matched(self._awaited(source, tag), status)

    def improbe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> Message | None:
        """Return a message that no other receive gets; None if there is none."""
        posted = self._found(source, tag, "improbe")
        return None if posted is None else self._matched(posted, status)

    Mprobe = mprobe
    Improbe = improbe

    def _matched(self, found: Posted, status: Status | None) -> Message:
        if status is not None:
            fill(status, self, found)
        if found.peer == PROC_NULL:
            return Message(self, from_nobody=True)
        # Messages of a source and tag are matched in their order: the receive gets the one that was found.
        return Message(self, self._receive(self.rank_of(found.peer), found.tag & ANY_IN_CONTEXT))
