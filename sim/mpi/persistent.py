"""Persistent requests: a message or collective whose arguments are given once, and which is started again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sim.mpi.errors import MpiError
from sim.mpi.refusal import refuse_missing
from sim.mpi.request import Request

# The names are MPI's, as in mpi4py.
# ruff: noqa: N802


@refuse_missing("Prequest")
class Prequest(Request):
    """A request that can be started repeatedly; between a wait and the next start it counts as complete.

    Parameters
    ----------
    begin : callable
        Starts the operation; returns a request of it.
    """

    def __init__(self, begin: Callable[[], Request]) -> None:
        super().__init__()
        self._again: Callable[[], Request] | None = begin

    @property
    def is_null(self) -> bool:
        """Whether the request is released."""
        return self._again is None

    def Start(self) -> None:
        """Start the operation.

        Raises
        ------
        MpiError
            If the request is active, or released.
        """
        if self._again is None or self._posted is not None:
            raise MpiError.of("REQUEST", f"Start: the request is {'active' if self._again else 'released'}")
        self._follow(self._again())

    def _follow(self, started: Request) -> None:
        self._comm, self._posted, self._call = started._comm, started._posted, started._call
        self._deliver: Callable[[Any], Any] | None = started._deliver

    @staticmethod
    def Startall(requests: Sequence[Prequest]) -> None:
        """Start several operations."""
        for request in requests:
            request.Start()

    def Free(self) -> None:
        """Release the request."""
        self._posted = self._again = None

    free = Free
