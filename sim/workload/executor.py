"""Runs operations: schedules, which are known before, and operations that programs post while they run.

Dynamic use. `post` starts an operation now and returns a handle; `run` advances until at least one posted operation is
done and returns what is done at that time. What is posted then starts at that same time:

    executor = IdealExecutor(2, LogGOPS())
    send = executor.post(0, SEND, peer=1, size=1024, tag=7)
    receive = executor.post(1, RECV, peer=ANY, tag=ANY)
    while done := executor.run():
        ...                                 # a Completion each: handle, rank, time, who sent what

A SEND is done when its buffer can be used again: an eager one (up to the threshold) after the overhead, any other when
its receiver took it. A PROBE is done when a message is there that a receive would take, and leaves it there. `Completion.sender` is the
handle of the SEND that a RECV or PROBE was matched with: what a message carries is kept by whoever posts, under that
handle. When `run` returns nothing, nothing will ever happen any more; `waiting` says who waits for whom.

Static use. `load` takes a schedule, of which blocks are read as they are needed, so that memory grows with the
operations in flight; `run` then returns when all is done.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from models.jit.compiled import entry_point
from sim.workload.engine.dependencies import admit, append, connect
from sim.workload.engine.events import NEVER
from sim.workload.engine.matching import find_unexpected
from sim.workload.engine.process import run_ideal
from sim.workload.engine.state import (
    ANY,
    CALC,
    NONE,
    PROBE,
    REACTIONS,
    RECV,
    SEND,
    SLOT_BITS,
    Costs,
    Messages,
)
from sim.workload.loggops import LogGOPS
from sim.workload.memory import new_messages, with_room
from sim.workload.operations import Operations, Schedule

LOW = 64  # operations of a rank that wait for others; with fewer, the next block is read
MESSAGES = 4096  # for which room is made at once

Int64 = NDArray[np.int64]


class Completion(NamedTuple):
    """What was posted, and is done.

    Attributes
    ----------
    handle, rank, kind
        Of the operation.
    time : int
        When it was done.
    peer, tag, size
        Of a RECV or PROBE: who sent, with which tag, how many bytes; of others as posted.
    sender : int
        Handle of the SEND that it was matched with; -1 of others.
    """

    handle: int
    rank: int
    time: int
    kind: int
    peer: int
    tag: int
    size: int
    sender: int


@dataclass(eq=False)
class _Feed:
    """What is still to be read of a rank.

    Attributes
    ----------
    blocks : iterator
        The rest.
    offset : int
        Number of its job's rank 0.
    ready : int
        When it may start.
    count : int
        Operations read.
    numbers, handles : array
        Of those read that are not done.
    """

    blocks: Iterator[Operations]
    offset: int
    ranks: int
    ready: int
    source: str
    count: int
    numbers: Int64
    handles: Int64
    whole: bool


@dataclass(eq=False)
class _Answer:
    """What a rank posts in answer to reports: as operations do that wait for others, it takes its place in the queue of
    events when the end of what it waited for was found, though that end was still to come.

    Attributes
    ----------
    time : int
        Of the last report.
    stamp : int
        From which on what is posted is entered.
    free : int
        When the rank's CPU was to be free.
    posted : list of int
        Operations of each kind that were.
    """

    time: int
    stamp: int
    free: int
    posted: list[int] = field(default_factory=lambda: [0] * PROBE)


class Executor(ABC):
    """Ranks with their operations; a kind of network each.

    Parameters
    ----------
    ranks : int
        Their number.
    costs : Costs
        Of messages.
    cpus, nics : int
        That operations name, a rank.

    Raises
    ------
    TsujiError
        If there are no ranks.
    """

    def __init__(self, ranks: int, costs: Costs, cpus: int = 1, nics: int = 1) -> None:
        if ranks < 1:
            raise TsujiError(f"{ranks} ranks: there must be at least one")
        self.ranks = ranks
        self._x = with_room(new_messages(ranks, costs, cpus, nics), LEAST_OPERATIONS, LEAST_OPERATIONS, MESSAGES)
        self._feeds: dict[int, _Feed] = {}
        self._find = entry_point(find_unexpected, self._x, 0, 0, 0)
        self._answers: dict[int, _Answer] = {}

    @abstractmethod
    def _advance(self, until: int) -> None:
        """Advance to the beginning of `until`, or until something is asked for, is reported, or nothing is due."""

    @abstractmethod
    def time_of(self, ns: float | NDArray[np.float64]) -> Int64:
        """Return nanoseconds in units of time, rounded."""

    @abstractmethod
    def ns(self, time: int) -> float:
        """Return a time in nanoseconds."""

    @property
    def now(self) -> int:
        """The present time."""
        return int(self._x.clock[0].now)

    @property
    def finished(self) -> int:
        """Operations done."""
        return int(self._x.ranks.finished.sum())

    @property
    def unfinished(self) -> int:
        """Operations that have been read or posted and are not done."""
        return int(self._x.ranks.alive.sum())

    def post(
        self, rank: int, kind: int, peer: int = ANY, size: float = 0, tag: int = 0, cpu: int = 0, nic: int = 0
    ) -> int:
        """Start an operation now; return its handle.

        Parameters
        ----------
        rank : int
            Whose it is.
        kind : {SEND, RECV, CALC, PROBE}
            What it does.
        peer, tag : int
            Of a message; `ANY` where it is received.
        size : float
            Bytes; of a calculation nanoseconds.
        cpu, nic : int
            That it uses.

        Raises
        ------
        TsujiError
            Naming the argument and what is allowed.
        """
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
                raise TsujiError(f"{name} = {value}: must be from {low} to {end - 1}")
        self._x = with_room(self._x, 1)
        number = int(self.time_of(size)) if kind == CALC else int(size)
        columns = (np.array([value], np.int64) for value in (kind, peer, number, tag, cpu, nic))
        slots = np.empty(1, np.int64)
        with self._answering(rank, kind, cpu):
            append(self._x, rank, *columns, True, self.now, slots)
            admit(self._x, rank, slots)
        self._synchronise()
        slot = int(slots[0])
        return int(self._x.operations.serial[slot]) << SLOT_BITS | slot

    @contextmanager
    def _answering(self, rank: int, kind: int, cpu: int) -> Iterator[None]:
        """Have what is entered be as if it had waited for what was reported last, where that is just over."""
        answer, clock, cpu_free = self._answers.get(rank), self._x.clock[0], self._x.cpu_free
        if answer is None or answer.time != self.now:
            yield
            return
        later, busy = int(clock.stamp), int(cpu_free[rank, cpu])
        # Of what an event sets free, sends come first, then receives, then calculations.
        clock.stamp = answer.stamp + (kind - SEND) * (REACTIONS // PROBE) + answer.posted[kind - SEND]
        cpu_free[rank, cpu] = answer.free
        yield
        answer.posted[kind - SEND] += 1
        clock.stamp, cpu_free[rank, cpu] = later, busy

    def iprobe(self, rank: int, source: int = ANY, tag: int = ANY) -> Completion | None:
        """Return the first message that is there for a receive of `rank` with this source and tag, if any."""
        place = int(self._find(self._x, rank, source, tag))
        if place == NONE:
            return None
        m = self._x.messages[place]
        return Completion(NONE, rank, self.now, PROBE, int(m.source), int(m.tag), int(m.amount), int(m.sender))

    def load(self, schedule: Schedule, first: int = 0, start: int = 0) -> None:
        """Have ranks `first` and following do what a schedule says, from time `start` on.

        Raises
        ------
        TsujiError
            If it has more ranks than there are, or names things that are not there.
        """
        if first + schedule.ranks > self.ranks:
            raise TsujiError(f"{schedule.source}: {schedule.ranks} ranks from rank {first} on: there are {self.ranks}")
        none = np.empty(0, np.int64)
        for rank in range(schedule.ranks):
            feed = _Feed(
                schedule.blocks(rank), first, schedule.ranks, start, schedule.source, 0, none, none, schedule.whole
            )
            self._feeds[first + rank] = feed
            self._feed(first + rank)
        self._synchronise()

    def _feed(self, rank: int) -> None:
        """Read blocks of a rank until enough of its operations wait for others."""
        state, feed = self._x.ranks[rank], self._feeds.get(rank)
        while feed is not None and state.waiting < LOW:
            block = next(feed.blocks, None)
            if block is None:
                del self._feeds[rank]
                break
            self._enter(rank, feed, block)
        state.low = LOW if rank in self._feeds else 0

    def _enter(self, rank: int, feed: _Feed, block: Operations) -> None:
        """Enter a block of a rank's operations."""
        what = f"{feed.source}: rank {rank - feed.offset}"
        block.check(feed.ranks, what)
        for name, values, count in (
            ("cpu", block.cpu, self._x.cpu_free.shape[1]),
            ("nic", block.nic, self._x.send_free.shape[1]),
        ):
            if values.max(initial=0) >= count:
                raise TsujiError(f"{what}: {name} = {values.max()}: must be below {count}")
        n = len(block)
        self._x = with_room(self._x, n, len(block.requires))
        x = self._x
        is_calc = block.kind == CALC
        size = np.where(is_calc, self.time_of(block.size), block.size)
        peer = np.where(is_calc | (block.peer == ANY), block.peer, block.peer + feed.offset)
        slots = np.empty(n, np.int64)
        columns = (block.kind, peer, size, block.tag, block.cpu, block.nic)
        append(x, rank, *(column.astype(np.int64) for column in columns), False, feed.ready, slots)
        of = self._slots(feed, block, slots, what)
        alive = of != NONE
        to = np.repeat(slots, np.diff(block.first))
        connect(x, to[alive], of[alive], block.on_start[alive])
        admit(x, rank, slots)
        if not feed.whole:
            kept = x.operations.serial[feed.handles & ((1 << SLOT_BITS) - 1)] == feed.handles >> SLOT_BITS
            handles = x.operations.serial[slots] << SLOT_BITS | slots
            feed.numbers = np.concatenate((feed.numbers[kept], np.arange(feed.count, feed.count + n)))
            feed.handles = np.concatenate((feed.handles[kept], handles))
        feed.count += n

    def _slots(self, feed: _Feed, block: Operations, slots: Int64, what: str) -> Int64:
        """Return the slot of each operation that is required, NONE if it is done."""
        within = block.requires - feed.count
        bad = (block.requires < 0) | (within >= len(block))
        if bad.any():
            raise TsujiError(f"{what}: requires operation {block.requires[bad][0]}: there is none of that number")
        of = slots[np.maximum(within, 0)] if len(block) else slots
        before = np.flatnonzero(within < 0)
        if len(before):
            number = block.requires[before]
            place = np.minimum(np.searchsorted(feed.numbers, number), len(feed.numbers) - 1)
            slot = feed.handles[place] & ((1 << SLOT_BITS) - 1)
            alive = (feed.numbers[place] == number) & (
                self._x.operations.serial[slot] == feed.handles[place] >> SLOT_BITS
            )
            of[before] = np.where(alive, slot, NONE)
        return of

    def run(self, until: int | None = None) -> list[Completion]:
        """Advance until posted operations are done, or until a time; return those that one event ended.

        It returns nothing at `until`, and without it when nothing will ever happen any more.
        """
        end = NEVER if until is None else until
        clock = self._x.clock[0]
        clock.reports = 0
        while True:
            self._advance(end)
            clock = self._x.clock[0]
            if clock.free_messages == 0:
                self._x = with_room(self._x, messages=MESSAGES)
                self._synchronise()
            elif clock.hungry:
                clock.hungry = 0
                for rank in np.flatnonzero(self._x.ranks.low == NONE):
                    self._feed(int(rank))
                self._synchronise()
            elif not self._asked():
                break
        reports = self._x.reports[: clock.reports]
        for each in reports:
            answer = self._answers.get(int(each.rank))
            if answer is None or any(answer.posted) or answer.stamp < each.stamp:
                self._answers[int(each.rank)] = _Answer(int(each.time), int(each.stamp), int(each.free))
            else:
                answer.time = int(each.time)
        return [
            Completion(
                handle=int(each.handle),
                rank=int(each.rank),
                time=int(each.time),
                kind=int(each.kind),
                peer=int(each.peer),
                tag=int(each.tag),
                size=int(each.amount),
                sender=int(each.sender),
            )
            for each in reports
        ]

    def _asked(self) -> bool:
        """Give what a kind of network asks for; return whether it asked."""
        return False

    def _synchronise(self) -> None:
        """Tell a network that the arrays of the message layer may be others."""

    def waiting(self) -> list[str]:
        """Return who waits for whom, a line for each operation that has begun and is not done."""
        x = self._x
        lines = []
        for op in np.flatnonzero((x.operations.serial != NONE) & (x.operations.started == 1)):
            o = x.operations[op]
            who = f"rank {o.rank} waits for "
            if o.kind in (RECV, PROBE):
                peer = "any rank" if o.peer == ANY else f"rank {o.peer}"
                tag = "any tag" if o.tag == ANY else f"tag {o.tag}"
                lines.append(f"{who}a message from {peer}, {tag}")
            elif o.kind == SEND:
                lines.append(f"{who}rank {o.peer} to receive {o.amount} bytes, tag {o.tag}")
        return lines

    def unreceived(self) -> list[str]:
        """Return the messages that no receive took, a line each."""
        lines = []
        for rank in range(self.ranks):
            message = int(self._x.ranks[rank].unexpected)
            while message != NONE:
                m = self._x.messages[message]
                lines.append(f"rank {rank} did not receive {m.amount} bytes from rank {m.source}, tag {m.tag}")
                message = int(m.next)
        return lines


LEAST_OPERATIONS = 64


class IdealExecutor(Executor):
    """Ranks on a network without contention, in nanoseconds.

    Parameters
    ----------
    ranks : int
        Their number.
    parameters : LogGOPS
        Of the network.
    cpus, nics : int
        A rank.
    """

    def __init__(self, ranks: int, parameters: LogGOPS, cpus: int = 1, nics: int = 1) -> None:
        super().__init__(ranks, parameters.costs(), cpus, nics)
        self._call = entry_point(run_ideal, self._x, 0)

    def _advance(self, until: int) -> None:
        self._call(self._x, until)

    def time_of(self, ns: float | NDArray[np.float64]) -> Int64:
        """Return nanoseconds, rounded."""
        return np.rint(ns).astype(np.int64) if np.asarray(ns).dtype.kind == "f" else np.asarray(ns, np.int64)

    def ns(self, time: int) -> float:
        """Return a time as it is."""
        return time


__all__ = ["Completion", "Executor", "IdealExecutor", "Messages"]
