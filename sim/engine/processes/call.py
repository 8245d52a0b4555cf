"""Advances a network by several processes under MPI, each with the engine of a part (`sim.engine.threads.parts`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from models.errors import TsujiError
from sim.engine.dispatch import EngineCall, Specialise
from sim.engine.one_process import OneProcess
from sim.engine.processes.exchange import Exchange
from sim.engine.processes.processes import Processes
from sim.engine.processes.registers import Registers
from sim.engine.state import Engine
from sim.engine.threads.cut import Cut
from sim.engine.threads.handover import Handover
from sim.engine.threads.part_loop import run_part
from sim.engine.threads.parts import part_engines
from sim.topology.link_times import LinkTimes


class ProcessesCall(OneProcess):
    """Calls the loop of the part of this process, window by window; has the interface of `EngineCall`.

    Every process holds the whole network, and the same packets in the same places; but only the registers of the
    switches of its part, and of nodes there, are those of the present cycle.

    Parameters
    ----------
    specialise : bool or "auto"
        As of `EngineCall`.
    cut : Cut
        The parts, one per process.
    times : LinkTimes
        Latencies and intervals of the links.
    processes : Processes
    """

    def __init__(self, specialise: Specialise, cut: Cut, times: LinkTimes, processes: Processes) -> None:
        self._cut, self._times, self._processes = cut, times, processes
        self._call = EngineCall(specialise, run_part)
        self._handover = Handover(cut)
        self._registers = Registers(cut, processes)
        self._exchange: Exchange | None = None
        self._failed = False
        self.engines = []

    def __call__(self, e: Engine, end: int) -> None:
        """Advance the network to the beginning of cycle `end`.

        Raises
        ------
        TsujiError
            If this process has failed in an earlier call, so that the parts are not at the same cycle.
        """
        if self._failed:
            raise TsujiError("a process that advanced a part of this network has failed; build it anew")
        self._failed = True
        if self._handover.is_due(e):
            if not self.engines:
                self.engines = part_engines(e, self._cut, self._times, [self._processes.rank], apart=True)
                self._exchange = Exchange(e, self.engines[0], self._cut, self._processes)
            self._handover.hand_out(e, self.engines)
        self._prepare()
        self._advance(end)
        self._handover.collect(e, end, self._processes.of_all(self._handover.take(self.engines[0])))
        self._failed = False

    def _prepare(self) -> None:
        """Choose the loop; the first time, one process of each machine compiles for the others."""
        assert self._exchange is not None
        if self._call.begun:
            self._call.prepare(self.engines[0])
            return

        def load() -> None:
            assert self._exchange is not None
            self._call.prepare(self.engines[0])
            self._exchange.prepare(self.engines[0])

        self._processes.first_here(load)

    def _advance(self, end: int) -> None:
        """Advance the part to the beginning of cycle `end`."""
        assert self._exchange is not None
        part = self.engines[0]
        now = part.clock.view(np.ndarray)["cycle"]
        while now[0] < end:
            self._call.run(part, end)
            now[0] = self._exchange.next_begin(part, int(now[0]), end)

    def expect(self, end: int) -> None:
        """Say in which cycle the run is expected to end."""
        self._call.expect(end)

    def total(self, number: int) -> int:
        """Return the sum of the numbers of all processes."""
        return self._processes.total(number)

    def merged(self, values: np.ndarray) -> np.ndarray:
        """Return an array [switches, …] with the values of each switch from the process that advances it."""
        return self._registers.merged(values)

    @contextmanager
    def whole(self, engine: Engine) -> Iterator[None]:
        """Hold in the `with` block the registers of all switches, and the records of packets in them, in an engine."""
        with self._registers.gathered(engine):
            yield
