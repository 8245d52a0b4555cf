"""Nodes: packets and replies to send, the choice among classes of traffic, arriving packets."""

from __future__ import annotations

import numpy as np

from models.booksim.iq_channel import (
    claim,
    credit_cycle,
    flit_of,
    is_free,
    is_full,
    is_tail,
    note_sent,
    packet_of,
    receive,
    transmit,
    vc_of,
)
from models.booksim.iq_random import draw
from models.booksim.iq_route import injection_vcs, route
from models.booksim.iq_state import (
    BY_AGE,
    BY_CLASS,
    BY_SEQUENCE,
    DELIVERED,
    FREE,
    HIGHEST,
    NONE,
    PLAIN,
    READ_REQUEST,
    WRITE_REQUEST,
    Routers,
)
from models.jit.compiled import compiled, compiled_noinline
from models.state.registers import Records

EJECTED = 2  # cycles of BookSim2's injection and ejection channels, which times of delivered packets leave out


@compiled
def _append(st: Routers, queue: Records, at: int, packet: int) -> None:
    st.packet[packet].next = NONE
    if queue[at].first == NONE:
        queue[at].first = packet
    else:
        st.packet[queue[at].last].next = packet
    queue[at].last = packet


@compiled
def _pop(st: Routers, queue: Records, at: int) -> int:
    packet = queue[at].first
    queue[at].first = st.packet[packet].next
    return packet


@compiled_noinline
def offer(
    st: Routers,
    birth: np.ndarray,
    source: np.ndarray,
    destination: np.ndarray,
    flits: np.ndarray,
    kinds: np.ndarray,
    traffic: int,
) -> None:
    """Add packets of a class of traffic to the queues of their sources, in order of birth."""
    for each in range(len(birth)):
        st.clock[FREE] -= 1
        number = st.free[st.clock[FREE]]
        packet = st.packet[number]
        packet.source = source[each]
        packet.destination = destination[each]
        packet.flits = flits[each]
        packet.type = kinds[each]
        packet.traffic = traffic
        packet.birth = birth[each]
        packet.origin = birth[each]
        _append(st, st.queue, source[each] * st.k.classes + traffic, number)


@compiled
def _begin_packet(st: Routers, node: int, traffic: int, cycle: int) -> None:
    """Take a reply, or else a packet that has been born, to the front."""
    at = node * st.k.classes + traffic
    sending = st.sending[at]
    if sending.packet != NONE:
        return
    if st.answers[traffic] and st.replies[node].first != NONE:
        number = _pop(st, st.replies, node)
        st.packet[number].traffic = traffic
        st.packet[number].flits = st.reply_flits[traffic, st.packet[number].type]
    elif st.queue[at].first != NONE and st.packet[st.queue[at].first].birth <= cycle:
        number = _pop(st, st.queue, at)
    else:
        return
    st.sending[node * st.k.classes].sequence += 1
    packet = st.packet[number]
    packet.hops = 0
    packet.phase = 0
    packet.subnet = st.subnet[packet.type]
    if st.k.subnets > 1 and packet.type == PLAIN:
        packet.subnet = draw(st.random, st.k.subnets)
    packet.priority = _priority(st, node, traffic, packet.birth)
    sending.packet = number
    sending.sent = 0
    sending.vc = NONE


@compiled
def _priority(st: Routers, node: int, traffic: int, birth: int) -> int:
    if st.k.priority == BY_CLASS:
        return st.class_priority[traffic]
    if st.k.priority == BY_AGE:
        return HIGHEST - birth
    if st.k.priority == BY_SEQUENCE:
        return HIGHEST - st.sending[node * st.k.classes].sequence
    return 0


@compiled_noinline
def send_from_node(st: Routers, node: int, cycle: int) -> None:
    """Send a flit of one class of traffic to each network: in turn, but those of higher priority first."""
    for traffic in range(st.k.classes):
        _begin_packet(st, node, traffic, cycle)
    for subnet in range(st.k.subnets):
        chosen = _choose_class(st, node, subnet)
        if chosen != NONE:
            _send(st, node, subnet, chosen, cycle)
            st.last_class[subnet * st.k.nodes + node] = chosen


@compiled
def _choose_class(st: Routers, node: int, subnet: int) -> int:
    """Return the class that sends to a network next, or NONE."""
    port = subnet * st.k.nodes + node
    last, count, chosen, channel = st.last_class[port], st.k.classes, NONE, len(st.source) + port
    first = node * count
    if st.k.hold_switch_for_packet:
        before = st.sending[first + last]
        here = before.packet != NONE and st.packet[before.packet].subnet == subnet
        if here and before.sent and not is_full(st, channel, before.vc):
            chosen = last
            count -= 1
    for turn in range(1, count + 1):
        traffic = (last + turn) % st.k.classes
        sending = st.sending[first + traffic]
        if sending.packet == NONE or st.packet[sending.packet].subnet != subnet:
            continue
        if chosen != NONE:
            most = st.packet[st.sending[first + chosen].packet].priority
            if most >= st.packet[sending.packet].priority:
                continue
        if _may_send(st, port, first + traffic, st.last_vc[port, traffic]):
            chosen = traffic
    return chosen


@compiled
def _may_send(st: Routers, port: int, at: int, before: int) -> bool:
    """Return whether a packet has a VC with a credit; a head looks for one, behind the VC of the head before it."""
    sending, channel = st.sending[at], len(st.source) + port
    if sending.sent:
        return not is_full(st, channel, sending.vc)
    first, last = injection_vcs(st, sending.packet)
    count = last - first + 1
    inside = first <= before <= last
    for turn in range(1, count + 1):
        vc = first + (before - first + turn) % count if inside else first
        if is_free(st, channel, vc) and not is_full(st, channel, vc):
            sending.vc = vc
            return True
    return False


@compiled
def _send(st: Routers, node: int, subnet: int, traffic: int, cycle: int) -> None:
    """Send the next flit of a class."""
    port, sending = subnet * st.k.nodes + node, st.sending[node * st.k.classes + traffic]
    channel = len(st.source) + port
    number = sending.packet
    if not sending.sent:
        place = st.sink[channel]
        if not st.k.routing_delay:
            route(st, place // st.k.ports, place % st.k.ports, number, sending.vc)
        claim(st, channel, sending.vc, 0)
        st.last_vc[port, traffic] = sending.vc
        st.packet[number].enter = cycle + 1
    flit = flit_of(number, sending.sent, sending.vc)
    note_sent(st, channel, flit)
    transmit(st, channel, flit, cycle)
    sending.sent += 1
    if is_tail(st, flit):
        sending.packet = NONE


@compiled
def eject(st: Routers, port: int, cycle: int) -> None:
    """Take the flit that a network sends to a node, return its credit, deliver or answer a packet that is complete."""
    channel = st.ejection[port]
    flit = receive(st, channel, cycle)
    if flit == NONE:
        return
    st.credits[credit_cycle(st, channel, cycle, True), channel, 0] = vc_of(flit) + 1
    if is_tail(st, flit):
        _deliver(st, packet_of(flit), cycle)


@compiled_noinline
def _deliver(st: Routers, number: int, cycle: int) -> None:
    """Note a packet that has arrived; a request becomes its reply."""
    packet = st.packet[number]
    row = st.delivered[st.clock[DELIVERED]]
    st.clock[DELIVERED] += 1
    row[0], row[1], row[2] = packet.source, packet.destination, packet.flits
    row[3], row[4], row[5] = packet.birth, packet.enter, cycle - EJECTED
    row[6], row[7], row[8] = packet.hops, packet.origin, packet.traffic
    if packet.type in (READ_REQUEST, WRITE_REQUEST):
        packet.type += 2
        packet.source, packet.destination = packet.destination, packet.source
        packet.birth = cycle
        _append(st, st.replies, packet.source, number)
    else:
        packet.type = PLAIN
        st.free[st.clock[FREE]] = number
        st.clock[FREE] += 1
