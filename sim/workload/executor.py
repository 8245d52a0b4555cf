"""Executes operations: of schedules, known in advance, and those that programs post while they run.

Dynamic use. `post` starts an operation now and returns a handle; `run` advances until at least one posted operation is
done, or all that a rank awaits (`await_all`), and returns the completions. Operations posted then start at that same
time:

    executor = IdealExecutor(2, LogGOPS())
    send = executor.post(0, SEND, peer=1, size=1024, tag=7)
    receive = executor.post(1, RECV, peer=ANY, tag=ANY)
    while done := executor.run():
        ...                                 # a Completion each: handle, rank, time, who sent what

A SEND is done when its buffer can be used again: an eager one (up to the threshold) after the overhead, any other when
its receiver has taken it. A PROBE is done when there is a message that a receive would match, and leaves it there.
`Completion.sender` is the handle of the SEND that a RECV or PROBE was matched with; the caller keeps the content of
messages by that handle. When `run` returns an empty list, no event is left; `waiting` describes the operations that
wait.

Static use. `load` takes a schedule, whose blocks are read on demand, so that memory grows with the operations in
flight; `run` then returns when all is done.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from time import monotonic
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from models.jit.compiled import entry_point
from sim.config.costs import Costs
from sim.lib.interruption import end_of_run, note_end
from sim.lib.progress import report as report_progress
from sim.messages.events import NEVER
from sim.messages.matching import find_unexpected
from sim.messages.memory import new_messages, with_room
from sim.messages.plight import unreceived, waiting
from sim.messages.posting import await_operations, post_operation
from sim.messages.state import (
    ANY,
    CALC,
    CLOCK_RECORD,
    NONE,
    PROBE,
    RECV,
    SEND,
    Messages,
)
from sim.schedule.operations import Schedule
from sim.workload.feed import Feed
from sim.workload.rounds_feed import Row, enter_rounds

LOW = 64  # waiting operations of a rank below which its next block is read
MESSAGES = 4096  # minimum growth of arrays
TELL_SECONDS = 0.2
LEAST_OPERATIONS = 64
LEAST_AWAITED = 64  # room for operations that a rank awaits together

NOW, EVENTS, REPORTS, READY, HUNGRY, FREE_MESSAGES = map(
    (CLOCK_RECORD.names or ()).index, ("now", "events", "reports", "ready", "hungry", "free_messages")
)
REPORTED = ["handle", "rank", "time", "kind", "peer", "tag", "amount", "sender"]  # in the order of `Completion`

Int64 = NDArray[np.int64]


class Completion(NamedTuple):
    """A posted operation that is done.

    Attributes
    ----------
    handle, rank, kind
        Handle, rank and kind of the operation.
    time : int
        Time of completion.
    peer, tag, size
        For a RECV or PROBE sender, tag and bytes of the message; for others as posted.
    sender : int
        Handle of the SEND that it was matched with; -1 for other kinds.
    """

    handle: int
    rank: int
    time: int
    kind: int
    peer: int
    tag: int
    size: int
    sender: int


class Executor(ABC):
    """Ranks with their operations; one subclass per kind of network.

    Attributes
    ----------
    stage : str
        Name of the replay in reports of its progress.

    Parameters
    ----------
    ranks : int
        Number of ranks.
    costs : Costs
        Costs of messages.
    cpus, nics : int
        CPUs and interfaces per rank that operations may name.

    Raises
    ------
    TsujiError
        If there are no ranks.
    """

    stage = "replaying"

    def __init__(self, ranks: int, costs: Costs, cpus: int = 1, nics: int = 1) -> None:
        if ranks < 1:
            raise TsujiError(f"{ranks} ranks: there must be at least one")
        self.ranks = ranks
        self._x = with_room(new_messages(ranks, costs, cpus, nics), LEAST_OPERATIONS, LEAST_OPERATIONS, MESSAGES)
        self._feeds: dict[int, Feed] = {}
        self._schedules: list[Schedule] = []
        self._read_before = 0  # bytes of the schedules that an earlier replay has read
        self._told = 0.0
        self._reported: object = None  # the array that `_columns` view
        self._clock = self._x.clock.view(np.ndarray).view(np.int64)
        self._find = entry_point(find_unexpected, self._x, 0, 0, 0)
        self._post = entry_point(post_operation, self._x, 0, 0, 0, 0, 0, 0, 0)
        self._awaited = np.empty(LEAST_AWAITED, np.int64)
        self._await = entry_point(await_operations, self._x, 0, self._awaited, 0, 0)

    @abstractmethod
    def _advance(self, until: int) -> None:
        """Advance to the beginning of `until`, or until operations, room or a report are due, or no event is left."""

    @abstractmethod
    def time_of(self, ns: float | NDArray[np.float64]) -> Int64:
        """Return the duration of a calculation, nanoseconds, in units of time, scaled and rounded."""

    @abstractmethod
    def ns(self, time: int) -> float:
        """Return a time in nanoseconds."""

    @abstractmethod
    def start_of(self, ns: float) -> int:
        """Return a time since the beginning, nanoseconds, in units of time."""

    def break_off(self, error: BaseException) -> None:
        """Keep what is recorded of a run that `error` ends before its end, and add a note to it that says when."""
        note_end(error, f"{end_of_run(error)} {self.stage}, at {self.ns(self.now):,.0f} ns")

    @property
    def layer(self) -> Messages:
        """The message layer, read-only."""
        return self._x

    @property
    def now(self) -> int:
        """Current time."""
        return int(self._clock[NOW])

    @property
    def finished(self) -> int:
        """Operations done."""
        return int(self._x.ranks.finished.sum())

    @property
    def unfinished(self) -> int:
        """Number of operations that have been read or posted and are not done."""
        return int(self._x.ranks.alive.sum())

    def rank_times(self) -> dict[str, NDArray[np.float64]]:
        """Return end, calculation time and overhead of each rank, in units of time."""
        ranks = self._x.ranks
        return {name: ranks[name].astype(np.float64) for name in ("end", "compute", "overhead")}

    def latencies(self) -> tuple[Int64, NDArray[np.float64]]:
        """Return, by sender, the messages that have arrived in a simulated network, and the sum of their latencies, ns.

        A latency is the time from the beginning of the send until all bytes are at the receiver's node.
        """
        ranks = self._x.ranks
        return ranks.arrived.astype(np.int64), ranks.latency.astype(np.float64) * self.ns(1)

    @property
    def messages(self) -> int:
        """Messages sent so far."""
        return int(self._x.clock[0].messages)

    @property
    def bytes(self) -> int:
        """Bytes of these messages."""
        return int(self._x.clock[0].bytes)

    def post(
        self, rank: int, kind: int, peer: int = ANY, size: float = 0, tag: int = 0, cpu: int = 0, nic: int = 0
    ) -> int:
        """Start an operation now; return its handle.

        Parameters
        ----------
        rank : int
            Rank of the operation.
        kind : {SEND, RECV, CALC, PROBE}
            Kind of the operation.
        peer, tag : int
            Peer and tag of a message; a receive may have `ANY`.
        size : float
            Bytes; nanoseconds for a calculation.
        cpu, nic : int
            CPU and interface that it uses.

        Raises
        ------
        TsujiError
            If an argument is not allowed; the message names it and what is allowed.
        """
        wild = kind in (RECV, PROBE)
        if not (
            0 <= rank < self.ranks
            and SEND <= kind <= PROBE
            and (ANY if wild or kind == CALC else 0) <= peer < self.ranks
            and (ANY if wild else 0) <= tag < NEVER
            and 0 <= size < NEVER
            and 0 <= cpu < self._x.cpu_free.shape[1]
            and 0 <= nic < self._x.send_free.shape[1]
        ):
            raise self._refusal(rank, kind, peer, size, tag, cpu, nic)
        number = int(self.time_of(size)) if kind == CALC else int(size)
        while (handle := self._post(self._x, rank, kind, peer, number, tag, cpu, nic)) == NONE:
            self._x = with_room(self._x, 1)
        return int(handle)

    def post_rounds(self, rank: int, rounds: Sequence[Sequence[Row]]) -> list[list[int]]:
        """Start operations now, those of a round when all of the previous round are done; return their handles.

        Parameters
        ----------
        rank : int
            Rank of the operations.
        rounds : sequence of rounds
            Kind, peer, size and tag of each operation, as in `post`.
        """
        first = [self.post(rank, *row) for row in rounds[0]]
        self._x, later = enter_rounds(self._x, rank, first, rounds[1:], self.now)
        return [first, *later]

    def await_all(self, rank: int, handles: Sequence[int], missing: int) -> None:
        """Make `run` continue until `missing` of a rank's operations are done.

        Operations of other ranks that end meanwhile are returned with them.

        Parameters
        ----------
        rank : int
            Rank of the operations.
        handles : sequence of int
            Operations, none of which is done.
        missing : int
            Number of operations to wait for, at least 1.
        """
        n = len(handles)
        if n > len(self._awaited):
            self._awaited = np.empty(2 * n, np.int64)
        self._awaited[:n] = handles
        self._await(self._x, rank, self._awaited, n, missing)

    def _refusal(self, rank: int, kind: int, peer: int, size: float, tag: int, cpu: int, nic: int) -> TsujiError:
        """Return the error of an invalid operation."""
        wild = kind in (RECV, PROBE)
        for name, value, low, end in (
            ("rank", rank, 0, self.ranks),
            ("kind", kind, SEND, PROBE + 1),
            ("peer", peer, ANY if wild or kind == CALC else 0, self.ranks),
            ("tag", tag, ANY if wild else 0, NEVER),
            ("size", size, 0, NEVER),
            ("cpu", cpu, 0, self._x.cpu_free.shape[1]),
            ("nic", nic, 0, self._x.send_free.shape[1]),
        ):
            if not low <= value < end:
                return TsujiError(f"{name} = {value}: must be from {low} to {end - 1}")
        raise AssertionError("nothing is wrong")

    def iprobe(self, rank: int, source: int = ANY, tag: int = ANY) -> Completion | None:
        """Return the first message that a receive of `rank` with this source and tag would match, if any."""
        place = int(self._find(self._x, rank, source, tag))
        if place == NONE:
            return None
        m = self._x.messages[place]
        return Completion(NONE, rank, self.now, PROBE, int(m.source), int(m.tag), int(m.amount), int(m.sender))

    def load(self, schedule: Schedule, first: int = 0, start: int = 0) -> None:
        """Let ranks from `first` on execute a schedule, from time `start` on.

        Raises
        ------
        TsujiError
            If it has more ranks than there are, or names a CPU or interface that does not exist.
        """
        if first + schedule.ranks > self.ranks:
            raise TsujiError(f"{schedule.source}: {schedule.ranks} ranks from rank {first} on: there are {self.ranks}")
        self._schedules.append(schedule)
        self._read_before += schedule.read
        for rank in range(schedule.ranks):
            self._feeds[first + rank] = Feed(schedule, rank, first, start, self.time_of)
            self._feed(first + rank)

    def _feed(self, rank: int) -> None:
        """Read blocks of a rank until enough of its operations are waiting."""
        state, feed = self._x.ranks[rank], self._feeds.get(rank)
        while feed is not None and state.waiting < LOW:
            x = feed.enter(self._x)
            if x is None:
                del self._feeds[rank]
                break
            self._x = x
        state.low = LOW if rank in self._feeds else 0

    def run(self, until: int | None = None) -> list[Completion]:
        """Advance until posted operations are done, or until a time; return the completions of one event.

        The list is empty at `until`, or when no event is left.
        """
        end = NEVER if until is None else until
        clock = self._clock
        clock[REPORTS] = clock[READY] = 0
        while True:
            self._advance(end)
            if clock[FREE_MESSAGES] == 0:
                self._x = with_room(self._x, messages=MESSAGES)
            elif clock[HUNGRY]:
                clock[HUNGRY] = 0
                self._tell()
                for rank in np.flatnonzero(self._x.ranks.low == NONE):
                    self._feed(int(rank))
            else:
                break
        if not clock[EVENTS]:
            self._tell()
        if self._x.reports is not self._reported:
            self._reported = self._x.reports
            self._columns = self._x.reports.view(np.ndarray)[REPORTED]
        return [Completion(*row) for row in self._columns[: clock[REPORTS]].tolist()]

    def _tell(self) -> None:
        """Report at intervals how much of the schedules is done."""
        now = monotonic()
        if now - self._told < TELL_SECONDS or not self._schedules:
            return
        self._told = now
        totals = [each.total for each in self._schedules]
        if None in totals:  # the share of the files that is read, and of its operations the share that is done
            read = sum(each.read for each in self._schedules) - self._read_before
            done = read * self.finished // max(1, self.finished + self.unfinished)
            total = sum(each.size for each in self._schedules)
        else:
            done, total = self.finished, sum(each or 0 for each in totals)
        if total:  # programs report their progress themselves
            report_progress(self.stage, done, total)

    def waiting(self) -> list[str]:
        """Return one line for each operation that has begun and is not done: what it waits for."""
        return waiting(self._x)

    def unreceived(self) -> list[str]:
        """Return one line per message that no receive matched."""
        return unreceived(self._x)


__all__ = ["Completion", "Executor"]
