"""Links of switches that are visited one by one: transmission of flits, return of credits, ejection at nodes.

Each link has its own latency and interval. A link with an interval of k > 1 cycles per flit has a transmit queue: flits
depart in the order in which the switch sends them, k cycles apart. Credits bound the queue, and return at one per
cycle.
"""

from __future__ import annotations

from models.jit.bits import assume_u32
from models.jit.compiled import compiled, compiled_noinline
from models.node.terminal import NO_PACKET, source_credit, source_may_send
from models.route.reservation import ASK_CYCLES
from models.state.registers import NO_PORT, Move
from models.state.vc_set import any_within
from models.transfer.link import link_arrival, return_credit
from sim.engine.address import LATEST, is_source, port_of, seen_at, seen_of, source_of, switch_of, vc_of
from sim.engine.closed_loop import on_packet_done
from sim.engine.history import note_ejection
from sim.engine.messages import free_packet, on_packet_arrival
from sim.engine.schedule import enlist_mover, enlist_sender, flit_line, note, post_credit, post_on
from sim.engine.state import NOBODY, Engine
from sim.engine.threads.mail import CREDIT, FLIT, HEAD, is_elsewhere, mail_open, post_mail

INJECTED, EJECTED, CREDITED = 0, 1, 2


@compiled_noinline
def post_open(e: Engine, s: int, cycle: int) -> None:
    """Send the look-ahead output of a crossbar to its exchangers, valid from `cycle` + 1 on."""
    slot = link_arrival(cycle, e.k.latency) & (e.k.slots - 1)
    n = e.shows[slot]
    e.shown_by[slot, n] = s
    for w in range(e.switches.k.vcs):
        e.shown[slot, n, w] = e.switches.open[s, w]
    e.shows[slot] = n + 1
    if e.hooks.parts:
        mail_open(e, s, link_arrival(cycle, e.k.latency))


@compiled_noinline
def see_open(e: Engine, cycle: int) -> None:
    """Deliver look-ahead to exchangers in this cycle; their waiting heads may choose again."""
    st = e.switches
    slot = cycle & (e.k.slots - 1)
    for k in range(e.shows[slot]):
        crossbar = e.shown_by[slot, k]
        for x in range(st.k.ports):
            to = e.link[crossbar, x]
            if to == NOBODY or (e.hooks.parts and is_elsewhere(e, to)):
                continue
            s = switch_of(to)
            for w in range(st.k.vcs):
                st.ahead[s, port_of(to), w] = e.shown[slot, k, w]
            if any_within(st, st.filled, s):
                enlist_mover(e, s, cycle)
    e.shows[slot] = 0


@compiled
def carry_credit(e: Engine, s: int, p: int, v: int, at: int) -> None:
    """Return a credit on input link `p` of a switch, visible at its sender in cycle `at`."""
    back = e.link[s, p]
    delay = (e.k.latency if e.k.plain else e.delay[s, p]) + e.k.credit_lag
    linked = is_source(back) - 1  # as a mask; credits of nodes take no time on the link
    if e.hooks.parts and is_elsewhere(e, back):
        post_mail(e, CREDIT, at + delay, back | v, 0)
        return
    post_credit(e, at + (delay & linked), back | v)


@compiled
def link_interval(e: Engine, s: int, o: int) -> int:
    """Return the cycles between two flits on link `o`."""
    return max(int(e.interval[s, o]), e.switches.k.speedup)


@compiled_noinline
def note_head(e: Engine, s: int, o: int, packet: int) -> None:
    """Add the link's part of the packet's zero-load latency, when its head departs (`sim.analysis.zero_load`)."""
    k = e.switches.k
    row = e.packets[packet]
    interval = link_interval(e, s, o)
    header = (k.header_flits - 1) * interval
    asked = k.reserves and e.switches.switch[s].crossbar == NO_PORT  # the head waited for an answer
    row.flight += e.delay[s, o] * (1 + e.switches.k.reserves) + header - (k.header_flits - 1) * k.speedup
    lag = row.lag - (ASK_CYCLES + 2 * e.delay[s, o] if asked else 0)
    row.lag = max((row.flits - 1) * interval, lag) - header - e.catch_up[switch_of(e.link[s, o])]


@compiled
def queue_for_link(e: Engine, s: int, o: int, at: int) -> None:
    """Queue a flit that the switch sends in cycle `at` for link `o`, which may be busy."""
    e.line_free[s, o] = max(at, int(e.line_free[s, o])) + link_interval(e, s, o)


@compiled
def queued_arrival(e: Engine, s: int, o: int) -> int:
    """Return the cycle in which the last flit queued for link `o` is visible at its far end."""
    return link_arrival(int(e.line_free[s, o]) - link_interval(e, s, o) - 1, e.delay[s, o])


@compiled
def transmit(e: Engine, s: int, o: int, w: int, flit: int, head: bool, at: int) -> None:
    """Transmit a flit, visible at output `o` in cycle `at`, on the link of a switch, or eject it to the node.

    Both use the same kind of list, so there is no branch to mispredict.
    """
    e.sent[s, o, w] += 1
    to = e.link[s, o]
    ejects = is_source(to)
    seen = at
    if e.k.plain:
        seen = link_arrival(at - 1, e.k.latency)
    elif not ejects:
        if head:
            note_head(e, s, o, flit >> 1)
        queue_for_link(e, s, o, at)
        seen = queued_arrival(e, s, o)
    if e.hooks.parts and is_elsewhere(e, to):
        post_mail(e, HEAD if head else FLIT, seen, to | w, flit)
        return
    line = flit_line(e, seen, head)
    line += (2 * e.k.slots - line) * ejects
    post_on(e, line, to | w | seen_at(at) & -ejects, flit)


@compiled
def source_credited(e: Engine, local: int, v: int, cycle: int) -> None:
    """Deliver a credit, visible in `cycle`, to a source."""
    node = local // e.switches.k.node_ports
    source_credit(e.sources, e.sending, local, v, e.k.need)
    if e.k.logs:
        note(e, CREDITED, cycle, local, v << 1, NO_PACKET)
    due = (e.queues[node].first != NO_PACKET) | source_may_send(e.sources, local)
    enlist_sender(e, node, cycle + 1, due)


@compiled_noinline
def eject(e: Engine, cycle: int) -> None:
    """Eject the flits that switches sent to nodes in `cycle`; nodes see them after the cable's latency."""
    clock = e.clock[0]
    line = 2 * e.k.slots
    for k in range(line * e.flit_room, e.flits[line]):
        event = e.flit[assume_u32(k)]
        to = event.to
        flit = assume_u32(event.flit)
        local = assume_u32(source_of(to))
        at = cycle + (seen_of(to) - cycle & LATEST)
        if not e.hooks.batched:
            post_credit(e, at + 1, assume_u32(e.home[local]) | vc_of(to))
        if e.k.logs:
            note(e, EJECTED, at, local, vc_of(to) << 1 | (flit & 1), flit >> 1)
        if flit & 1:
            packet = flit >> 1
            e.packets[packet].eject = at
            if e.hooks.messages:
                if e.hooks.history:
                    note_ejection(e, local, vc_of(to), packet, at)
                on_packet_arrival(e, packet, local, at)
                continue
            n = assume_u32(clock.delivered)
            e.delivered[n] = packet
            e.arrived[n] = e.packets[packet]
            clock.delivered = n + 1
            if e.k.closed:
                on_packet_done(e, packet, local, at)
    e.flits[line] = line * e.flit_room


@compiled
def on_move(e: Engine, s: int, move: Move, cycle: int) -> None:
    """Transmit the flit of a move and return its credit; `allocate` calls this for each move."""
    if not e.switches.k.output_queues or move.port != NO_PORT:
        return_credit(s, move.port, move.vc, cycle, carry_credit, e)
    if move.out >= 0:
        transmit(e, s, move.out, move.out_vc, move.flit, move.head == 1, move.at)
    elif move.flit & 1 and (not e.switches.k.output_queues or move.out == NO_PORT):
        note_dropped(e, move.flit >> 1, cycle)


@compiled
def note_dropped(e: Engine, packet: int, cycle: int) -> None:
    """Record that a packet was dropped."""
    clock = e.clock[0]
    if e.hooks.messages:
        clock.dropped += 1
        free_packet(e, packet)
        return
    e.dropped[clock.dropped] = packet
    clock.dropped += 1
    if e.k.closed:
        on_packet_done(e, packet, NOBODY, cycle)
