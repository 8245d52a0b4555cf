"""Registers of switches that other processes advance."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from models.components import REGISTERS
from models.jit.simd_type import LANES
from models.readout import show_registers
from models.state.declare import NOTHING, Array
from models.state.registers import SwitchState
from sim.engine.processes.processes import Processes
from sim.engine.stalls.snapshot import front_of
from sim.engine.state import Engine
from sim.engine.threads.cut import Cut
from sim.topology.base import Int64

OF_SWITCHES = tuple(name for name, each in REGISTERS.items() if isinstance(each, Array) and each.of != NOTHING)
OF_BATCHES = tuple(name for name, each in REGISTERS.items() if isinstance(each, Array) and each.of_batches)


class Registers:
    """Reads the registers of all switches, each from the process that advances it.

    Parameters
    ----------
    cut : Cut
        The parts, one per process.
    processes : Processes
    """

    def __init__(self, cut: Cut, processes: Processes) -> None:
        self._processes = processes
        self._switches = [np.flatnonzero(cut.owner == number) for number in range(cut.count)]
        self._batches = [np.unique(each // LANES) for each in self._switches]

    def merged(self, values: np.ndarray) -> np.ndarray:
        """Return an array [switches, …] with the values of each switch from its process."""
        found = values.copy()
        for switches, each in zip(
            self._switches, self._processes.of_all(values[self._switches[self._processes.rank]]), strict=True
        ):
            found[switches] = each
        return found

    @contextmanager
    def gathered(self, engine: Engine) -> Iterator[None]:
        """Hold in the `with` block the registers of all switches in an engine, and the births of packets in them."""
        state, rank = engine.switches, self._processes.rank
        rows = [array[rows] for array, rows in self._places(state, rank)]
        found = self._processes.of_all((rows, _births(engine, self._switches[rank])))
        before = []
        for other, (rows, births) in enumerate(found):
            if other == rank:
                continue
            for (array, places), each in zip(self._places(state, other), rows, strict=True):
                before.append((array, places, array[places]))
                array[places] = each
            for packet, birth in births:
                engine.packets[packet].birth = birth
        try:
            yield
        finally:
            for array, places, each in before:
                array[places] = each

    def _places(self, state: SwitchState, number: int) -> Iterator[tuple[np.ndarray, Int64]]:
        """Yield the arrays with registers of the switches of a part, and their rows."""
        whole: Any = state
        for name in OF_SWITCHES:
            array = np.asarray(getattr(whole, name))
            if len(array) == len(whole.switch):
                yield array, self._switches[number]
        for name in OF_BATCHES:
            array = getattr(whole, name)
            if len(array):
                yield array.reshape(whole.batch_count, -1), self._batches[number]


def _births(engine: Engine, switches: Int64) -> list[tuple[int, int]]:
    """Return the packets at the front of buffers of some switches, each with its birth, which a reply has of late."""
    state = engine.switches
    show_registers(state)
    filled = np.argwhere(np.asarray(state.vc["count"][switches]) > 0)
    packets = [front_of(state, int(switches[n]), int(p), int(v)) for n, p, v in filled]
    return [(packet, int(engine.packets[packet].birth)) for packet in packets]
