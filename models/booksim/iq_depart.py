"""A flit leaves its input VC: into the crossbar, and its credit towards the router before."""

from __future__ import annotations

from models.booksim.iq_channel import flit_of, index_of, note_sent, packet_of
from models.booksim.iq_lists import begin_head
from models.booksim.iq_route import route
from models.booksim.iq_state import IDLE, NONE, Routers
from models.jit.compiled import compiled, compiled_noinline


@compiled
def input_of(st: Routers, number: int) -> int:
    """Return the input of the crossbar of an input VC: VCs of a port are divided among its inputs."""
    return number // st.k.vcs * st.k.input_speedup + number % st.k.vcs % st.k.input_speedup


@compiled_noinline
def depart(st: Routers, r: int, number: int, output: int, cycle: int) -> None:
    """Send the first flit of an input VC that owns a VC of an output; `output` is that of the crossbar."""
    k = st.k
    place = r * k.ports * k.vcs + number
    vc = st.vc[place]
    flit = st.buffer[place, vc.front]
    vc.front = (vc.front + 1) % k.depth
    vc.flits -= 1
    packet, index, channel = packet_of(flit), index_of(flit), r * k.ports + vc.out
    vc.tail_left = index == st.packet[packet].flits - 1
    if index == 0:
        st.packet[packet].hops += 1
        sink = st.sink[channel]
        if not k.routing_delay and sink != NONE:
            route(st, sink // k.ports, sink % k.ports, packet, vc.out_vc)
    sent = flit_of(packet, index, vc.out_vc)
    note_sent(st, channel, sent)
    end = (st.crossing_at[r, 0] + st.crossing_at[r, 1]) % st.crossing.shape[1]
    st.crossing[r, end, 0] = sent
    st.crossing[r, end, 1] = output // k.output_speedup
    st.crossing[r, end, 2] = NONE
    st.crossing_at[r, 1] += 1
    port = r * k.ports + number // k.vcs
    end = (st.returning_at[port, 0] + st.returning_at[port, 1]) % st.returning.shape[1]
    st.returning[port, end, number % k.vcs % k.input_speedup] = number % k.vcs + 1


@compiled
def continues(st: Routers, r: int, number: int) -> bool:
    """Let the next flit of an input VC begin if it is a head; return whether it is one of the same packet."""
    vc = st.vc[r * st.k.ports * st.k.vcs + number]
    if not vc.tail_left:
        return vc.flits > 0
    if vc.flits:
        begin_head(st, r, number)
    else:
        vc.state = IDLE
    return False
