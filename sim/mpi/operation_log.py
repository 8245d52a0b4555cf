"""Writes the operations of a program's ranks to a file, as rows of a timeline."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from models.errors import TsujiError
from sim.files.output_file import check_output
from sim.files.table_file import write_frame
from sim.mpi.rank import current
from sim.schedule.operations import CALC, PROBE, RECV, SEND

if TYPE_CHECKING:
    from sim.workload.executor import Completion, Executor
    from sim.workload.rounds_feed import Row

NAMES = {SEND: "send", RECV: "receive", CALC: "calculate", PROBE: "probe"}
NO_MESSAGE = -1


class _Round:
    """Operations that begin together.

    Attributes
    ----------
    begin : int
        Time at which they begin; -1: not yet begun.
    after : _Round or None
        Operations that begin when all of these are over.
    """

    def __init__(self, begin: int, missing: int) -> None:
        self.begin = begin
        self.after: _Round | None = None
        self._missing = missing
        self._last = 0

    def over(self, time: int) -> None:
        """Record that one of the operations is over."""
        self._missing -= 1
        self._last = max(self._last, time)
        if self._missing == 0 and self.after is not None:
            self.after.begin = self._last


class OperationLog:
    """An executor that records when each operation posted on it begins and ends.

    Otherwise it behaves as `executor`. Columns of the file: `rank`, `kind` (send, receive, calculate, probe),
    `start_ns` (time of posting; in later rounds of a collective, end of the previous round), `end_ns`, `peer`, `bytes`,
    `tag`, `call` (the MPI function that posted it), and `message`: a number shared by a send and its receive, else -1.
    A send ends when its rank can use the buffer again; its message may still be in flight.

    Parameters
    ----------
    executor : Executor
    path : Path
        Parquet file.

    Raises
    ------
    TsujiError
        If the file has another ending, or cannot be written.
    """

    def __init__(self, executor: Executor, path: Path) -> None:
        if path.suffix != ".parquet":
            raise TsujiError(f"--operations {path}: must end in .parquet")
        check_output(path, "--operations")
        self._executor = executor
        self.path = path
        self._posted: dict[int, int] = {}  # times by handle
        self._called: dict[int, str] = {}  # functions by handle
        self._calls: list[str] = []  # functions, one per row
        self._rounds: dict[int, _Round] = {}  # operations that wait for a previous round
        self._columns = {
            name: array("q") for name in ("rank", "kind", "start", "end", "peer", "bytes", "tag", "message")
        }

    def __getattr__(self, name: str) -> Any:
        return getattr(self._executor, name)

    def post(self, rank: int, kind: int, *arguments: Any, **named: Any) -> int:
        """Start an operation, as the executor does."""
        handle = self._executor.post(rank, kind, *arguments, **named)
        self._posted[handle] = self._executor.now
        self._called[handle] = current().call
        return handle

    def post_rounds(self, rank: int, rounds: Sequence[Sequence[Row]]) -> list[list[int]]:
        """Start rounds of operations, as the executor does; a round begins when the previous one is over."""
        found = self._executor.post_rounds(rank, rounds)
        now = self._executor.now
        for handles in found:
            this = _Round(now, len(handles))
            for handle in handles:
                self._rounds[handle] = this
                self._called[handle] = current().call
            now = -1  # not known yet
        for before, after in pairwise(found):
            self._rounds[before[0]].after = self._rounds[after[0]]
        return found

    def run(self, until: int | None = None) -> list[Completion]:
        """Advance, as the executor does."""
        done = self._executor.run(until)
        for each in done:
            self._note(each)
        return done

    def _note(self, done: Completion) -> None:
        """Record an operation that is done."""
        message = done.handle if done.kind == SEND else done.sender if done.kind == RECV else NO_MESSAGE
        amount = 0 if done.kind == CALC else done.size
        here = self._rounds.pop(done.handle, None)
        begin = self._posted.pop(done.handle) if here is None else here.begin
        if here is not None:
            here.over(done.time)
        row = done.rank, done.kind, begin, done.time, done.peer, amount, done.tag, message
        for column, value in zip(self._columns.values(), row, strict=True):
            column.append(value)
        self._calls.append(self._called.pop(done.handle))

    def write(self) -> None:
        """Write the file."""
        table = pd.DataFrame({name: pd.Series(memoryview(column)) for name, column in self._columns.items()})
        unit = self._executor.ns(1)
        table["kind"] = table["kind"].map(NAMES)
        table["call"] = pd.Series(self._calls, dtype="string")
        table["start"], table["end"] = table["start"] * unit, table["end"] * unit
        write_frame(table.rename(columns={"start": "start_ns", "end": "end_ns"}), self.path)
