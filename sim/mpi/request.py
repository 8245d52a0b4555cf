"""Nonblocking messages and collectives: requests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sim.mpi.constants import UNDEFINED
from sim.mpi.errors import MpiError
from sim.mpi.rank import Posted, current
from sim.mpi.refusal import refuse_missing
from sim.mpi.status import Status, fill

if TYPE_CHECKING:
    from sim.mpi.point_to_point import PointToPoint

# The names are MPI's, as in mpi4py.
# ruff: noqa: N802


@refuse_missing("Request")
class Request:
    """A nonblocking message or collective.

    Parameters
    ----------
    comm : PointToPoint or None
        Communicator of the message.
    posted : Posted or None
        The operation; None: there is none.
    call : str
        The function that started it, for messages.
    deliver : callable or None
        Returns what a wait returns, from an operation that is done; None: None.
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
        return not self.is_null

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Request) and self.is_null and other.is_null)

    def __hash__(self) -> int:
        return id(self)

    def wait(self, status: Status | None = None) -> Any:
        """Wait until it is complete; return the received message, None for anything else."""
        _wait_for([self], 1)
        return self._take(status)

    def test(self, status: Status | None = None) -> tuple[bool, Any]:
        """Return whether it is complete, and the received message if so."""
        return (True, self._take(status)) if _are_over([self]) else (False, None)

    def get_status(self, status: Status | None = None) -> bool:
        """Return whether it is complete, without an end to the request."""
        over = _are_over([self])
        if over and status is not None and self._posted is not None and self._comm is not None:
            fill(status, self._comm, self._posted)
        return over

    Get_status = get_status

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

    free = Free

    def _take(self, status: Status | None) -> Any:
        """Return the message of an operation that is done; the request is then null."""
        posted = self._posted
        if posted is None or self._comm is None:
            if status is not None:
                status.clear()
            return None
        self._posted = None
        posted.rank.world.took(posted)
        if status is not None:
            fill(status, self._comm, posted)
        return None if self._deliver is None else self._deliver(posted)

    # mpi4py has these as class methods.
    @staticmethod
    def waitall(requests: Sequence[Request], statuses: list[Status] | None = None) -> list[Any]:
        """Wait for all requests; return their messages."""
        _wait_for(requests, len(_open(requests)))
        return _take_all(requests, statuses)

    @staticmethod
    def Waitall(requests: Sequence[Request], statuses: list[Status] | None = None) -> bool:
        """Wait for all requests; return True."""
        Request.waitall(requests, statuses)
        return True

    @staticmethod
    def waitany(requests: Sequence[Request], status: Status | None = None) -> tuple[int, Any]:
        """Wait for one request; return its index and its message; `UNDEFINED` if there is none to wait for."""
        _wait_for(requests, 1)
        return _take_any(requests, status)

    @staticmethod
    def Waitany(requests: Sequence[Request], status: Status | None = None) -> int:
        """Wait for one request; return its index."""
        return Request.waitany(requests, status)[0]

    @staticmethod
    def waitsome(
        requests: Sequence[Request], statuses: list[Status] | None = None
    ) -> tuple[list[int] | None, list[Any] | None]:
        """Wait for at least one request; return the indices of complete ones, and their messages.

        None and None if there is none to wait for.
        """
        _wait_for(requests, 1)
        return _take_some(requests, statuses)

    @staticmethod
    def Waitsome(requests: Sequence[Request], statuses: list[Status] | None = None) -> list[int] | None:
        """Wait for at least one request; return the indices of complete ones."""
        return Request.waitsome(requests, statuses)[0]

    @staticmethod
    def testall(requests: Sequence[Request], statuses: list[Status] | None = None) -> tuple[bool, list[Any] | None]:
        """Return whether all requests are complete, and their messages if so."""
        return (True, _take_all(requests, statuses)) if _are_over(requests) else (False, None)

    @staticmethod
    def Testall(requests: Sequence[Request], statuses: list[Status] | None = None) -> bool:
        """Return whether all requests are complete."""
        return Request.testall(requests, statuses)[0]

    @staticmethod
    def testany(requests: Sequence[Request], status: Status | None = None) -> tuple[int, bool, Any]:
        """Return the index of a complete request, whether there is one, and its message."""
        if _is_one_over(requests):
            index, message = _take_any(requests, status)
            return index, True, message
        return UNDEFINED, False, None

    @staticmethod
    def Testany(requests: Sequence[Request], status: Status | None = None) -> tuple[int, bool]:
        """Return the index of a complete request, and whether there is one."""
        return Request.testany(requests, status)[:2]

    @staticmethod
    def testsome(
        requests: Sequence[Request], statuses: list[Status] | None = None
    ) -> tuple[list[int] | None, list[Any] | None]:
        """Return the indices of complete requests, and their messages; None and None if there is none to wait for."""
        return _take_some(requests, statuses) if _is_one_over(requests) else ([], [])

    @staticmethod
    def Testsome(requests: Sequence[Request], statuses: list[Status] | None = None) -> list[int] | None:
        """Return the indices of complete requests."""
        return Request.testsome(requests, statuses)[0]


def object_of(posted: Posted) -> Any:
    """Return the object that an operation received; None if there was no message."""
    return None if posted.payload is None else posted.payload.unpack()


def _open(requests: Sequence[Request]) -> list[Posted]:
    return [request._posted for request in requests if request._posted is not None]


def _wait_for(requests: Sequence[Request], count: int) -> None:
    """Wait until `count` of the requests are complete, if there are any to wait for."""
    posted = _open(requests)
    if posted:
        started = sorted({each._call for each in requests if each._posted is not None})
        current().calls("wait of " + ", ".join(started))
        posted[0].rank.world.wait_until(posted, count)


def _are_over(requests: Sequence[Request]) -> bool:
    """Return whether all requests are complete; if not, after the time of a test."""
    posted = _open(requests)
    if all(each.done for each in posted):
        return True
    _poll(posted)
    return False


def _is_one_over(requests: Sequence[Request]) -> bool:
    """Return whether a request is complete, or there is none to wait for; if not, after the time of a test."""
    posted = _open(requests)
    if not posted or any(each.done for each in posted):
        return True
    _poll(posted)
    return False


def _poll(posted: Sequence[Posted]) -> None:
    """Spend the time of a test that found nothing."""
    current().calls("test")
    posted[0].rank.world.poll()


def _take_any(requests: Sequence[Request], status: Status | None) -> tuple[int, Any]:
    """Return the index and the message of the first complete request; `UNDEFINED` if there is none."""
    for number, each in enumerate(requests):
        if each._posted is not None and each._posted.done:
            return number, each._take(status)
    Request()._take(status)
    return UNDEFINED, None


def _take_some(requests: Sequence[Request], statuses: list[Status] | None) -> tuple[list[int] | None, list[Any] | None]:
    """Return the indices of complete requests and their messages; None and None if there is none to wait for."""
    if not _open(requests):
        return None, None
    over = [number for number, each in enumerate(requests) if each._posted is not None and each._posted.done]
    return over, _take_all([requests[number] for number in over], statuses)


def _take_all(requests: Sequence[Request], statuses: list[Status] | None) -> list[Any]:
    """Return the messages of complete requests, and fill as many statuses.

    Raises
    ------
    MpiError
        Of the class `ERR_IN_STATUS`, if one of them ended with an error.
    """
    if statuses is not None:
        statuses.extend(Status() for _ in range(len(requests) - len(statuses)))
    found, wrong = [], []
    for number, request in enumerate(requests):
        status = None if statuses is None else statuses[number]
        try:
            found.append(request._take(status))
        except MpiError as error:
            wrong.append(str(error))
            if status is not None:
                status.error = error.error_class
    if wrong:
        raise MpiError.of("IN_STATUS", "; ".join(wrong))
    return found
