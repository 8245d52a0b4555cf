"""The exchange between two windows: mail to the parts behind links that were cut, and the next window's beginning."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.errors import TsujiError
from models.jit.compiled import entry_point
from sim.engine.processes.packing import most_words, pack_window, unpack_window
from sim.engine.processes.processes import Processes
from sim.engine.state import Engine
from sim.engine.threads.cut import Cut
from sim.engine.threads.mail import WINDOW
from sim.engine.threads.parts import batches_reached
from sim.engine.threads.windows import DUE, SENT, next_window

TAG = 1


class Exchange:
    """Exchanges of one part, which this process advances, with the parts of other processes.

    Parameters
    ----------
    e : Engine
        The whole network.
    part : Engine
        The part.
    cut : Cut
        The parts.
    processes : Processes
    """

    def __init__(self, e: Engine, part: Engine, cut: Cut, processes: Processes) -> None:
        self._processes = processes
        p = part.part
        self._number = p.number
        self._own, self._told = p.own, p.told
        state: Any = part.switches
        batched = bool(state.k.batched)
        self._pins = p.pins.view(np.int64) if batched else np.zeros((cut.count, 0), np.int64)
        rooms = p.mail_begin.ravel()
        room = np.diff(np.append(rooms, len(p.mail))).reshape(p.mail_begin.shape)[0]
        self._others = [n for n in range(cut.count) if n != p.number and room[p.number, n] + room[n, p.number]]
        self._to_batches = []
        self._out, self._in = [], []
        for other in self._others:
            to, back = (
                self._reached(e, cut, sender, receiver) if batched else np.empty(0, np.int64)
                for sender, receiver in ((p.number, other), (other, p.number))
            )
            self._to_batches.append(to)
            sizes = p.window, 2 * state.k.ports, state.pins.itemsize
            self._out.append(np.zeros(most_words(int(room[p.number, other]), len(to), *sizes), np.int64))
            self._in.append(np.zeros(most_words(int(room[other, p.number]), len(back), *sizes), np.int64))
        self._least, self._mine = np.zeros(4, np.int64), np.zeros(4, np.int64)
        self._pack: Any = None
        self._unpack: Any = None

    @staticmethod
    def _reached(e: Engine, cut: Cut, sender: int, receiver: int) -> np.ndarray:
        """Return the batches of a part to which another sends."""
        senders, batches = batches_reached(e, cut, to=receiver)
        reached: np.ndarray = batches[senders == sender]
        return reached

    def prepare(self, part: Engine) -> None:
        """Load what is compiled."""
        if self._pack is None:
            self._pack = entry_point(pack_window, part, 0, self._pins, np.empty(0, np.int64), 0, self._mine)
            self._unpack = entry_point(unpack_window, part, 0, self._pins, self._mine)

    def next_begin(self, part: Engine, until: int, end: int) -> int:
        """Exchange what was sent in a window; return the cycle in which the next one begins.

        Parameters
        ----------
        part : Engine
            The part.
        until, end : int
            First cycle after the window, and after the run.

        Raises
        ------
        TsujiError
            If the processes simulate different cycles: they have not the same configuration, or have not come to the
            same decisions.
        """
        comm, wait = self._processes.comm, self._processes.wait
        requests = [comm.Irecv(each, other, TAG) for each, other in zip(self._in, self._others, strict=True)]
        for words, other, batches in zip(self._out, self._others, self._to_batches, strict=True):
            size = self._pack(part, other, self._pins, batches, until, words)
            requests.append(comm.Isend(words[:size], other, TAG))
        told = self._told[self._own[WINDOW] - 1 & 1, self._number]
        self._mine[:] = told[DUE], -told[SENT], end, -end
        requests.append(comm.Iallreduce(self._mine, self._least, self._processes.least))
        wait(requests)
        nearest, latest, first_end, last_end = self._least.tolist()
        if first_end != -last_end:
            raise TsujiError(f"processes advance the network to different cycles, {first_end} and {-last_end}")
        for words, other in zip(self._in, self._others, strict=True):
            self._unpack(part, other, self._pins, words)
        return int(next_window(until, -latest, nearest))
