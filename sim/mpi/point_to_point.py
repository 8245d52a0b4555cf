"""A communicator's messages of Python objects between two ranks, as in mpi4py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sim.messages.tags import ANY_IN_CONTEXT, MAX_TAG, described, tag_of
from sim.mpi.constants import ANY_SOURCE, ANY_TAG, PROC_NULL
from sim.mpi.errors import MpiError, ValueMisusedError
from sim.mpi.payload import Payload, pack
from sim.mpi.rank import Posted, current, nobody
from sim.mpi.request import Request, object_of
from sim.mpi.status import Status, fill
from sim.mpi.world import World
from sim.schedule.operations import ANY, PROBE, RECV, SEND

F = TypeVar("F", bound=Callable[..., Any])

# The names are MPI's, as in mpi4py.
# ruff: noqa: N802


class PointToPoint:
    """Ranks that can send messages to each other.

    Parameters
    ----------
    world : World
        All ranks.
    members : sequence of int
        Ranks of this communicator, by their numbers in the world.
    number : int
        Unique number of the communicator.
    """

    def __init__(self, world: World, members: Sequence[int], number: int) -> None:
        self.world = world
        self.members = tuple(members)
        self.number = number
        self._ranks = {member: rank for rank, member in enumerate(self.members)}

    def Get_rank(self) -> int:
        """Return the number of the calling rank."""
        return self._ranks[current().number]

    def Get_size(self) -> int:
        """Return the number of ranks."""
        return len(self.members)

    @property
    def rank(self) -> int:
        """Number of the calling rank."""
        return self.Get_rank()

    @property
    def size(self) -> int:
        """Number of ranks."""
        return len(self.members)

    def rank_of(self, member: int) -> int:
        """Return the number in this communicator of a rank of the world."""
        return self._ranks[member]

    def compute(self, seconds: float | None = None, flops: float | None = None) -> None:
        """Calculate for `seconds`, or for the time of `flops` floating-point operations.

        Raises
        ------
        ValueMisusedError
            If not exactly one of the two is given, or it is negative.
        """
        if (seconds is None) == (flops is None):
            raise ValueMisusedError("compute: say either seconds or flops")
        time = seconds if seconds is not None else (flops or 0.0) / self.world.flops
        if not 0 <= time < 1e9:
            raise ValueMisusedError(f"compute({time} seconds): must be at least 0 and below 1e9")
        current().calls("compute")
        self.world.compute(round(time * 1e9))

    def send(self, obj: Any, dest: int, tag: int = 0, *, bytes: int | None = None, nic: int = 0) -> None:
        """Send an object, and continue when it has left.

        Parameters
        ----------
        obj : object
            Any object that can be pickled; arrays of NumPy have their own size.
        dest, tag : int
            Rank and tag.
        bytes : int or None
            Size to simulate instead.
        nic : int
            Network interface that sends it.
        """
        current().calls("send")
        self.world.wait([self._send(pack(obj, bytes), dest, tag, nic)])

    ssend = bsend = rsend = send

    def isend(self, obj: Any, dest: int, tag: int = 0, *, bytes: int | None = None, nic: int = 0) -> Request:
        """Start the send of an object; parameters as in `send`."""
        current().calls("isend")
        return Request(self, self._send(pack(obj, bytes), dest, tag, nic), "isend")

    issend = ibsend = irsend = isend

    def recv(self, buf: Any = None, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> Any:
        """Receive an object from a rank, or from any, with a tag, or any tag; return it."""
        current().calls("recv")
        posted = self._receive(source, tag)
        self.world.wait([posted])
        return self._taken(posted, status)

    def irecv(self, buf: Any = None, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Request:
        """Start to receive; the request's `wait` returns the object."""
        current().calls("irecv")
        return Request(self, self._receive(source, tag), "irecv", object_of)

    def sendrecv(
        self,
        sendobj: Any,
        dest: int,
        sendtag: int = 0,
        recvbuf: Any = None,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
        *,
        bytes: int | None = None,
        nic: int = 0,
    ) -> Any:
        """Send and receive together; return the received object when both are over."""
        current().calls("sendrecv")
        received = self._receive(source, recvtag)
        sent = self._send(pack(sendobj, bytes), dest, sendtag, nic)
        self.world.wait([received, sent])
        return self._taken(received, status)

    def probe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> bool:
        """Wait until there is a message to receive; return True."""
        current().calls("probe")
        posted = self._awaited(source, tag)
        if status is not None:
            fill(status, self, posted)
        return True

    def iprobe(self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None) -> bool:
        """Return whether there is a message to receive."""
        posted = self._found(source, tag, "iprobe")
        if posted is not None and status is not None:
            fill(status, self, posted)
        return posted is not None

    def _awaited(self, source: int, tag: int) -> Posted:
        """Wait until there is a message to receive; return its description."""
        if source == PROC_NULL:
            return nobody()
        posted = self.world.post(PROBE, self._what(source, tag), *self._wanted(source, tag))
        self.world.wait([posted])
        return posted

    def _found(self, source: int, tag: int, call: str) -> Posted | None:
        """Return the description of a message to receive; None, after the time of a test, if there is none."""
        if source == PROC_NULL:
            return nobody()
        current().calls(call)
        peer, _, wanted = self._wanted(source, tag)
        found = self.world.executor.iprobe(current().number, peer, wanted)
        if found is None:
            self.world.poll()
            return None
        posted = Posted(current(), PROBE, "")
        posted.peer, posted.tag, posted.size = found.peer, found.tag, found.size
        return posted

    Probe = probe
    Iprobe = iprobe

    def _send(self, payload: Payload, dest: int, tag: int, nic: int = 0) -> Posted:
        if not 0 <= tag <= MAX_TAG:
            raise MpiError.of("TAG", f"tag = {tag}: must be from 0 to {MAX_TAG}")
        if dest == PROC_NULL:
            return nobody()
        self._check("dest", dest)
        what = f"rank {dest} to take {payload.size} bytes, tag {tag}"
        return self.world.post(SEND, what, self.members[dest], payload.size, tag_of(self.number, tag), nic, payload)

    def _receive(self, source: int, tag: int) -> Posted:
        if source == PROC_NULL:
            return nobody()
        return self.world.post(RECV, self._what(source, tag), *self._wanted(source, tag))

    def _taken(self, posted: Posted, status: Status | None) -> Any:
        """Return the object of a receive that is over."""
        if status is not None:
            fill(status, self, posted)
        return object_of(posted)

    def _wanted(self, source: int, tag: int) -> tuple[int, int, int]:
        """Return peer, size and tag of an operation that looks for a message."""
        if source != ANY_SOURCE:
            self._check("source", source)
        if tag != ANY_TAG and not 0 <= tag <= MAX_TAG:
            raise MpiError.of("TAG", f"tag = {tag}: must be from 0 to {MAX_TAG}, or ANY_TAG")
        return ANY if source == ANY_SOURCE else self.members[source], 0, tag_of(self.number, tag)

    def _what(self, source: int, tag: int) -> str:
        who = "any rank" if source == ANY_SOURCE else f"rank {source}"
        return f"a message from {who}, {described(tag & ANY_IN_CONTEXT)}"

    def _check(self, name: str, rank: int, kind: str = "RANK") -> None:
        if not 0 <= rank < len(self.members):
            raise MpiError.of(kind, f"{name} = {rank}: must be a rank from 0 to {len(self.members) - 1}")

    def _check_root(self, root: int) -> None:
        self._check("root", root, "ROOT")
