"""Stall and deadlock detection: ends a run in which no flit moves any more, or packets are deadlocked.

A switch buffer waits for what its front packet needs: a credit, held by the downstream buffer; an output VC, held by
the packet that owns it; or its own next flits, held by the upstream buffer. A head may wait for any of several outputs
and VCs. A buffer is dead if all these waits are for dead buffers; packets on a link, in a lookup, at a node or free to
move are alive. Dead buffers are a deadlock even if other packets still move (knots of the wait-for graph: Duato,
Yalamanchili, Ni: Interconnection Networks, chapter 3).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from models.batched.counters import sent_views
from models.batched.vc_sets import held_view
from models.errors import TsujiError
from models.jit.compiled import entry_point
from models.readout import show_registers
from models.route.route_queue import route_at
from models.state.layout import aligned
from models.state.registers import STEP, SwitchState
from models.state.route_word import route_choices, route_drop, route_out, route_vcs
from models.transfer.output_unit import head_need
from sim.engine.address import is_source, port_of, switch_of
from sim.engine.one_process import OneProcess
from sim.engine.stalls.snapshot import front_of, note_fronts
from sim.engine.state import NOBODY, PACKET, Engine
from sim.topology.base import Topology

LOOK = 1000  # cycles between checks of buffers whose front flit has not moved
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
    reason: str
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
            dead = deadlocked(engine, [Buffer(*map(int, place)) for place in np.argwhere(still)])
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
    if not np.array_equal(engine.part.mail_begin, engine.part.mail_end[..., 0]) or engine.part.pins_due.any():
        return False
    if (engine.ends != engine.begins).any() or clock.awake or clock.arrival < len(engine.arrivals):
        return False
    switches = engine.switches
    if switches.batch_due.any() or switches.pins_due.any() or switches.batch_heads_end.any():
        return False
    later = (engine.later_ends[:, 0] < engine.later_ends[:, 1]).any() or engine.waits_ends[0] < engine.waits_ends[1]
    rooms = (engine.flits, engine.flit_room), (engine.credits, engine.credit_room)
    links = any((ends != np.arange(len(ends)) * room).any() for ends, room in rooms)
    return not (links or engine.shows.any() or engine.reserve_count.any() or later)


def deadlocked(engine: Engine, buffers: list[Buffer]) -> dict[Buffer, list[Wait]]:
    """Return the buffers that can never send their front flit again, and what each waits for."""
    waits = {buffer: needed for buffer in buffers if (needed := waits_of(engine, buffer))}
    while True:
        alive = [buffer for buffer, needed in waits.items() if any(wait.buffer not in waits for wait in needed)]
        if not alive:
            return waits
        for buffer in alive:
            del waits[buffer]


def waits_of(engine: Engine, buffer: Buffer) -> list[Wait]:
    """Return the waits of a buffer, any of which lets its front packet move; empty if it can move."""
    state = engine.switches
    s, p, v = buffer
    vc = state.vc[s, p, v]
    word = int(vc.route) or int(route_at(state, s, p, v, int(vc.front)))
    if vc.count == 0:
        return _upstream(engine, buffer) if vc.active else []
    if word == 0 or route_drop(word):
        return []
    if vc.active:
        outputs = [(route_out(word), 1 << int(vc.out_vc))]
    elif vc.blocked and vc.tails == 0 and vc.count < state.k.depth:
        return _upstream(engine, buffer)
    else:
        outputs = list(_choices(state, buffer))
    waits = []
    for o, vcs in outputs:
        for w in range(state.k.vcs):
            if vcs >> w & 1:
                found = _for_output(engine, buffer, o, w)
                if found is None:
                    return []
                waits.append(found)
    return waits


def _choices(state: SwitchState, buffer: Buffer) -> Iterator[tuple[int, int]]:
    """Yield the outputs, each with its set of VCs as bits, that the head at the front of a buffer may take."""
    s, p, v = buffer
    word = int(route_at(state, s, p, v, int(state.vc[s, p, v].front)))
    yield route_out(word), route_vcs(word)
    vcs = route_vcs(word) if state.k.adaptive == STEP else (1 << state.k.vcs) - (1 << state.k.escape_vcs)
    for o in range(state.k.ports):
        if route_choices(word) >> o & 1:
            yield o, vcs


def _for_output(engine: Engine, buffer: Buffer, o: int, w: int) -> Wait | None:
    """Return the wait of a buffer's front packet for output VC (o, w); None if it resolves without another buffer."""
    state = engine.switches
    s = buffer.switch
    output = state.output[s, o]
    if not state.vc[buffer].active:
        if not int(output.free) >> w & 1:
            owner = _owner(state, s, o, w)
            return None if owner is None else Wait(owner, "taken", o, w)
        if state.credits[s, o, w] >= head_need(state, w):
            return None
    elif state.credits[s, o, w]:
        return None
    enough = bool(state.vc[buffer].active) or head_need(state, w) == 1
    if state.k.output_queues and enough and int(state.output[s, o].credited) >> w & 1:
        return None
    to = int(engine.link[s, o])
    if to == NOBODY or is_source(to):
        return None
    behind = Buffer(switch_of(to), port_of(to), w)
    return None if _on_the_link(engine, s, o, behind) else Wait(behind, "full", o, w)


def _upstream(engine: Engine, buffer: Buffer) -> list[Wait]:
    """Return the wait for the buffer with a packet's next flits; empty if they come from a node or are on the link."""
    before = int(engine.link[buffer.switch, buffer.port])
    if before == NOBODY or is_source(before):
        return []
    s, o = switch_of(before), port_of(before)
    if _on_the_link(engine, s, o, buffer):
        return []
    if engine.switches.k.output_queues and engine.switches.queue_count[s, o, buffer.vc]:
        return []
    owner = _owner(engine.switches, s, o, buffer.vc)
    return [] if owner is None else [Wait(owner, "rest", -1, -1)]


def _on_the_link(engine: Engine, s: int, o: int, behind: Buffer) -> bool:
    """Return whether flits from an output to its downstream buffer, or credits back, are on the link."""
    state = engine.switches
    return bool(state.credits[s, o, behind.vc] + state.vc[behind]["count"] < state.k.depth)


def _owner(state: SwitchState, s: int, o: int, w: int) -> Buffer | None:
    """Return the buffer of the packet that owns output VC (o, w), while its flits come through that buffer."""
    vcs = state.vc[s]
    for p, v in np.argwhere((vcs.active == 1) & (vcs.out_vc == w) & (vcs.route != 0)):
        if route_out(int(vcs.route[p, v])) == o:
            return Buffer(s, int(p), int(v))
    return None


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
