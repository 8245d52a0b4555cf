"""Reading a rank's operations block by block into the message layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.messages.dependencies import admit, append, connect
from sim.messages.memory import with_room
from sim.messages.state import ANY, CALC, NONE, SLOT_BITS, Messages
from sim.schedule.operations import Operations, Schedule

Int64 = NDArray[np.int64]
SLOT = (1 << SLOT_BITS) - 1


class Feed:
    """The unread operations of a rank.

    Parameters
    ----------
    schedule : Schedule
        Schedule of its job.
    rank : int
        Number of the rank in its job.
    first : int
        Number of the job's rank 0 among all ranks.
    ready : int
        Time at which it may start.
    time_of : callable
        Converts nanoseconds to units of time.
    """

    def __init__(
        self, schedule: Schedule, rank: int, first: int, ready: int, time_of: Callable[[Any], NDArray[np.int64]]
    ) -> None:
        self._schedule = schedule
        self._blocks = schedule.blocks(rank)
        self._what = f"{schedule.source}: rank {rank}"
        self._rank, self._first = first + rank, first
        self._ready = ready
        self._time_of = time_of
        self._count = 0  # operations read
        self._numbers = self._handles = np.empty(0, np.int64)  # operations read that are not done

    def enter(self, x: Messages) -> Messages | None:
        """Enter the next block of operations; return the message layer, enlarged if needed, or None at the end.

        Raises
        ------
        TsujiError
            If the block names a CPU, interface or operation that does not exist.
        """
        block = next(self._blocks, None)
        if block is None:
            return None
        self._check(x, block)
        n = len(block)
        x = with_room(x, n, len(block.requires))
        is_calc = block.kind == CALC
        amount = np.where(is_calc, self._time_of(block.size), block.size)
        peer = np.where(is_calc | (block.peer == ANY), block.peer, block.peer + self._first)
        slots = np.empty(n, np.int64)
        kind, cpu, nic = (column.astype(np.int64) for column in (block.kind, block.cpu, block.nic))
        append(x, self._rank, kind, peer, amount, block.tag, cpu, nic, False, self._ready, slots)
        of = self._slots(x, block, slots)
        alive = of != NONE
        to = np.repeat(slots, np.diff(block.first))
        connect(x, to[alive], of[alive], block.on_start[alive])
        admit(x, self._rank, slots)
        if not self._schedule.whole:
            kept = x.operations.serial[self._handles & SLOT] == self._handles >> SLOT_BITS
            handles = x.operations.serial[slots] << SLOT_BITS | slots
            self._numbers = np.concatenate((self._numbers[kept], np.arange(self._count, self._count + n)))
            self._handles = np.concatenate((self._handles[kept], handles))
        self._count += n
        return x

    def _check(self, x: Messages, block: Operations) -> None:
        """Refuse CPUs, interfaces and operations that do not exist."""
        block.check(self._schedule.ranks, self._what)
        for name, values, count in (
            ("cpu", block.cpu, x.cpu_free.shape[1]),
            ("nic", block.nic, x.send_free.shape[1]),
        ):
            if values.max(initial=0) >= count:
                raise TsujiError(f"{self._what}: {name} = {values.max()}: must be below {count}")
        bad = (block.requires < 0) | (block.requires >= self._count + len(block))
        if bad.any():
            raise TsujiError(f"{self._what}: requires operation {block.requires[bad][0]}: there is none of that number")

    def _slots(self, x: Messages, block: Operations, slots: Int64) -> Int64:
        """Return the slot of each required operation, NONE if it is done."""
        within = block.requires - self._count
        of = slots[np.maximum(within, 0)] if len(block) else slots
        before = np.flatnonzero(within < 0)
        if len(before):
            number = block.requires[before]
            place = np.minimum(np.searchsorted(self._numbers, number), len(self._numbers) - 1)
            handle = self._handles[place]
            alive = (self._numbers[place] == number) & (x.operations.serial[handle & SLOT] == handle >> SLOT_BITS)
            of[before] = np.where(alive, handle & SLOT, NONE)
        return of
