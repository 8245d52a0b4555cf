"""The compiled engine: advances a network of model switches and visits only what moves.

It contains no switch behaviour. A cycle consists of new packets, sources, allocation in the switches that may move a
flit, arriving flits, ejected flits, arriving credits, and `route_step` of the switches with lookups. A switch that
cannot move is not visited until a flit, a credit or a route reaches it, or a head's delay ends; batched switches are
allocated together (`models.batched.switch`). When nothing is due, time jumps to the next event.
"""

from __future__ import annotations

from models.batched.switch import accept_head, step_batches
from models.jit.bits import assume_u32
from models.jit.compiled import compiled, compiled_apart, compiled_noinline
from models.node.terminal import (
    NO_PACKET,
    source_can_take,
    source_choose,
    source_may_send,
    source_rests,
    source_send,
    source_take,
    source_to_take,
)
from models.power.lpi import lpi_next
from models.predict.bypass import confirm
from models.route.header import awaits_header
from models.route.route_unit import ROUTED, SENT, WORKING, route_next
from models.state.registers import NEVER
from models.switch import accept_credit, accept_flit, allocate, may_move, route_step
from models.transfer.link import return_credit
from sim.engine.address import port_of, source_of, switch_of, vc_of
from sim.engine.batched.links import credit_sources, on_batch_move, send_in
from sim.engine.closed_loop import enqueue_packet, release_due_events
from sim.engine.hints import list_hints, post_hints, see_hints
from sim.engine.history import note_arrival
from sim.engine.links import INJECTED, carry_credit, eject, on_move, post_open, see_open, source_credited, transmit
from sim.engine.messages import asks, end_cycle, hand_over, is_quiet, on_packet_sent, on_packet_start
from sim.engine.prefetch import births_ahead, credits_ahead, flits_ahead, movers_ahead
from sim.engine.reservation import post_reservations, see_reservations
from sim.engine.schedule import (
    MOVERS,
    ROUTERS,
    SENDERS,
    await_heads,
    begin_of,
    clear,
    end_of,
    enlist_mover,
    enlist_router,
    enlist_sender,
    enlist_waited,
    next_cycle,
    note,
    post_flit,
    sleep,
)
from sim.engine.state import NOBODY, Engine
from sim.engine.ugal_choice import choose_ugal_path
from sim.messages.process import process


@compiled_noinline
def _births(e: Engine, cycle: int) -> None:
    """Enqueue the packets that are born by `cycle`."""
    clock = e.clock[0]
    while clock.arrival < len(e.arrivals):
        packet = e.arrivals[clock.arrival]
        if e.packets[packet].birth > cycle:
            break
        clock.arrival += 1
        births_ahead(e, clock.arrival)
        enqueue_packet(e, packet, cycle)


@compiled_apart
def _send(e: Engine, cycle: int) -> None:
    """Let the nodes with packets take them from their queues, and send."""
    count = e.switches.k.node_ports
    for k in range(begin_of(e, SENDERS, cycle), end_of(e, SENDERS, cycle)):
        node = assume_u32(e.listed[assume_u32(k)])
        first = node * count
        _take_packets(e, node, first, count, cycle)
        again = False
        for local in range(first, first + count):
            again |= _send_on(e, node, local, cycle)
        if again or (e.queues[node].first != NO_PACKET and _may_take_next(e, node, first, count, cycle)):
            enlist_sender(e, node, cycle + 1)
    clear(e, SENDERS, cycle)


@compiled
def _take_packets(e: Engine, node: int, first: int, count: int, cycle: int) -> None:
    """Let `count` sources of a node, from `first` on, take packets from its queue."""
    queue = e.queues[node]
    for local in range(first, first + count):
        packet = queue.first
        if packet == NO_PACKET or (e.k.paced and not _may_take(e, node, cycle)):
            break
        if not source_to_take(e.sources, first, local, count, e.k.of_port, cycle):
            continue
        queue.first = e.packets[packet].next
        if len(e.path_out):
            choose_ugal_path(e, packet, switch_of(e.home[local]))
        source_take(e.sources, e.sending, local, packet, e.packets[packet].flits)
        if e.k.paced:
            e.nodes[node].under_way += 1
            e.nodes[node].next_take = cycle + e.k.think_time
        if e.hooks.messages:
            on_packet_start(e, node, cycle)


@compiled
def _may_take(e: Engine, node: int, cycle: int) -> bool:
    """Return whether a node's injection limits let it take a packet in `cycle`."""
    may: bool = (e.nodes[node].under_way < e.k.of_node) & (cycle >= e.nodes[node].next_take)
    return may


@compiled
def _may_take_next(e: Engine, node: int, first: int, count: int, cycle: int) -> bool:
    """Return whether a node may take a packet in the next cycle, or later if it waits only for time to pass."""
    if e.k.paced and e.nodes[node].under_way >= e.k.of_node:
        return False
    able = 0
    for local in range(first, first + count):
        able |= int(source_can_take(e.sources, local, e.k.of_port, cycle + 1))
    return able != 0


@compiled
def _send_on(e: Engine, node: int, local: int, cycle: int) -> bool:
    """Let the source at one of a node's local ports send a flit; return whether it may send more."""
    if source_rests(e.sources, local, cycle):
        return True
    if not source_may_send(e.sources, local):
        return False
    v = source_choose(e.sources, local)
    row = e.sending[local, v]
    packet = int(row.packet)
    head = row.sent == 0
    if head:
        e.packets[packet].enter = cycle + 1
    tail = 1 if source_send(e.sources, e.sending, local, v, e.k.need) else 0
    if tail and e.k.paced:
        e.nodes[node].under_way -= 1
    e.sources[local].ready = cycle + e.switches.k.speedup
    if e.hooks.messages and tail:
        on_packet_sent(e, packet, local, cycle)
    if e.hooks.batched:
        send_in(e, cycle + 1, e.home[local], v, packet, head, tail)
    else:
        post_flit(e, cycle + 1, e.home[local] | v, packet << 1 | tail, head)
    if e.k.logs:
        note(e, INJECTED, cycle + 1, local, v << 1 | tail, packet)
    return e.switches.k.speedup > 1 or source_may_send(e.sources, local)


@compiled_apart
def _confirm(e: Engine, cycle: int) -> None:
    """Transmit the heads that were forwarded speculatively in the previous cycle and are confirmed."""
    st = e.switches
    for k in range(begin_of(e, ROUTERS, cycle), end_of(e, ROUTERS, cycle)):
        s = e.listed[k]
        for p in range(st.k.ports):
            if confirm(st, s, p, cycle):
                port = st.prediction[s, p]
                v = int(port.forwarded_vc)
                flit = st.flits[s, p, v, st.vc[s, p, v].read]
                return_credit(s, p, v, cycle, carry_credit, e)
                transmit(e, s, int(port.forwarded_out), v, flit, True, int(port.forwarded_at))


@compiled_apart
def _move(e: Engine, cycle: int) -> None:
    """Allocate in the switches that may move a flit; transmit their flits."""
    st = e.switches
    for place in range(begin_of(e, MOVERS, cycle), end_of(e, MOVERS, cycle)):
        k = assume_u32(place)
        movers_ahead(e, k)
        s = assume_u32(e.listed[k])
        allocate(st, s, cycle, on_move, e)
        if st.k.lookahead and st.switch[s].opened:
            post_open(e, s, cycle)
        if st.k.reserves:
            post_reservations(e, s, cycle)
        await_heads(e, s, cycle)
        enlist_mover(e, s, cycle + 1, may_move(st, s))
        if st.k.lpi:
            at = lpi_next(st, s)
            if at < e.wake_at[s]:
                sleep(e, s, at)
    clear(e, MOVERS, cycle)


@compiled_apart
def _step_batches(e: Engine, cycle: int) -> None:
    """Advance all switches, which are batched; transmit their flits."""
    step_batches(e.switches, cycle, on_batch_move, e)


@compiled_apart
def _arrive_in_batches(e: Engine, cycle: int) -> None:
    """Deliver to batched switches the heads that are visible in this cycle."""
    st = e.switches
    line = assume_u32((cycle << 1 & (2 * e.k.slots - 1)) + 1)
    for place in range(line * e.flit_room, e.flits[line]):
        k = assume_u32(place)
        flits_ahead(e, k, True)
        to = assume_u32(e.flit[k].to)
        packet = assume_u32(e.flit[k].flit) >> 1
        e.packets[packet].hops += 1
        s = switch_of(to)
        if e.hooks.history:
            note_arrival(e, s, port_of(to), vc_of(to), packet, cycle)
        if accept_head(st, s, port_of(to), vc_of(to), packet, e.packets[packet].tag, cycle) & WORKING:
            enlist_router(e, s, cycle)
    e.flits[line] = line * e.flit_room


@compiled_apart
def _arrive(e: Engine, cycle: int) -> None:
    """Deliver the flits that are visible in this cycle."""
    line = assume_u32(cycle << 1 & (2 * e.k.slots - 1))
    _arrive_all(e, line, False, cycle)
    _arrive_all(e, line + 1, True, cycle)


@compiled
def _arrive_all(e: Engine, line: int, heads: bool, cycle: int) -> None:
    """Deliver the flits of a list, either heads or body flits."""
    st = e.switches
    for place in range(line * e.flit_room, e.flits[line]):
        k = assume_u32(place)
        flits_ahead(e, k, heads)
        to = assume_u32(e.flit[k].to)
        flit = assume_u32(e.flit[k].flit)
        s = switch_of(to)
        p = port_of(to)
        v = vc_of(to)
        data = 0
        if heads or (st.k.header_flits > 1 and awaits_header(st, s, p, v)):
            data = e.packets[flit >> 1].tag >> st.k.data_width * int(st.vc[s, p, v].header)
        result = accept_flit(st, s, p, v, flit, data, cycle)
        if heads:
            e.packets[flit >> 1].hops += 1
            if e.hooks.history:
                note_arrival(e, s, p, v, flit >> 1, cycle)
        if result & SENT:
            sent = st.sent[0]
            return_credit(s, p, v, cycle, carry_credit, e)
            transmit(e, s, int(sent.out), int(sent.out_vc), flit, sent.head == 1, int(sent.at))
        if heads or st.k.header_flits > 1:
            await_heads(e, s, cycle)
            if st.k.hints:
                list_hints(e, s, cycle)
        if result & ROUTED:
            enlist_mover(e, s, cycle + 1)
        if result & WORKING:
            enlist_router(e, s, cycle)
    e.flits[line] = line * e.flit_room


@compiled_apart
def _credit(e: Engine, cycle: int) -> None:
    """Deliver the credits that are visible in this cycle."""
    st = e.switches
    if e.hooks.batched:
        credit_sources(e, cycle)
        return
    line = assume_u32(cycle << 1 & (2 * e.k.slots - 1))
    for place in range(line * e.credit_room, e.credits[line]):
        k = assume_u32(place)
        credits_ahead(e, k)
        to = assume_u32(e.credit[k])
        if accept_credit(st, switch_of(to), port_of(to), vc_of(to)):
            enlist_mover(e, switch_of(to), cycle + 1)
    e.credits[line] = line * e.credit_room
    line += 1
    for place in range(line * e.credit_room, e.credits[line]):
        to = e.credit[assume_u32(place)]
        source_credited(e, assume_u32(source_of(to)), vc_of(to), cycle)
    e.credits[line] = line * e.credit_room


@compiled_noinline
def _wake(e: Engine, cycle: int) -> None:
    """Visit the switches on the wake wheel for `cycle`."""
    slot = cycle & (len(e.wake_first) - 1)
    while e.wake_first[slot] != NOBODY:
        s = e.wake_first[slot]
        sleep(e, s, NEVER)
        if e.switches.k.table:
            enlist_router(e, s, cycle)
        if e.switches.k.lpi:
            enlist_mover(e, s, cycle)


@compiled_apart
def _route(e: Engine, cycle: int) -> None:
    """Advance lookups in the switches where one is due."""
    st = e.switches
    for k in range(begin_of(e, ROUTERS, cycle), end_of(e, ROUTERS, cycle)):
        s = assume_u32(e.listed[k])
        if route_step(st, s, cycle, False):
            enlist_mover(e, s, cycle + 1)
        await_heads(e, s, cycle)
        at = route_next(st, s, cycle)
        if at == cycle + 1:
            enlist_router(e, s, cycle + 1)
            at = NEVER
        if st.k.lpi and not e.hooks.batched:
            link = lpi_next(st, s)
            # A link that no flit waits for may have woken without a visit: a past cycle must not hide a due one.
            if link > cycle:
                at = min(at, link)
        sleep(e, s, at)
    clear(e, ROUTERS, cycle)


@compiled_apart
def _process(e: Engine, cycle: int) -> None:
    """Advance the messages of ranks."""
    process(e.ranks.x, cycle, hand_over, e)


@compiled
def step(e: Engine, cycle: int) -> None:
    """Advance by one cycle everything that has something due: births, switches, links and nodes, in this order."""
    if e.k.closed:
        release_due_events(e, cycle)
    _births(e, cycle)
    if e.switches.k.table or e.switches.k.lpi:
        _wake(e, cycle)
    _send(e, cycle)
    if e.switches.k.lookahead:
        see_open(e, cycle)
    if e.switches.k.reserves:
        see_reservations(e, cycle)
    if e.switches.k.hints:
        see_hints(e, cycle)
    if e.switches.k.predict and e.switches.k.cached:
        _confirm(e, cycle)
    if e.hooks.batched:
        _step_batches(e, cycle)
        _arrive_in_batches(e, cycle)
    else:
        if e.switches.k.head_delay:
            enlist_waited(e, cycle)
        _move(e, cycle)
        _arrive(e, cycle)
    eject(e, cycle)
    _credit(e, cycle)
    if e.switches.k.table:
        _route(e, cycle)
    if e.switches.k.hints:
        post_hints(e, cycle)
    if e.hooks.messages and not e.hooks.parts:
        end_cycle(e)


@compiled
def run(e: Engine, end: int) -> None:
    """Advance the network to the beginning of cycle `end`."""
    cycle = e.clock[0].cycle
    while cycle < end:
        due = next_cycle(e, cycle, end)
        if due >= end:
            if e.hooks.messages and is_quiet(e):
                e.clock[0].cycle = cycle
                return
            break
        cycle = due
        if e.hooks.messages:
            _process(e, cycle)
            if asks(e):
                e.clock[0].cycle = cycle
                return
        step(e, cycle)
        cycle += 1
    e.clock[0].cycle = end
