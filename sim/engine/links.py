"""What leaves a switch: flits and credits onto links, each with a latency and an interval of its own, or to a node.

A link that carries a flit in k > 1 cycles has a transmit queue before it: flits depart in the order in which the switch
put them out, k cycles apart. Credits bound the queue; they go back beside the flits, one a cycle.
"""

from __future__ import annotations

from models.jit.bits import assume_u32
from models.jit.compiled import compiled, compiled_noinline
from models.node.terminal import NO_PACKET, source_credit, source_may_send
from models.state.registers import Move
from models.state.vc_set import any_within
from models.transfer.link import link_arrival
from sim.engine.address import LATEST, is_source, port_of, seen_at, seen_of, source_of, switch_of, vc_of
from sim.engine.closed_loop import on_packet_done
from sim.engine.schedule import enlist_mover, enlist_sender, flit_line, note, post_credit, post_on
from sim.engine.state import NOBODY, Engine

INJECTED, EJECTED, CREDITED = 0, 1, 2


@compiled_noinline
def post_open(e: Engine, s: int, cycle: int) -> None:
    """Have the exchangers around a crossbar see what it shows from `cycle` + 1 on."""
    slot = link_arrival(cycle, e.k.latency) & (e.k.slots - 1)
    n = e.shows[slot]
    e.shown_by[slot, n] = s
    for w in range(e.switches.k.vcs):
        e.shown[slot, n, w] = e.switches.open[s, w]
    e.shows[slot] = n + 1


@compiled_noinline
def see_open(e: Engine, cycle: int) -> None:
    """Set what exchangers see in this cycle; those with waiting heads may choose anew."""
    st = e.switches
    slot = cycle & (e.k.slots - 1)
    for k in range(e.shows[slot]):
        crossbar = e.shown_by[slot, k]
        for x in range(st.k.ports):
            to = e.link[crossbar, x]
            if to == NOBODY:
                continue
            s = switch_of(to)
            for w in range(st.k.vcs):
                st.ahead[s, port_of(to), w] = e.shown[slot, k, w]
            if any_within(st, st.filled, s):
                enlist_mover(e, s, cycle)
    e.shows[slot] = 0


@compiled
def return_credit(e: Engine, s: int, p: int, v: int, cycle: int) -> None:
    """Return the credit of a flit that left input VC (p, v) of a switch in `cycle`."""
    back = e.link[s, p]
    delay = (e.k.latency if e.k.plain else e.delay[s, p]) + e.k.credit_lag
    linked = is_source(back) - 1  # as a mask; a node is at its switch
    post_credit(e, link_arrival(cycle, delay & linked), back | v)


@compiled
def _interval(e: Engine, s: int, o: int) -> int:
    """Return the cycles between two flits on link `o`."""
    return max(int(e.interval[s, o]), e.switches.k.speedup)


@compiled_noinline
def note_head(e: Engine, s: int, o: int, packet: int) -> None:
    """Note what a link alone adds to the latency of a packet whose head goes there (`sim.measure.zero_load`)."""
    k = e.switches.k
    row = e.packets[packet]
    interval = _interval(e, s, o)
    header = (k.header_flits - 1) * interval
    row.flight += e.delay[s, o] + header - (k.header_flits - 1) * k.speedup
    row.lag = max((row.flits - 1) * interval, row.lag) - header - e.catch_up[switch_of(e.link[s, o])]


@compiled
def cable_free(e: Engine, s: int, o: int, at: int) -> None:
    """Have link `o`, which may be busy, take a flit that the switch puts out in cycle `at`."""
    e.line_free[s, o] = max(at, int(e.line_free[s, o])) + _interval(e, s, o)


@compiled
def cable_at(e: Engine, s: int, o: int) -> int:
    """Return when the flit that link `o` took last is visible behind it."""
    return link_arrival(int(e.line_free[s, o]) - _interval(e, s, o) - 1, e.delay[s, o])


@compiled
def transmit(e: Engine, s: int, o: int, w: int, flit: int, head: bool, at: int) -> None:
    """Put on link `o` of a switch, or give to its node, a flit that is visible there in cycle `at`.

    Which of both could not be foreseen: the lists are alike.
    """
    e.sent[s, o, w] += 1
    to = e.link[s, o]
    near = is_source(to)
    seen = at
    if e.k.plain:
        seen = link_arrival(at - 1, e.k.latency)
    elif not near:
        if head:
            note_head(e, s, o, flit >> 1)
        cable_free(e, s, o, at)
        seen = cable_at(e, s, o)
    line = flit_line(e, seen, head)
    line += (2 * e.k.slots - line) * near
    post_on(e, line, to | w | seen_at(at) & -near, flit)


@compiled
def source_credited(e: Engine, local: int, v: int, cycle: int) -> None:
    """Give a source a credit that is visible in `cycle`."""
    node = local // e.switches.k.node_ports
    source_credit(e.sources, e.sending, local, v, e.k.need)
    if e.k.logs:
        note(e, CREDITED, cycle, local, v << 1, NO_PACKET)
    due = (e.queues[node].first != NO_PACKET) | source_may_send(e.sources, local)
    enlist_sender(e, node, cycle + 1, due)


@compiled_noinline
def eject(e: Engine, cycle: int) -> None:
    """Have nodes take the flits that are given to them in `cycle`, and that they see some cycles later."""
    clock = e.clock[0]
    line = 2 * e.k.slots
    for k in range(line * e.flit_room, e.flits[line]):
        event = e.flit[assume_u32(k)]
        to = event.to
        flit = assume_u32(event.flit)
        local = assume_u32(source_of(to))
        at = cycle + (seen_of(to) - cycle & LATEST)
        if not e.switches.k.batched:
            post_credit(e, at + 1, assume_u32(e.home[local]) | vc_of(to))
        if e.k.logs:
            note(e, EJECTED, at, local, vc_of(to) << 1 | (flit & 1), flit >> 1)
        if flit & 1:
            packet = flit >> 1
            n = assume_u32(clock.delivered)
            e.packets[packet].eject = at
            e.delivered[n] = packet
            e.arrived[n] = e.packets[packet]
            clock.delivered = n + 1
            if e.k.closed:
                on_packet_done(e, packet, True, at)
    e.flits[line] = line * e.flit_room


@compiled
def on_move(e: Engine, s: int, move: Move, cycle: int) -> None:
    """Carry the flit and the credit of a move away from a switch: what `allocate` hands it to."""
    return_credit(e, s, move.port, move.vc, cycle)
    if move.out >= 0:
        transmit(e, s, move.out, move.out_vc, move.flit, move.head == 1, move.at)
    elif move.flit & 1:
        drop(e, move.flit >> 1, cycle)


@compiled
def drop(e: Engine, packet: int, cycle: int) -> None:
    """Note that a packet was drained."""
    clock = e.clock[0]
    e.dropped[clock.dropped] = packet
    clock.dropped += 1
    if e.k.closed:
        on_packet_done(e, packet, False, cycle)
