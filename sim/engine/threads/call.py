"""Advances a network by several threads, each with the engine of a part (`sim.engine.threads.parts`)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from models.errors import TsujiError
from models.jit.compiled import unlocked_entry_point
from models.state.layout import aligned
from sim.engine.address import SWITCH_SHIFT
from sim.engine.closed_loop import longer_rings
from sim.engine.dispatch import EngineCall, Specialise
from sim.engine.loop import run_part
from sim.engine.state import PACKET, Engine
from sim.engine.threads.count import cpus
from sim.engine.threads.cut import Cut
from sim.engine.threads.parts import part_engines
from sim.engine.threads.team import Team
from sim.engine.threads.windows import FAILED
from sim.topology.link_times import LinkTimes

SPINS = 1000  # pauses before a waiting thread gives way, if each has a processor: some ten microseconds


class PartsCall:
    """Calls the loops of a network's parts, at the same time; has the interface of `EngineCall`.

    Before a run, packets that were offered are handed to the parts of their sources; after it, what the parts delivered
    and dropped is put into an order that does not depend on the parts.

    Parameters
    ----------
    specialise : bool or "auto"
        As of `EngineCall`.
    cut : Cut
        The parts.
    times : LinkTimes
        Latencies and intervals of the links.

    Attributes
    ----------
    engines : list of Engine
        The engines of the parts; empty before the first call.
    """

    def __init__(self, specialise: Specialise, cut: Cut, times: LinkTimes) -> None:
        self._cut, self._times = cut, times
        self._calls = [EngineCall(specialise, run_part, unlocked_entry_point) for _ in range(cut.count)]
        self._team = Team(cut.count)
        self._whole: Engine | None = None
        self._born = 0  # packets of its `arrivals` that were born before these were handed out
        self.engines: list[Engine] = []

    def __call__(self, e: Engine, end: int) -> None:
        """Advance the parts of a network to the beginning of cycle `end`.

        Raises
        ------
        TsujiError
            If a thread has failed in an earlier call, so that the parts are not at the same cycle.
        """
        if self._failed:
            raise TsujiError("a thread that advanced a part of this network has failed; build it anew")
        if e is not self._whole:
            self._hand_out(e)
        for call, each in zip(self._calls, self.engines, strict=True):
            call.prepare(each)  # one after the other: the first one may compile
        try:
            work = [partial(call.run, each, end) for call, each in zip(self._calls, self.engines, strict=True)]
            self._team.run(work, self._fail)
        finally:
            if not self._failed:
                self._collect(e, end)

    @property
    def _failed(self) -> bool:
        return bool(self.engines and self.engines[0].part.barrier[FAILED])

    def expect(self, end: int) -> None:
        """Say in which cycle the run is expected to end."""
        for call in self._calls:
            call.expect(end)

    def _fail(self) -> None:
        """Have the threads that wait at the barrier return."""
        self.engines[0].part.barrier[FAILED] = 1

    def _hand_out(self, e: Engine) -> None:
        """Give the parts the packets that wait for their birth, and the arrays of an engine that has changed."""
        if not self.engines:
            self.engines = part_engines(e, self._cut, self._times, SPINS if self._cut.count <= cpus() else 1)
        self._born = int(e.clock[0].arrival)
        waiting = e.arrivals[self._born :]
        switch_of_node = e.home[:: e.switches.k.node_ports] >> SWITCH_SHIFT
        owner = self._cut.owner[switch_of_node[e.packets.source[waiting]]]
        grown = self._whole is None or e.packets is not self._whole.packets
        for number, each in enumerate(self.engines):
            fields: dict[str, Any] = {"arrivals": waiting[owner == number]}
            if grown:
                size = len(e.packets)
                fields |= {"packets": e.packets, "delivered": np.zeros(size, np.int64)}
                fields |= {"arrived": aligned((size,), PACKET), "dropped": np.zeros(size, np.int64)}
                if e.k.closed:
                    later_at, later_what = longer_rings(each, size)
                    fields |= {"reply": e.reply, "later_at": later_at, "later_what": later_what}
            each.clock[0].arrival = 0
            self.engines[number] = each._replace(**fields)
        self._whole = e

    def _collect(self, e: Engine, end: int) -> None:
        """Note in the engine of the whole network what its parts have done until cycle `end`."""
        clock, parts = e.clock[0], self.engines
        clock.cycle = end
        clock.arrival = self._born + sum(int(each.clock[0].arrival) for each in parts)
        counts = [int(each.clock[0].delivered) for each in parts]
        places = np.concatenate([each.delivered[:n] for each, n in zip(parts, counts, strict=True)])
        rows = np.concatenate([each.arrived[:n] for each, n in zip(parts, counts, strict=True)]).view(np.ndarray)
        order = np.lexsort((rows["birth"], rows["source"], rows["destination"], rows["eject"]))
        # After those of a call that was interrupted before they were taken.
        first, clock.delivered = int(clock.delivered), clock.delivered + len(places)
        e.delivered[first : clock.delivered] = places[order]
        e.arrived[first : clock.delivered] = rows[order]
        dropped = np.concatenate([each.dropped[: each.clock[0].dropped] for each in parts])
        rows = e.packets[dropped].view(np.ndarray)
        first, clock.dropped = int(clock.dropped), clock.dropped + len(dropped)
        e.dropped[first : clock.dropped] = dropped[np.lexsort((rows["birth"], rows["source"]))]
        for each in parts:
            each.clock[0].delivered = each.clock[0].dropped = 0
