"""Advances a network that carries messages of ranks by several threads, one of which is the coordinator."""

from __future__ import annotations

from threading import Thread
from weakref import finalize

import numpy as np

from models.errors import TsujiError
from models.jit.compiled import unlocked_entry_point
from sim.engine.dispatch import EngineCall, Specialise
from sim.engine.one_process import OneProcess
from sim.engine.state import Engine
from sim.engine.threads.barrier import FAILED
from sim.engine.threads.call import SPINS
from sim.engine.threads.coordinator import dismiss
from sim.engine.threads.count import cpus
from sim.engine.threads.cut import Cut
from sim.engine.threads.mail import PAUSED
from sim.engine.threads.part_loop import run_part
from sim.engine.threads.parts import part_engines
from sim.engine.threads.ranks_handover import RanksHandover
from sim.messages.events import NEVER
from sim.topology.link_times import LinkTimes


class RanksCall(OneProcess):
    """Calls the loops of a network's parts; has the interface of `EngineCall`.

    The caller's thread advances part 0 and is the coordinator (`sim.engine.threads.coordinator`). Ranks continue some
    hundred thousand times a second; the other threads then wait in compiled code until the next call, because to start
    them takes longer than a cycle of the network.

    Parameters
    ----------
    specialise : bool or "auto"
        As of `EngineCall`.
    cut : Cut
        The parts, with windows of one cycle.
    times : LinkTimes
        Latencies and intervals of the links.
    """

    def __init__(self, specialise: Specialise, cut: Cut, times: LinkTimes) -> None:
        self._cut, self._times = cut, times
        self._calls = [EngineCall(specialise, run_part, unlocked_entry_point) for _ in range(cut.count)]
        self._handover = RanksHandover(cut)
        self._others: list[Thread] = []
        self._failures: list[BaseException] = []
        self.engines = []

    def __call__(self, e: Engine, end: int) -> None:
        """Advance the parts of a network to the beginning of cycle `end`, or until Python must act.

        Raises
        ------
        TsujiError
            If a thread has failed in an earlier call, so that the parts are not at the same cycle, or if an earlier
            call was interrupted.
        """
        if self.engines and self.engines[0].part.barrier[FAILED]:
            self._join()
            raise TsujiError(
                "a thread that advanced a part of this network was interrupted or has failed; build it anew"
            )
        try:
            self._advance(e, end)
        except BaseException:  # Ctrl-C, too: threads may have ended, or wait, and no later call is to wait for them
            if self.engines:
                _fail(self.engines[0].part.barrier)
            raise
        finally:
            if not self._handover.is_due(e):
                self._handover.gather(e, end, self.engines)

    def _advance(self, e: Engine, end: int) -> None:
        """Hand out an engine if it has changed, and advance its parts."""
        if self._handover.is_due(e):
            self._dismiss()
            if not self.engines:
                spins = SPINS if self._cut.count <= cpus() else 1
                self.engines = part_engines(e, self._cut, self._times, range(self._cut.count), spins)
                # Threads that wait for a coordinator which is gone would wait for ever.
                finalize(self, _fail, self.engines[0].part.barrier)
            self._handover.hand_out(e, self.engines)
        self._calls[0].prepare(self.engines[0])
        if not self._others:
            self._start()
        self._calls[0].run(self.engines[0], end)
        part = self.engines[0].part
        if not part.own[PAUSED] or part.barrier[FAILED]:
            self._join()

    def _start(self) -> None:
        """Start the threads of the other parts, which run until they are dismissed, or the coordinator's call ends."""
        others = list(zip(self._calls[1:], self.engines[1:], strict=True))
        for call, engine in others:
            call.prepare(engine)  # one after the other: the first one may compile
        for call, engine in others:
            work = call, engine, self.engines[0].part.barrier, self._failures
            each = Thread(target=_run, args=work, name="tsuji", daemon=True)
            each.start()
            self._others.append(each)

    def _dismiss(self) -> None:
        """End the calls of threads that wait for the coordinator."""
        if self._others:
            dismiss(self.engines[0])
            self._join()

    def _join(self) -> None:
        """Wait for the other threads, whose calls end; raise what one of them has raised."""
        for each in self._others:
            each.join()
        self._others = []
        if self._failures:
            raise self._failures.pop()

    def short_of_packets(self, engine: Engine) -> bool:
        """Return whether messages need more room for packets in any part."""
        return not self._others and self._handover.is_short

    def free_packets(self, engine: Engine) -> np.ndarray:
        """Return the free packets of messages, of all parts."""
        return np.concatenate([super(RanksCall, self).free_packets(each) for each in self.engines or [engine]])

    def expect(self, end: int) -> None:
        """Say in which cycle the run is expected to end."""
        for call in self._calls:
            call.expect(end)


def _run(call: EngineCall, engine: Engine, barrier: np.ndarray, failures: list[BaseException]) -> None:
    """Advance a part; if that fails, tell the other threads."""
    try:
        call.run(engine, NEVER)
    except BaseException as error:
        failures.append(error)
        _fail(barrier)


def _fail(barrier: np.ndarray) -> None:
    """Have the threads that wait at a barrier return."""
    barrier[FAILED] = 1
