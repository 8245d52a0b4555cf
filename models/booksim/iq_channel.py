"""Channels: flits one way, credits the other way, and what a sender knows of the buffers behind its channel."""

from __future__ import annotations

from models.booksim.iq_state import INDEX_BITS, NONE, VC_BITS, Routers
from models.jit.compiled import compiled


@compiled
def flit_of(packet: int, index: int, vc: int) -> int:
    """Return the word for flit `index` of a packet, on a VC."""
    return (packet << INDEX_BITS | index) << VC_BITS | vc


@compiled
def packet_of(flit: int) -> int:
    """Return the packet of a flit."""
    return flit >> (VC_BITS + INDEX_BITS)


@compiled
def index_of(flit: int) -> int:
    """Return the number of a flit in its packet; 0 is the head."""
    return flit >> VC_BITS & (1 << INDEX_BITS) - 1


@compiled
def vc_of(flit: int) -> int:
    """Return the VC of a flit."""
    return flit & (1 << VC_BITS) - 1


@compiled
def is_tail(st: Routers, flit: int) -> bool:
    """Return whether a flit is the last one of its packet."""
    return index_of(flit) == st.packet[packet_of(flit)].flits - 1


@compiled
def is_free(st: Routers, channel: int, vc: int) -> bool:
    """Return whether a VC of a channel has no owner."""
    return st.output_vc[channel * st.k.vcs + vc].owner == NONE


@compiled
def is_full(st: Routers, channel: int, vc: int) -> bool:
    """Return whether a VC of a channel has no credit."""
    return st.output_vc[channel * st.k.vcs + vc].flits >= st.k.depth


@compiled
def claim(st: Routers, channel: int, vc: int, owner: int) -> None:
    """Make an input VC the owner of a VC of a channel."""
    there = st.output_vc[channel * st.k.vcs + vc]
    there.owner = owner
    there.tail_sent = 0


@compiled
def note_sent(st: Routers, channel: int, flit: int) -> None:
    """Take a credit for a flit; a tail gives its VC back, unless its credit has to come first."""
    there = st.output_vc[channel * st.k.vcs + vc_of(flit)]
    there.flits += 1
    st.used[channel] += 1
    if is_tail(st, flit):
        there.tail_sent = 1
        if not st.k.wait_for_tail_credit:
            there.owner = NONE


@compiled
def take_credits(st: Routers, channel: int, cycle: int) -> bool:
    """Take the credits that reach the sender of a channel in this cycle; return whether there are any."""
    slot = cycle % st.credits.shape[0]
    found = False
    for place in range(st.k.input_speedup):
        number = st.credits[slot, channel, place]
        if number:
            found = True
            st.credits[slot, channel, place] = 0
            there = st.output_vc[channel * st.k.vcs + number - 1]
            there.flits -= 1
            st.used[channel] -= 1
            if st.k.wait_for_tail_credit and there.flits == 0 and there.tail_sent:
                there.owner = NONE
    return found


@compiled
def transmit(st: Routers, channel: int, flit: int, cycle: int) -> None:
    """Send a flit."""
    st.flits[(cycle + 1 + st.latency[channel]) % st.flits.shape[0], channel] = flit


@compiled
def receive(st: Routers, channel: int, cycle: int) -> int:
    """Return the flit that a channel delivers in this cycle, or NONE."""
    slot = cycle % st.flits.shape[0]
    flit = st.flits[slot, channel]
    st.flits[slot, channel] = NONE
    return flit


@compiled
def credit_cycle(st: Routers, channel: int, cycle: int, to_router: bool) -> int:
    """Return the slot in which a credit that leaves now reaches the sender of a channel."""
    later = st.k.credit_delay if to_router else 0
    return (cycle + 1 + st.latency[channel] + later) % st.credits.shape[0]
