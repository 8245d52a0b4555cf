"""The ranks of a program, which take turns: each runs until it waits for messages, and resumes when they are there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from greenlet import GreenletExit, getcurrent

from models.errors import TsujiError
from sim.lib.array_check import check_int, check_number
from sim.lib.interruption import Terminated
from sim.mpi.errors import DeadlockError, ProgramError
from sim.mpi.payload import Payload
from sim.mpi.rank import NOTHING_POSTED, Background, Posted, Rank, current
from sim.mpi.region import Region
from sim.schedule.collectives.registry import Algorithm, find
from sim.schedule.operations import CALC, PROBE, RECV, SEND
from sim.schedule.ti.timed_part import WHOLE, TimedPart

if TYPE_CHECKING:
    from sim.mpi.recorder import Recorder
    from sim.workload.executor import Completion, Executor

Told = Callable[[float, int, int], None]
"""Called at intervals with the simulated time in nanoseconds, the messages received, and the ranks that have ended."""
TELL_EVERY = 2048  # completions


class Message(NamedTuple):
    """A message that a rank sends or receives in a round; see `World.post`."""

    kind: int
    what: str
    peer: int
    size: int
    tag: int
    payload: Payload | None


class World:
    """A program's ranks on an executor.

    Parameters
    ----------
    executor : Executor
        Executor with the program's ranks, on which nothing has been posted.
    algorithms : mapping of str to str
        Algorithms of collectives by name; the others have their defaults.
    poll_ns : int
        Time of a test or probe that finds nothing, so that time advances in a program that repeats it.
    flops : float
        Floating-point operations per second of `compute`.
    recorder : Recorder or None
        Records the program as a trace.
    part : TimedPart
        Calls between which the region of interest is.

    Attributes
    ----------
    set_up : array [2]
        Messages, and their bytes, of calls that create communicators.

    Raises
    ------
    TsujiError
        If there is no such algorithm, or a number is out of range.
    """

    def __init__(
        self,
        executor: Executor,
        algorithms: Mapping[str, str] | None = None,
        *,
        poll_ns: int = 100,
        flops: float = 1e10,
        recorder: Recorder | None = None,
        part: TimedPart = WHOLE,
    ) -> None:
        check_int("poll_ns", poll_ns, 1)  # else programs that poll stand still
        check_number("flops", flops, 1)
        self.executor = executor
        self.poll_ns = poll_ns
        self.flops = flops
        self.recorder = recorder
        self.ranks: list[Rank] = []
        self.shared: dict[Any, Any] = {}  # communicators and collectives on which ranks agree
        self.received = 0
        self.set_up = np.zeros(2, np.int64)
        self.region = Region(executor.ranks, part, self._totals)
        self._chosen = dict(algorithms or {})
        for collective, name in self._chosen.items():
            find(collective, name)
        self._posted: dict[int, Posted] = {}
        self._payloads: dict[int, Payload] = {}

    def _totals(self, rank: int) -> np.ndarray:
        """Return the totals of a rank so far: time now, calculation, overhead, messages and bytes sent."""
        state = self.executor.layer.ranks[rank]
        return np.array([self.executor.now, state.compute, state.overhead, *self.ranks[rank].sent], np.int64)

    def algorithm(self, collective: str) -> Algorithm:
        """Return the algorithm of a collective."""
        return find(collective, self._chosen.get(collective))

    def run(self, bodies: Iterable[Callable[[], Any]], told: Told | None = None) -> list[Any]:
        """Run one function per rank until all have ended; return their results.

        Raises
        ------
        ProgramError
            If one fails, or violates the rules of MPI.
        DeadlockError
            If ranks wait for ever.
        """
        self.ranks = [Rank(self, number, body) for number, body in enumerate(bodies)]
        try:
            for rank in self.ranks:
                self._resume(rank)
            self._advance(told)
        finally:
            for rank in self._threads():
                if rank and not rank.dead:
                    rank.parent = getcurrent()
                    rank.throw(GreenletExit)
        return [rank.value for rank in self.ranks]

    def _advance(self, told: Told | None) -> None:
        since = 0
        while completions := self.executor.run():
            for completion in completions:
                self._complete(completion)
            since += len(completions)
            if told is not None and since >= TELL_EVERY:
                since = 0
                told(self.executor.ns(self.executor.now), self.received, sum(rank.dead for rank in self.ranks))
        stuck = [rank for rank in self._threads() if not rank.dead]
        if stuck:
            count = len({rank.number for rank in stuck})
            raise DeadlockError(f"{count} of {len(self.ranks)} ranks wait for ever:\n" + "\n".join(_plight(stuck)))

    def _threads(self) -> list[Rank]:
        """Return the programs of all ranks, each followed by its background threads."""
        return [thread for rank in self.ranks for thread in (rank, *rank.background)]

    def begin(self, call: str, body: Callable[[], Any]) -> Background:
        """Run a function of the running rank in the background, up to where it waits; return its thread."""
        me = current()
        me.calls(call)
        thread = Background(me, call, body)
        thread.background.append(thread)
        try:
            self._switch(thread)
        except Exception:
            thread.background.remove(thread)
            raise
        if thread.error is not None:
            raise thread.error
        return thread

    def _switch(self, rank: Rank) -> None:
        """Let a thread run until it waits."""
        rank.parent = getcurrent()  # to which it returns
        rank.switch()
        if isinstance(rank, Background) and rank.dead:
            rank.background.remove(rank)
            rank.ended.done = True
            self._tell(rank.ended)

    def _resume(self, rank: Rank) -> None:
        """Let a thread run until it waits; name its rank, and the place in the program, in its errors."""
        try:
            self._switch(rank)
        except TsujiError as error:
            kind = ProgramError if isinstance(error, ProgramError) else type(error)
            raise kind(f"rank {rank.number}: {error}") from error
        except Terminated:
            raise  # the program did not end by itself
        except SystemExit as error:
            if error.code:
                raise ProgramError(f"rank {rank.number}: the program ended with {error.code!r}") from error
        except Exception as error:
            raise ProgramError(f"rank {rank.number}: {_place(error)}{type(error).__name__}: {error}") from error

    def post(
        self,
        kind: int,
        what: str,
        peer: int = -1,
        size: int = 0,
        tag: int = 0,
        nic: int = 0,
        payload: Payload | None = None,
    ) -> Posted:
        """Start an operation of the running rank; see `Executor.post`."""
        rank = current()
        posted = Posted(rank, kind, what)
        handle = self.executor.post(rank.number, kind, peer, size, tag, nic=nic)
        posted.handle = handle
        self._posted[handle] = posted
        if kind == SEND:
            rank.sent += 1, size
        if self.recorder is not None:
            self.recorder.post(posted, peer, size, tag, nic)
        if payload is not None:
            self._payloads[handle] = payload
        return posted

    def post_rounds(self, rounds: Sequence[Sequence[Message]]) -> list[list[Posted]]:
        """Start messages of the running rank, those of a round when all of the previous round are over.

        The executor goes from round to round without Python. They are not recorded.
        """
        rank = current()
        rows = [[(each.kind, each.peer, each.size, each.tag) for each in messages] for messages in rounds]
        found = []
        for messages, handles in zip(rounds, self.executor.post_rounds(rank.number, rows), strict=True):
            found.append([Posted(rank, each.kind, each.what) for each in messages])
            for posted, handle, each in zip(found[-1], handles, messages, strict=True):
                posted.handle = handle
                self._posted[handle] = posted
                if each.kind == SEND:
                    rank.sent += 1, each.size
                if each.payload is not None:
                    self._payloads[handle] = each.payload
        return found

    def wait(self, posted: Sequence[Posted]) -> None:
        """Let the running rank wait until all of the operations are done."""
        self.wait_until(posted, len(posted))
        for each in posted:
            self.took(each)

    def wait_until(self, posted: Sequence[Posted], count: int) -> None:
        """Let the running rank wait until `count` of the operations are done."""
        pending = {each for each in posted if not each.done}
        missing = count - (len(posted) - len(pending))
        if missing > 0:
            rank = current()
            rank.awaited, rank.missing = pending, missing
            if rank.background:
                self._await_any(rank)
            else:
                self.executor.await_all(rank.number, [each.handle for each in pending], missing)
            rank.parent.switch()

    def _await_any(self, rank: Rank) -> None:
        """Let the executor continue until one of a rank's threads may have what it waits for."""
        handles: list[int] = []
        least = []
        home = rank.home if isinstance(rank, Background) else rank
        for thread in (home, *home.background):
            open_ones = [each.handle for each in thread.awaited if not each.done]
            own = [handle for handle in open_ones if handle != NOTHING_POSTED]
            if own:
                handles += own
                least.append(max(1, thread.missing - (len(open_ones) - len(own))))
        if handles:
            self.executor.await_all(rank.number, handles, min(least))

    def took(self, posted: Posted) -> None:
        """Record that the running rank knows that an operation is done, by a wait or test."""
        if self.recorder is not None:
            self.recorder.wait(posted)

    def compute(self, ns: int) -> None:
        """Let the running rank calculate for `ns` nanoseconds."""
        if ns:
            self.wait([self.post(CALC, "a calculation", size=ns)])

    def poll(self) -> None:
        """Let the running rank spend the time of a test that found nothing."""
        self.compute(self.poll_ns)

    def _complete(self, completion: Completion) -> None:
        posted = self._posted.pop(completion.handle)
        posted.done = True
        if posted.kind in (RECV, PROBE):
            posted.peer, posted.tag, posted.size = completion.peer, completion.tag, completion.size
        if posted.kind == RECV:
            self.received += 1
            posted.payload = self._payloads.pop(completion.sender)
        if self.recorder is not None:
            self.recorder.complete(posted)
        self._tell(posted)

    def _tell(self, posted: Posted) -> None:
        """Resume the thread that waits for an operation, if it was the last one for which it waits."""
        rank = posted.rank
        if posted in rank.awaited:
            rank.missing -= 1
            if rank.missing == 0:
                rank.awaited = set()
                self._resume(rank)


def _plight(stuck: list[Rank], limit: int = 16) -> list[str]:
    """Return a description of the ranks that wait and what they wait for."""
    lines = []
    for rank in stuck[:limit]:
        wanted = sorted({posted.what for posted in rank.awaited if not posted.done})
        more = f" and {len(wanted) - 3} more" if len(wanted) > 3 else ""
        lines.append(f"  rank {rank.number} in {rank.call}: {'; '.join(wanted[:3])}{more}")
    if len(stuck) > limit:
        lines.append(f"  and {len(stuck) - limit} more")
    return lines


def _place(error: Exception) -> str:
    """Return the last line of the program in an error's traceback."""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        frames.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    own = __file__.rpartition("sim")[0]
    outside = [frame for frame in frames if not frame[0].startswith(own + "sim") and "greenlet" not in frame[0]]
    return f"{outside[-1][0]}:{outside[-1][1]}: " if outside else ""
