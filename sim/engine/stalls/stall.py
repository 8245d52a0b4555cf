"""Stall and deadlock detection: ends a run in which no flit moves any more, or packets are deadlocked.

A switch buffer waits for what its front packet needs: a credit, held by the downstream buffer; an output VC, held by
the packet that owns it; or its own next flits, held by the upstream buffer. A head may wait for any of several outputs
and VCs. A buffer is dead if all these waits are for dead buffers; packets on a link, in a lookup, at a node or free to
move are alive. Dead buffers are a deadlock even if other packets still move (knots of the wait-for graph: Duato,
Yalamanchili, Ni: Interconnection Networks, chapter 3).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from models.batched.counters import sent_views
from models.batched.vc_sets import held_view
from models.errors import TsujiError
from models.jit.compiled import entry_point
from models.readout import show_registers
from models.state.layout import aligned
from models.state.registers import NEVER, SwitchState
from sim.engine.one_process import OneProcess
from sim.engine.stalls.snapshot import front_of, note_fronts
from sim.engine.stalls.waits import count_waits, find_waits, keep_deadlocked, new_waits
from sim.engine.state import NOBODY, PACKET, Engine
from sim.topology.base import Topology

LOOK = 1000  # cycles between checks of buffers whose front flit has not moved
REASONS = ("rest", "taken", "full")
SHOWN = 16  # most buffers that an error message names


class StalledError(TsujiError):
    """No flit of the simulated network moves any more, or some packets are deadlocked."""

    exit_code = 1


class Buffer(NamedTuple):
    """An input VC of a switch."""

    switch: int
    port: int
    vc: int


class Wait(NamedTuple):
    """A wait: the buffer that holds what a packet needs, the reason, and the output VC; −1: for its own flits."""

    buffer: Buffer
    reason: str  # one of REASONS, by its number in `sim.engine.stalls.waits`
    out: int
    vc: int


class Watch:
    """Checks a network for stalls and deadlocks at intervals.

    Parameters
    ----------
    topology : Topology
        Topology of the network, for messages.
    state : SwitchState
        State of the network's switches, at reset.
    stall_cycles : int
        Cycles in which no flit moves, while packets are in switches, after which the network is stalled; 0: no checks.
    """

    def __init__(self, topology: Topology, state: SwitchState, stall_cycles: int) -> None:
        self._topology = topology
        self._limit = stall_cycles
        self._every = min(LOOK, stall_cycles)
        self._looked = 0
        self._moved = 0  # cycle of the last check before which flits had moved
        self._flits = 0
        self._fronts, self._before = (np.full(state.vc.shape, NOBODY) for _ in range(2))
        no_packets: Any = aligned((0,), PACKET)
        # Compile now, before anything is timed; the types of the state are looked up once.
        self._note = entry_point(note_fronts, state, no_packets, self._before, self._fronts, self._still())
        show_registers(state)
        self._held = held_view(state) if state.k.batched else state.filled
        self._sent = sent_views(state) if state.k.batched else None

    def is_due(self, cycle: int) -> bool:
        """Return whether a check is due."""
        return cycle - self._looked >= self._every

    def look(self, engine: Engine, call: OneProcess) -> None:
        """Check the network, which `call` advances, if a check is due, or if no event is left.

        Raises
        ------
        StalledError
            If it is stalled or deadlocked; the message names the buffers and packets.
        """
        cycle = int(engine.clock[0].cycle)
        state = engine.switches
        if not self._limit or not call.total(bool(self._held.any())):
            self._moved = cycle
            return
        over = not call.total(not all(map(nothing_due, call.engines or (engine,))))
        if not over and not self.is_due(cycle):
            return
        self._looked = cycle
        flits = call.total(sum(int(each.sum()) for each in self._sent or (engine.sent,)))
        if flits != self._flits:
            self._flits, self._moved = flits, cycle
        still = self._still()
        self._before, self._fronts = self._fronts, self._before
        self._fronts.fill(NOBODY)
        self._note(state, engine.packets, self._before, self._fronts, still)
        # A packet that has just entered an empty network has not had time to move.
        moves = not call.total(bool(still.any()))
        over |= cycle - self._moved >= self._limit and not moves
        if over:
            still = self._fronts != NOBODY
        elif moves:
            return
        still = call.merged(still)
        with call.whole(engine):
            show_registers(state)
            dead = deadlocked(engine, still)
            if dead or over:
                raise StalledError(self._message(engine, dead, cycle, over))

    def _still(self) -> np.ndarray:
        """Return a mask of buffers that have not moved [S, P, V], all False."""
        return np.zeros(self._fronts.shape, np.bool_)

    def _message(self, engine: Engine, dead: dict[Buffer, list[Wait]], cycle: int, over: bool) -> str:
        what = "nothing moves any more" if over else "some packets never move again"
        start = f"{self._topology.name}: cycle {cycle}: {what}; "
        lines = [_describe(engine, self._topology, buffer, dead[buffer]) for buffer in _wait_cycle(dead)]
        if lines:
            start += f"{len(lines)} buffers form a cycle of waits (deadlock):"
        else:
            busy = np.argwhere(engine.switches.vc["count"] > 0)
            lines = [_describe(engine, self._topology, Buffer(*map(int, place)), []) for place in busy]
            start += f"{len(lines)} buffers hold flits:"
        more = [f"… and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
        return "\n  ".join([start, *lines[:SHOWN], *more])


def nothing_due(engine: Engine) -> bool:
    """Return whether no event is left in a network: no birth, no arrival, no switch that may move or wake."""
    clock = engine.clock[0]
    part = engine.part
    if not np.array_equal(part.mail_begin, part.mail_end[..., 0]) or part.pins_due.any():
        return False
    if (part.handed[:, 0] != NOBODY).any():
        return False
    if (engine.ends != engine.begins).any() or clock.awake or clock.arrival < len(engine.arrivals):
        return False
    switches = engine.switches
    if switches.batch_due.any() or switches.pins_due.any() or switches.batch_heads_end.any():
        return False
    if (switches.batch_active_at < NEVER).any():
        return False
    later = (engine.later_ends[:, 0] < engine.later_ends[:, 1]).any() or engine.waits_ends[0] < engine.waits_ends[1]
    rooms = (engine.flits, engine.flit_room), (engine.credits, engine.credit_room)
    links = any((ends != np.arange(len(ends)) * room).any() for ends, room in rooms)
    return not (links or engine.shows.any() or engine.reserve_count.any() or later)


def deadlocked(engine: Engine, still: np.ndarray) -> dict[Buffer, list[Wait]]:
    """Return the buffers that can never send their front flit again, and what each waits for.

    Parameters
    ----------
    engine : Engine
        Network whose registers are shown.
    still : bool array [S, P, V]
        Buffers that have not moved.
    """
    state, link = engine.switches, engine.link
    places, room = np.argwhere(still), new_waits(engine.switches)
    begins = np.zeros(len(places) + 1, np.int64)
    entry_point(count_waits, state, link, places, room, begins)(state, link, places, room, begins)
    dead = still.copy()
    search = state, link, places, room, begins, np.zeros((int(begins[-1]), 3), np.int64), dead
    entry_point(keep_deadlocked, *search)(*search)
    found = {}
    find = entry_point(find_waits, state, link, 0, 0, 0, room)
    for place in np.argwhere(dead):
        s, p, v = map(int, place)
        rows = room[: find(state, link, s, p, v, room)].tolist()
        found[Buffer(s, p, v)] = [Wait(Buffer(*row[:3]), REASONS[row[3]], *row[4:]) for row in rows]
    return found


def _wait_cycle(dead: dict[Buffer, list[Wait]]) -> list[Buffer]:
    """Return one cycle of dead buffers in the wait-for graph, in order."""
    path: list[Buffer] = []
    at = next(iter(dead), None)
    while at is not None and at not in path:
        path.append(at)
        at = dead[at][0].buffer
    return path[path.index(at) :] if at is not None else []


def _describe(engine: Engine, topology: Topology, buffer: Buffer, waits: list[Wait]) -> str:
    """Return a description of a buffer, its front packet and its first wait."""
    state = engine.switches
    s, p, v = buffer
    vc = state.vc[buffer]
    text = f"switch {s} ({', '.join(map(str, topology.coordinates[s]))}) port {p} VC {v}: "
    if vc.count:
        packet = engine.packets[front_of(state, s, p, v)]
        place = "body" if vc.active and not vc.claimed else "head"
        text += (
            f"{place} of the packet from node {packet.source} to node {packet.destination}, {packet.flits} flits, born "
            f"in cycle {packet.birth}"
        )
    else:
        text += "on the way of a packet whose next flits are behind"
    if not waits:
        return text
    if waits[0].reason == "rest":
        return f"{text}, waits for its rest"
    others = f", as are {len(waits) - 1} other VCs it may take" if len(waits) > 1 else ""
    return f"{text}, waits for port {waits[0].out} VC {waits[0].vc}, {waits[0].reason}{others}"
