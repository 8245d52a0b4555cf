"""Nonblocking messages: requests, and the status of received messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sim.messages.tags import ANY_IN_CONTEXT
from sim.mpi.constants import ANY_SOURCE, ANY_TAG, UNDEFINED, Datatype
from sim.mpi.errors import ProgramError
from sim.mpi.world import Posted, current

if TYPE_CHECKING:
    from sim.mpi.point_to_point import PointToPoint

# The names are MPI's, as in mpi4py.
# ruff: noqa: N802


class Status:
    """Source, tag and size of a message."""

    def __init__(self) -> None:
        self.source = ANY_SOURCE
        self.tag = ANY_TAG
        self.count = 0
        self.error = 0

    def Get_source(self) -> int:
        """Return the sender's rank."""
        return self.source

    def Get_tag(self) -> int:
        """Return the tag."""
        return self.tag

    def Get_count(self, datatype: Datatype | None = None) -> int:
        """Return the number of elements; of bytes if no type is given."""
        return self.count if datatype is None else self.count // datatype.size

    Get_elements = Get_count

    def Get_error(self) -> int:
        """Return 0: messages arrive whole."""
        return self.error

    def Is_cancelled(self) -> bool:
        """Return False: messages cannot be cancelled."""
        return False


class Request:
    """A nonblocking message.

    Parameters
    ----------
    comm : PointToPoint
        Communicator of the message.
    posted : Posted or None
        The operation; None: the partner is `PROC_NULL`, so it is complete.
    call : str
        The function that started it, for messages.
    deliver : callable or None
        Converts a received operation to the return value of a wait.
    """

    def __init__(
        self,
        comm: PointToPoint | None = None,
        posted: Posted | None = None,
        call: str = "",
        deliver: Callable[[Posted], Any] | None = None,
    ) -> None:
        self._comm = comm
        self._posted = posted
        self._call = call
        self._deliver = deliver

    @property
    def is_null(self) -> bool:
        """Whether the request is complete and its message returned."""
        return self._posted is None

    def __bool__(self) -> bool:
        return self._posted is not None

    def wait(self, status: Status | None = None) -> Any:
        """Wait until it is complete; return the received message, None for a send."""
        return waitall([self], None if status is None else [status])[0]

    def test(self, status: Status | None = None) -> tuple[bool, Any]:
        """Return whether it is complete, and the received message if so."""
        posted = self._posted
        if posted is None:
            return True, None
        if not posted.done:
            posted.rank.world.poll()
            return False, None
        return True, self._take(status)

    def Wait(self, status: Status | None = None) -> bool:
        """Wait until it is complete; return True."""
        self.wait(status)
        return True

    def Test(self, status: Status | None = None) -> bool:
        """Return whether it is complete."""
        return self.test(status)[0]

    def Free(self) -> None:
        """Release the request; the operation goes on by itself."""
        self._posted = None

    def Cancel(self) -> None:
        """Refuse: a message in the network cannot be recalled."""
        raise ProgramError("Cancel: a message that was started cannot be cancelled")

    cancel = Cancel
    free = Free

    def _take(self, status: Status | None) -> Any:
        """Return the message of an operation that is done; the request is then null."""
        posted = self._posted
        if posted is None:
            return None
        self._posted = None
        posted.rank.world.took(posted)
        if self._deliver is None or self._comm is None:
            return None
        if status is not None:
            fill(status, self._comm, posted)
        return self._deliver(posted)

    # mpi4py has these as class methods.
    @staticmethod
    def waitall(requests: Sequence[Request], statuses: Sequence[Status] | None = None) -> list[Any]:
        """Wait for all requests; return their messages."""
        return waitall(requests, statuses)

    @staticmethod
    def Waitall(requests: Sequence[Request], statuses: Sequence[Status] | None = None) -> bool:
        """Wait for all requests; return True."""
        waitall(requests, statuses)
        return True

    @staticmethod
    def waitany(requests: Sequence[Request], status: Status | None = None) -> tuple[int, Any]:
        """Wait for one request; return its index and its message."""
        return waitany(requests, status)

    @staticmethod
    def Waitany(requests: Sequence[Request], status: Status | None = None) -> int:
        """Wait for one request; return its index."""
        return waitany(requests, status)[0]

    @staticmethod
    def waitsome(
        requests: Sequence[Request], statuses: list[Status] | None = None
    ) -> tuple[list[int] | None, list[Any] | None]:
        """Wait for at least one request; return the indices of complete ones, and their messages."""
        return waitsome(requests, statuses)

    @staticmethod
    def Waitsome(requests: Sequence[Request], statuses: list[Status] | None = None) -> list[int] | None:
        """Wait for at least one request; return the indices of complete ones."""
        return waitsome(requests, statuses)[0]

    @staticmethod
    def testall(requests: Sequence[Request], statuses: Sequence[Status] | None = None) -> tuple[bool, list[Any] | None]:
        """Return whether all requests are complete, and their messages if so."""
        posted = _open(requests)
        if not all(each.done for each in posted):
            posted[0].rank.world.poll()
            return False, None
        return True, waitall(requests, statuses)

    @staticmethod
    def Testall(requests: Sequence[Request], statuses: Sequence[Status] | None = None) -> bool:
        """Return whether all requests are complete."""
        return Request.testall(requests, statuses)[0]

    @staticmethod
    def testany(requests: Sequence[Request], status: Status | None = None) -> tuple[int, bool, Any]:
        """Return the index of a complete request, whether there is one, and its message."""
        posted = _open(requests)
        if not posted:
            return UNDEFINED, True, None
        for number, request in enumerate(requests):
            if request._posted is not None and request._posted.done:
                return number, True, request._take(status)
        posted[0].rank.world.poll()
        return UNDEFINED, False, None

    @staticmethod
    def Testany(requests: Sequence[Request], status: Status | None = None) -> tuple[int, bool]:
        """Return the index of a complete request, and whether there is one."""
        return Request.testany(requests, status)[:2]


def fill(status: Status, comm: PointToPoint, posted: Posted) -> None:
    """Fill a status from a received or probed operation."""
    status.source = comm.rank_of(posted.peer)
    status.tag = posted.tag & ANY_IN_CONTEXT
    status.count = posted.size


def _open(requests: Sequence[Request]) -> list[Posted]:
    return [request._posted for request in requests if request._posted is not None]


def _statuses(requests: Sequence[Request], statuses: Sequence[Status] | None) -> Sequence[Status | None]:
    if statuses is None:
        return [None] * len(requests)
    if len(statuses) < len(requests):
        raise ProgramError(f"{len(statuses)} statuses for {len(requests)} requests: must be as many")
    return statuses


def waitall(requests: Sequence[Request], statuses: Sequence[Status] | None = None) -> list[Any]:
    """Wait for all requests; return their messages."""
    listed = _statuses(requests, statuses)
    posted = _open(requests)
    if posted:
        current().call = "wait of " + ", ".join(sorted({each._call for each in requests if each._posted is not None}))
        posted[0].rank.world.wait_until(posted, len(posted))
    return [request._take(status) for request, status in zip(requests, listed, strict=False)]


def _some_over(requests: Sequence[Request], call: str) -> list[int]:
    """Wait for at least one request; return the indices of complete ones; empty if there is none to wait for."""
    posted = _open(requests)
    if posted:
        current().call = call
        posted[0].rank.world.wait_until(posted, 1)
    return [number for number, each in enumerate(requests) if each._posted is not None and each._posted.done]


def waitany(requests: Sequence[Request], status: Status | None = None) -> tuple[int, Any]:
    """Wait for one request; return its index and its message; `UNDEFINED` if all are null."""
    over = _some_over(requests, "waitany")
    return (over[0], requests[over[0]]._take(status)) if over else (UNDEFINED, None)


def waitsome(
    requests: Sequence[Request], statuses: list[Status] | None = None
) -> tuple[list[int] | None, list[Any] | None]:
    """Wait for at least one; return the indices of complete ones and their messages; None if all are null."""
    over = _some_over(requests, "waitsome")
    if not over:
        return None, None
    listed = _statuses([requests[number] for number in over], statuses)
    return over, [requests[number]._take(status) for number, status in zip(over, listed, strict=False)]
