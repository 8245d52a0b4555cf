"""The compiled engine: advances a network of model switches, visiting only what moves.

It holds no switch behaviour. A cycle is: births, sources, `allocate` of the switches that may move a flit, the arrivals
of the cycle, `route_step` of the switches that look a route up. A switch that cannot move sleeps until a flit, a credit
or a route reaches it; when nothing at all is due, time jumps to the next birth, arrival or answer.
"""

from __future__ import annotations

import numpy as np

from models.compiled import compiled, compiled_apart
from models.link import link_arrival
from models.lpi import lpi_next
from models.route_unit import ROUTED, SENT, WORKING
from models.state import NEVER
from models.switch import accept_credit, accept_flit, allocate, confirm, may_move, route_next, route_step
from models.terminal import (
    NO_PACKET,
    source_credit,
    source_may_send,
    source_may_start,
    source_rests,
    source_send,
    source_start,
)
from sim.engine_state import NOBODY, SOURCE_BIT, Engine

INJECTED, EJECTED, CREDITED = 0, 1, 2
MOVERS, ROUTERS, SENDERS = 0, 2, 4


@compiled
def _enlist(items: np.ndarray, counts: np.ndarray, kind: int, mark: np.ndarray, item: int, cycle: int) -> None:
    """Put an item on a list for `cycle`, once."""
    if mark[item] != cycle:
        mark[item] = cycle
        half = cycle & 1
        items[half, counts[kind + half]] = item
        counts[kind + half] += 1


@compiled
def _sleep(e: Engine, s: int, at: int) -> None:
    """Have a switch visited in cycle `at` (NEVER: not at all), when a route or a link is due."""
    old = e.wake_at[s]
    if old == at:
        return
    if old != NEVER:
        following = e.wake_next[s]
        previous = e.wake_previous[s]
        if previous == NOBODY:
            e.wake_first[old & (len(e.wake_first) - 1)] = following
        else:
            e.wake_next[previous] = following
        if following != NOBODY:
            e.wake_previous[following] = previous
        e.clock[0].awake -= 1
    e.wake_at[s] = at
    if at != NEVER:
        slot = at & (len(e.wake_first) - 1)
        first = e.wake_first[slot]
        e.wake_next[s] = first
        e.wake_previous[s] = NOBODY
        if first != NOBODY:
            e.wake_previous[first] = s
        e.wake_first[slot] = s
        e.clock[0].awake += 1


@compiled
def _note(e: Engine, kind: int, cycle: int, local: int, what: int, packet: int) -> None:
    """Log what happens at a local port."""
    n = e.clock[0].logged
    if n < len(e.log):
        e.log[n, 0] = kind
        e.log[n, 1] = cycle
        e.log[n, 2] = local
        e.log[n, 3] = what
        e.log[n, 4] = packet
    e.clock[0].logged = n + 1


@compiled
def _post_flit(e: Engine, at: int, to: int, flit: int) -> None:
    slot = at & (len(e.flits) - 1)
    n = e.flits[slot]
    e.flit_to[slot, n] = to
    e.flit[slot, n] = flit
    e.flits[slot] = n + 1
    e.clock[0].due += 1


@compiled
def _post_credit(e: Engine, at: int, to: int) -> None:
    slot = at & (len(e.flits) - 1)
    n = e.credits[slot]
    e.credit_to[slot, n] = to
    e.credits[slot] = n + 1
    e.clock[0].due += 1


@compiled_apart
def _post_open(e: Engine, s: int, cycle: int) -> None:
    """Have the exchangers around a crossbar see what it shows from `cycle` + 1 on."""
    slot = link_arrival(cycle, e.latency) & (len(e.flits) - 1)
    n = e.shows[slot]
    e.shown_by[slot, n] = s
    for w in range(e.switches.k.vcs):
        e.shown[slot, n, w] = e.switches.open[s, w]
    e.shows[slot] = n + 1
    e.clock[0].due += 1


@compiled_apart
def _see_open(e: Engine, cycle: int) -> None:
    """Set what exchangers see in this cycle; those with waiting heads may choose anew."""
    st = e.switches
    slot = cycle & (len(e.flits) - 1)
    for k in range(e.shows[slot]):
        crossbar = e.shown_by[slot, k]
        for x in range(st.k.ports):
            to = e.link[crossbar, x]
            if to == NOBODY:
                continue
            s = to >> 16
            for w in range(st.k.vcs):
                st.ahead[s, (to >> 8) & 255, w] = e.shown[slot, k, w]
            if st.switch[s].busy:
                _enlist(e.mover, e.counts, MOVERS, e.mover_mark, s, cycle)
    e.clock[0].due -= e.shows[slot]
    e.shows[slot] = 0


@compiled_apart
def _births(e: Engine, cycle: int) -> None:
    clock = e.clock[0]
    while clock.arrival < len(e.arrivals):
        packet = e.arrivals[clock.arrival]
        if e.packets[packet].birth > cycle:
            break
        clock.arrival += 1
        node = e.packets[packet].source
        queue = e.queues[node]
        e.packets[packet].next = NO_PACKET
        if queue.first == NO_PACKET:
            queue.first = packet
        else:
            e.packets[queue.last].next = packet
        queue.last = packet
        _enlist(e.sender, e.counts, SENDERS, e.sender_mark, node, cycle)


@compiled_apart
def _send(e: Engine, cycle: int) -> None:
    """Let the nodes that have something to send decide."""
    half = cycle & 1
    lanes = e.switches.k.lanes
    for k in range(e.counts[SENDERS + half]):
        node = e.sender[half, k]
        again = False
        for local in range(node * lanes, node * lanes + lanes):
            again |= _send_on(e, node, local, cycle)
        if again:
            _enlist(e.sender, e.counts, SENDERS, e.sender_mark, node, cycle + 1)
    e.counts[SENDERS + half] = 0


@compiled
def _send_on(e: Engine, node: int, local: int, cycle: int) -> bool:
    """Let the source on one of a node's local ports decide; return whether it may send more in the next cycle."""
    if source_rests(e.sources, local, cycle):
        return True
    queue = e.queues[node]
    packet = queue.first
    if packet != NO_PACKET and source_may_start(e.sources, local):
        queue.first = e.packets[packet].next
        source_start(e.sources, local, packet, e.packets[packet].flits, e.switches.k.vcs)
        e.packets[packet].enter = cycle + 1
    if not source_may_send(e.sources, local):
        return False
    packet = e.sources[local].packet
    v = int(e.sources[local].vc)
    tail = 1 if source_send(e.sources, e.source_credits, local, e.need) else 0
    e.sources[local].ready = cycle + e.switches.k.speedup
    _post_flit(e, cycle + 1, e.home[local] | v, packet << 1 | tail)
    if len(e.log):
        _note(e, INJECTED, cycle + 1, local, v << 1 | tail, packet)
    return not tail or queue.first != NO_PACKET


@compiled
def _give_back(e: Engine, s: int, p: int, v: int, cycle: int) -> None:
    """Return the credit of a flit that left input VC (p, v) of a switch in `cycle`."""
    back = e.link[s, p]
    if back >= SOURCE_BIT:
        _post_credit(e, cycle + 1, back | v)
    else:
        _post_credit(e, link_arrival(cycle, e.latency), back | v)


@compiled
def _forward(e: Engine, s: int, o: int, w: int, flit: int, head: bool, at: int) -> None:
    """Put on link `o` of a switch, or give to its node, a flit that is visible there in cycle `at`."""
    clock = e.clock[0]
    if head:
        e.packets[flit >> 1].hops += 1
    e.sent[s, o, w] += 1
    to = e.link[s, o]
    if to < SOURCE_BIT:
        clock.flit_hops += 1
        _post_flit(e, link_arrival(at - 1, e.latency), to | w, flit)
        return
    _post_credit(e, at + 1, s << 16 | o << 8 | w)
    if len(e.log):
        _note(e, EJECTED, at, (to ^ SOURCE_BIT) >> 8, w << 1 | (flit & 1), flit >> 1)
    if flit & 1:
        e.packets[flit >> 1].eject = at
        e.delivered[clock.delivered] = flit >> 1
        clock.delivered += 1


@compiled
def _pass_on(e: Engine, s: int, move: int, cycle: int) -> None:
    """Carry a move's flit and credit away from a switch."""
    sent = e.switches.sent[move]
    flit = sent.flit
    _give_back(e, s, int(sent.port), int(sent.vc), cycle)
    if sent.out >= 0:
        _forward(e, s, int(sent.out), int(sent.out_vc), flit, sent.head == 1, int(sent.at))
    elif flit & 1:
        clock = e.clock[0]
        e.dropped[clock.dropped] = flit >> 1
        clock.dropped += 1


@compiled_apart
def _confirm(e: Engine, cycle: int) -> None:
    """Carry away the heads that were sent on trust in the cycle before and turn out to be right."""
    st = e.switches
    half = cycle & 1
    for k in range(e.counts[ROUTERS + half]):
        s = e.router[half, k]
        for p in range(st.k.ports):
            if confirm(st, s, p, cycle):
                port = st.prediction[s, p]
                v = int(port.trusted_vc)
                flit = st.flits[s, p, v, st.vc[s, p, v].read]
                _give_back(e, s, p, v, cycle)
                _forward(e, s, int(port.trusted_out), v, flit, True, int(port.trusted_at))


@compiled_apart
def _move(e: Engine, cycle: int) -> None:
    """Allocate in the switches that may move a flit; put what they send on the links."""
    half = cycle & 1
    st = e.switches
    for k in range(e.counts[MOVERS + half]):
        s = e.mover[half, k]
        moves = allocate(st, s, cycle)
        for m in range(moves):
            _pass_on(e, s, m, cycle)
        if st.k.lookahead and st.switch[s].opened:
            _post_open(e, s, cycle)
        if may_move(st, s, moves):
            _enlist(e.mover, e.counts, MOVERS, e.mover_mark, s, cycle + 1)
        if st.k.lpi:
            at = lpi_next(st, s)
            if at < e.wake_at[s]:
                _sleep(e, s, at)
    e.counts[MOVERS + half] = 0


@compiled_apart
def _arrive(e: Engine, cycle: int) -> None:
    """Deliver the flits and credits that are visible in this cycle."""
    st = e.switches
    slot = cycle & (len(e.flits) - 1)
    for k in range(e.flits[slot]):
        to = e.flit_to[slot, k]
        flit = e.flit[slot, k]
        s = to >> 16
        p = (to >> 8) & 255
        v = to & 255
        data = e.packets[flit >> 1].tag
        if st.k.header_flits > 1:
            data >>= st.k.data_width * int(st.vc[s, p, v].header)
        result = accept_flit(st, s, p, v, flit, data, cycle)
        if result & SENT:
            _pass_on(e, s, 0, cycle)
        if result & ROUTED:
            _enlist(e.mover, e.counts, MOVERS, e.mover_mark, s, cycle + 1)
        if result & WORKING:
            _enlist(e.router, e.counts, ROUTERS, e.router_mark, s, cycle)
    for k in range(e.credits[slot]):
        to = e.credit_to[slot, k]
        if to >= SOURCE_BIT:
            local = (to ^ SOURCE_BIT) >> 8
            node = local // st.k.lanes
            source_credit(e.sources, e.source_credits, local, to & 255, e.need)
            if len(e.log):
                _note(e, CREDITED, cycle, local, (to & 255) << 1, NO_PACKET)
            if e.queues[node].first != NO_PACKET or e.sources[local].packet != NO_PACKET:
                _enlist(e.sender, e.counts, SENDERS, e.sender_mark, node, cycle + 1)
        elif accept_credit(st, to >> 16, (to >> 8) & 255, to & 255):
            _enlist(e.mover, e.counts, MOVERS, e.mover_mark, to >> 16, cycle + 1)
    e.clock[0].due -= e.flits[slot] + e.credits[slot]
    e.flits[slot] = 0
    e.credits[slot] = 0


@compiled_apart
def _wake(e: Engine, cycle: int) -> None:
    """Wake the switches whose time has come."""
    slot = cycle & (len(e.wake_first) - 1)
    while e.wake_first[slot] != NOBODY:
        s = e.wake_first[slot]
        _sleep(e, s, NEVER)
        if e.switches.k.table:
            _enlist(e.router, e.counts, ROUTERS, e.router_mark, s, cycle)
        if e.switches.k.lpi:
            _enlist(e.mover, e.counts, MOVERS, e.mover_mark, s, cycle)


@compiled_apart
def _route(e: Engine, cycle: int) -> None:
    """Advance lookups in the switches that have any due."""
    st = e.switches
    half = cycle & 1
    for k in range(e.counts[ROUTERS + half]):
        s = e.router[half, k]
        if route_step(st, s, cycle, False):
            _enlist(e.mover, e.counts, MOVERS, e.mover_mark, s, cycle + 1)
        at = route_next(st, s, cycle)
        if at == cycle + 1:
            _enlist(e.router, e.counts, ROUTERS, e.router_mark, s, cycle + 1)
            at = NEVER
        if st.k.lpi:
            link = lpi_next(st, s)
            # A link that nobody waited for may have woken unseen: what is past must not hide what is due.
            if link > cycle:
                at = min(at, link)
        _sleep(e, s, at)
    e.counts[ROUTERS + half] = 0


@compiled
def _next_cycle(e: Engine, cycle: int, end: int) -> int:
    """Return the next cycle in which anything is due, at most `end`."""
    half = cycle & 1
    clock = e.clock[0]
    if e.counts[MOVERS + half] or e.counts[ROUTERS + half] or e.counts[SENDERS + half]:
        return cycle
    nearest = end
    if clock.arrival < len(e.arrivals):
        nearest = min(nearest, max(cycle, e.packets[e.arrivals[clock.arrival]].birth))
    if clock.due:
        for ahead in range(len(e.flits)):
            at = cycle + ahead
            slot = at & (len(e.flits) - 1)
            if at >= nearest:
                break
            if e.flits[slot] or e.credits[slot] or e.shows[slot]:
                nearest = at
                break
    if clock.awake:
        for ahead in range(len(e.wake_first)):
            at = cycle + ahead
            if at >= nearest:
                break
            if e.wake_first[at & (len(e.wake_first) - 1)] != NOBODY:
                nearest = at
                break
    return nearest


@compiled
def run(e: Engine, end: int) -> None:
    """Advance the network to the beginning of cycle `end`."""
    cycle = e.clock[0].cycle
    while cycle < end:
        cycle = _next_cycle(e, cycle, end)
        if cycle >= end:
            break
        _births(e, cycle)
        _wake(e, cycle)
        _send(e, cycle)
        if e.switches.k.lookahead:
            _see_open(e, cycle)
        if e.switches.k.predict and e.switches.k.cached:
            _confirm(e, cycle)
        _move(e, cycle)
        _arrive(e, cycle)
        _route(e, cycle)
        cycle += 1
    e.clock[0].cycle = end
