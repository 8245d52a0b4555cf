"""Advances a network by several threads, each with the engine of a part (`sim.engine.threads.parts`)."""

from __future__ import annotations

from functools import partial

from models.errors import TsujiError
from models.jit.compiled import unlocked_entry_point
from sim.engine.dispatch import EngineCall, Specialise
from sim.engine.one_process import OneProcess
from sim.engine.state import Engine
from sim.engine.threads.barrier import FAILED
from sim.engine.threads.count import cpus
from sim.engine.threads.cut import Cut
from sim.engine.threads.handover import Handover
from sim.engine.threads.part_loop import run_part
from sim.engine.threads.parts import part_engines
from sim.engine.threads.team import Team
from sim.topology.link_times import LinkTimes

SPINS = 10_000  # pauses before a waiting thread sleeps, if each has a processor: some hundred microseconds


class PartsCall(OneProcess):
    """Calls the loops of a network's parts, at the same time; has the interface of `EngineCall`.

    Parameters
    ----------
    specialise : bool or "auto"
        As of `EngineCall`.
    cut : Cut
        The parts.
    times : LinkTimes
        Latencies and intervals of the links.
    """

    def __init__(self, specialise: Specialise, cut: Cut, times: LinkTimes) -> None:
        self._cut, self._times = cut, times
        self._calls = [EngineCall(specialise, run_part, unlocked_entry_point) for _ in range(cut.count)]
        self._team = Team(cut.count)
        self._handover = Handover(cut)
        self.engines = []

    def __call__(self, e: Engine, end: int) -> None:
        """Advance the parts of a network to the beginning of cycle `end`.

        Raises
        ------
        TsujiError
            If a thread has failed or was interrupted in an earlier call, so that the parts are not at the same cycle.
        """
        if self._failed:
            raise TsujiError(
                "a thread that advanced a part of this network was interrupted or has failed; build it anew"
            )
        if self._handover.is_due(e):
            if not self.engines:
                spins = SPINS if self._cut.count <= cpus() else 1
                self.engines = part_engines(e, self._cut, self._times, range(self._cut.count), spins)
            self._handover.hand_out(e, self.engines)
        for call, each in zip(self._calls, self.engines, strict=True):
            call.prepare(each)  # one after the other: the first one may compile
        try:
            work = [partial(call.run, each, end) for call, each in zip(self._calls, self.engines, strict=True)]
            self._team.run(work, partial(self._fail_before, end, self.engines[0]))
        finally:
            for each in self.engines:
                self._fail_before(end, each)
            if not self._failed:
                self._handover.gather(e, end, self.engines)

    @property
    def _failed(self) -> bool:
        return bool(self.engines and self.engines[0].part.barrier[FAILED])

    def expect(self, end: int) -> None:
        """Say in which cycle the run is expected to end."""
        for call in self._calls:
            call.expect(end)

    def _fail_before(self, end: int, part: Engine) -> None:
        """Have the threads that wait at the barrier return, unless a part has advanced to cycle `end`.

        Ctrl-C is noticed when the compiled code of part 0 has ended: then all are behind the last barrier, or end too.
        """
        if part.clock[0].cycle < end:
            part.part.barrier[FAILED] = 1
