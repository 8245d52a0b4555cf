"""What passes between the engine of a whole network that carries messages of ranks and those of its parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.state.layout import aligned
from sim.engine.address import SWITCH_SHIFT
from sim.engine.state import POOL, Engine
from sim.engine.threads.cut import Cut
from sim.engine.threads.handover import Handover


class RanksHandover(Handover):
    """Hands out the message layer and the free packets, of which each part has a stack, and adds up what parts count.

    A packet's place is freed in the part of its destination. When a part has too few free ones, `Network` puts all of
    them on one stack again, which is then divided anew.

    Parameters
    ----------
    cut : Cut
        The parts.
    """

    def __init__(self, cut: Cut) -> None:
        super().__init__(cut)
        self._count = cut.count

    def hand_out(self, e: Engine, parts: list[Engine]) -> None:
        """Give parts the arrays of an engine that has changed, and free packets if these have been gathered."""
        if self._whole is None or e.ranks.free is not self._whole.ranks.free:
            self._divide(e, parts)
        for n, each in enumerate(parts):
            own = each.ranks
            ranks = e.ranks._replace(pool=own.pool, free=own.free, reserve=own.reserve)
            parts[n] = each._replace(packets=e.packets, ranks=ranks)
        self._whole = e

    def _divide(self, e: Engine, parts: list[Engine]) -> None:
        """Give each part free packets, in proportion to the ports of its nodes."""
        ports = np.bincount(self._owner[e.home >> SWITCH_SHIFT], minlength=self._count)
        free = int(e.ranks.pool[0].free)
        ends = np.cumsum(ports) * free // ports.sum()
        for n, each in enumerate(parts):
            own = np.empty(len(e.ranks.free), np.int64)  # a part may come to have all of them
            mine = e.ranks.free[ends[n - 1] if n else 0 : ends[n]]
            own[: len(mine)] = mine
            pool: Any = aligned((1,), POOL) if self._whole is None else each.ranks.pool
            pool[0].free = len(mine)
            reserve = e.ranks.reserve * int(ports[n]) // len(e.sources)
            parts[n] = each._replace(ranks=each.ranks._replace(pool=pool, free=own, reserve=reserve))

    def gather(self, e: Engine, end: int, parts: list[Engine]) -> None:
        """Note in the engine of the whole network what its parts have done in a call that was to end in cycle `end`."""
        clock, pool = e.clock[0], e.ranks.pool[0]
        clock.cycle = parts[0].clock[0].cycle
        pool.free = pool.packets = pool.flits = 0
        for each in parts:
            clock.dropped += each.clock[0].dropped
            each.clock[0].dropped = 0
            own = each.ranks.pool[0]
            pool.free += own.free
            pool.packets += own.packets
            pool.flits += own.flits
