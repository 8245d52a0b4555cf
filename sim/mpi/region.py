"""The region of interest of a program: what its ranks do between two calls, without set-up and verification.

A program names it itself, by `with tsuji.region_of_interest():`, or two MPI calls are named, as in a trace
(`sim.schedule.ti.timed_part`). The program runs as a whole; the region has times of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from greenlet import getcurrent

from models.errors import TsujiError
from sim.mpi.mpi4py_names import CLASSES, MODULE, names_of
from sim.schedule.ti.timed_part import WHOLE, Mark, TimedPart

CALLS = {"compute"} | {name.lower() for names in (MODULE, *map(names_of, CLASSES)) for name in names}
"""Calls that may begin or end a region, in small letters."""

Read = Callable[[int], np.ndarray]
"""Called with a rank; returns its totals so far: time now, calculation, overhead, messages and bytes sent."""


@dataclass(frozen=True)
class RegionTotals:
    """Totals of ranks within the region, in units of time; [ranks] each."""

    time: np.ndarray
    compute: np.ndarray
    overhead: np.ndarray
    messages: np.ndarray
    bytes: np.ndarray


class Region:
    """Sums what ranks do within the region.

    Parameters
    ----------
    ranks : int
        Number of ranks.
    part : TimedPart
        MPI calls at which the region begins, after the call, and ends, before it; without them, the program says.
    read : callable
        Returns the totals of a rank so far.

    Raises
    ------
    TsujiError
        If the part names a call that MPI does not have.
    """

    def __init__(self, ranks: int, part: TimedPart, read: Read) -> None:
        for mark in filter(None, part):
            if mark.action.lower() not in CALLS:
                raise TsujiError(f"{str(mark)!r}: MPI has no such call; name one such as `barrier {mark.number}`")
        self._read = read
        self._part = part
        self._totals = np.zeros((ranks, 5), np.int64)
        self._began: dict[int, np.ndarray] = {}  # totals of the ranks that are inside
        self._marks: list[list[Mark]] = [[mark for mark in part if mark] for _ in range(ranks)]
        self._seen = [0] * ranks  # calls of the kind of the next mark
        self._due = set() if part.begin or not part.end else set(range(ranks))  # begin with their next call
        self.used = part != WHOLE

    def enter(self, rank: int) -> None:
        """Let a rank enter the region.

        Raises
        ------
        TsujiError
            If it is inside already, or the region is that of `--from` and `--until`.
        """
        if self._part != WHOLE:
            raise TsujiError("region_of_interest: --from or --until names a region, too; leave one of them out")
        if rank in self._began:
            raise TsujiError("region_of_interest: the rank is in the region already")
        self.used = True
        self._began[rank] = self._read(rank)

    def leave(self, rank: int) -> None:
        """Let a rank leave the region, if it is inside."""
        began = self._began.pop(rank, None)
        if began is not None:
            self._totals[rank] += self._read(rank) - began

    def called(self, rank: int, call: str) -> None:
        """Take notice of an MPI call that a rank begins, by its name; Python code before it takes no time."""
        if rank in self._due:
            self._due.remove(rank)
            self._began[rank] = self._read(rank)
        marks = self._marks[rank]
        if not marks or call.lower() != marks[0].action.lower():
            return
        self._seen[rank] += 1
        if self._seen[rank] < marks[0].number:
            return
        self._seen[rank] = 0
        if len(marks) == 1 and self._part.end:
            self.leave(rank)
        else:
            self._due.add(rank)
        del marks[0]

    def end(self, rank: int) -> None:
        """Take notice of a rank's end.

        Raises
        ------
        TsujiError
            If the rank has not made a call at which the region begins or ends.
        """
        if rank in self._due:
            self.called(rank, "")
        if self._marks[rank]:
            mark = self._marks[rank][0]
            raise TsujiError(f"{self._seen[rank]} of `{mark.action}` where the region needs {mark.number}")
        self.leave(rank)

    def totals(self) -> RegionTotals | None:
        """Return the totals of all ranks; None without a region."""
        return RegionTotals(*self._totals.T) if self.used else None


@contextmanager
def region_of_interest() -> Iterator[None]:
    """Measure what the calling rank does in the block as the region of interest of an MPI program.

    In `tsuji mpi` and `tsuji.mpi`, the result then has a member `region` with the times and messages of the region; a
    region that is entered again adds up. Anywhere else, as under mpi4py itself, nothing happens.

    Raises
    ------
    tsuji.TsujiError
        If the rank is in the region already, or --from or --until names a region, too.
    """
    rank: Any = getcurrent()
    region, number = getattr(rank, "region", None), getattr(rank, "number", 0)
    if region is None:
        yield
        return
    region.enter(number)
    try:
        yield
    finally:
        region.leave(number)
