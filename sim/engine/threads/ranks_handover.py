"""What passes between the engine of a whole network that carries messages of ranks and those of its parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from models.state.layout import aligned
from sim.engine.address import SWITCH_SHIFT
from sim.engine.state import NOBODY, POOL, Engine
from sim.engine.threads.barrier import REACHED
from sim.engine.threads.coordinator import FIRST
from sim.engine.threads.cut import Cut
from sim.engine.threads.handover import Handover
from sim.engine.threads.parts import PADDED

FREE = (POOL.names or ()).index("free")


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
        self._pools: Any = aligned((cut.count, PADDED), POOL)
        self._counts = self._pools.view(np.ndarray).view(np.int64)[:, : len(POOL.names or ())]
        self._reserves = np.zeros(cut.count, np.int64)

    def hand_out(self, e: Engine, parts: list[Engine]) -> None:
        """Give parts the arrays of an engine that has changed, and free packets if these have been gathered."""
        if self._whole is None or e.ranks.free is not self._whole.ranks.free:
            self._divide(e, parts)
        for n, each in enumerate(parts):
            own = each.ranks
            ranks = e.ranks._replace(pool=own.pool, free=own.free, reserve=own.reserve)
            parts[n] = each._replace(packets=e.packets, ranks=ranks)
        self._whole = e
        self._total = e.ranks.pool.view(np.ndarray).view(np.int64)

    def _divide(self, e: Engine, parts: list[Engine]) -> None:
        """Give each part free packets, in proportion to the ports of its nodes."""
        ports = np.bincount(self._owner[e.home >> SWITCH_SHIFT], minlength=len(parts))
        ends = np.cumsum(ports) * int(e.ranks.pool[0].free) // ports.sum()
        self._reserves = e.ranks.reserve * ports // len(e.sources)
        for n, each in enumerate(parts):
            mine = e.ranks.free[ends[n - 1] if n else 0 : ends[n]]
            own = np.empty(len(e.ranks.free), np.int64)  # a part may come to have all of them
            own[: len(mine)] = mine
            self._pools[n, 0].free = len(mine)
            ranks = each.ranks._replace(pool=self._pools[n, :1], free=own, reserve=int(self._reserves[n]))
            parts[n] = each._replace(ranks=ranks)

    @property
    def is_short(self) -> bool:
        """Whether any part has too few free packets for another cycle."""
        return bool((self._counts[:, FREE] < self._reserves).any())

    def gather(self, e: Engine, end: int, parts: list[Engine]) -> None:
        """Note in the engine of the whole network what its parts have done in a call that was to end in cycle `end`."""
        clock, part = e.clock.view(np.ndarray)[0], parts[0].part
        clock["cycle"] = part.barrier[REACHED]
        for each in parts:
            own = each.clock.view(np.ndarray)[0]
            clock["dropped"] += own["dropped"]
            own["dropped"] = 0
        np.add.reduce(self._counts, axis=0, out=self._total)
        if (part.handed[:, FIRST] != NOBODY).any():
            self._total[FREE] -= 1  # a message that is handed over but not queued: the network is not idle
