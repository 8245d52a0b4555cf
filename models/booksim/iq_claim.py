"""VC allocation: heads whose route is known get a VC of an output."""

from __future__ import annotations

from models.booksim.iq_channel import claim, is_free, is_full, packet_of
from models.booksim.iq_lists import put, take_first
from models.booksim.iq_matching import allocate_requests
from models.booksim.iq_requests import add_request, clear_requests
from models.booksim.iq_state import ACTIVE, BEHIND, NONE, Routers
from models.jit.compiled import compiled, compiled_noinline


@compiled
def front(st: Routers, r: int, number: int) -> int:
    """Return the first flit of an input VC."""
    place = r * st.k.ports * st.k.vcs + number
    return st.buffer[place, st.vc[place].front]


@compiled
def _input_of(st: Routers, r: int, number: int) -> int:
    """Return the input of the VC allocator for an input VC."""
    if not st.k.vc_shuffle_requests:
        return number
    return number % st.k.vcs * st.ports[r] + number // st.k.vcs


@compiled_noinline
def allocate_vcs(st: Routers, r: int) -> int:
    """Decide which heads get which VC, and enter it in `claimed`; return how many heads asked."""
    a, count = st.claims, st.claiming.length[r]
    clear_requests(a)
    if not count:
        return 0
    for at in range(count):
        _ask(st, r, st.claiming.item[r, at])
    size = st.ports[r] * st.k.vcs
    allocate_requests(a, r, size, size)
    for at in range(count):
        number = st.claiming.item[r, at]
        st.claimed[number] = a.inputs.matched[_input_of(st, r, number)]
    return count


@compiled
def _ask(st: Routers, r: int, number: int) -> None:
    """Ask for all VCs that the route of a head allows."""
    packet = st.packet[packet_of(front(st, r, number))]
    input_ = _input_of(st, r, number)
    for route in range(packet.routes):
        out = packet.out[route]
        channel = r * st.k.ports + out
        for vc in range(packet.first_vc[route], packet.last_vc[route] + 1):
            if not is_free(st, channel, vc) or (st.k.vc_busy_when_full and is_full(st, channel, vc)):
                continue
            rank = packet.rank[route]
            if st.k.vc_prioritize_empty and st.output_vc[channel * st.k.vcs + vc].flits:
                rank += BEHIND
            add_request(st.claims, input_, out * st.k.vcs + vc, 0, rank, packet.priority)


@compiled_noinline
def give_vcs(st: Routers, r: int, count: int) -> None:
    """Give the VCs that `allocate_vcs` found to the first `count` heads; the others ask again."""
    take_first(st, st.claiming, r, count)
    for at in range(count):
        number = st.kept[at]
        claimed = st.claimed[number]
        if claimed == NONE:
            put(st.claiming, r, number)
            continue
        take_vc(st, r, number, claimed // st.k.vcs, claimed % st.k.vcs)
        if not st.k.speculative:
            put(st.switching, r, number)


@compiled
def take_vc(st: Routers, r: int, number: int, out: int, out_vc: int) -> None:
    """Make an input VC the owner of a VC of an output."""
    claim(st, r * st.k.ports + out, out_vc, number)
    vc = st.vc[r * st.k.ports * st.k.vcs + number]
    vc.out = out
    vc.out_vc = out_vc
    vc.state = ACTIVE


@compiled
def claimable(st: Routers, r: int, number: int, out: int) -> int:
    """Return the VC of an output that a head gets together with the crossbar, or NONE."""
    packet = st.packet[packet_of(front(st, r, number))]
    channel = r * st.k.ports + out
    start = st.turn_of_output[channel, packet.traffic]
    best, best_rank, best_far = NONE, 0, 0
    for route in range(packet.routes):
        if packet.out[route] != out:
            continue
        for vc in range(packet.first_vc[route], packet.last_vc[route] + 1):
            if not is_free(st, channel, vc) or is_full(st, channel, vc):
                continue
            rank, far = packet.rank[route], (vc - start + st.k.vcs) % st.k.vcs
            if st.k.vc_prioritize_empty and st.output_vc[channel * st.k.vcs + vc].flits:
                rank += BEHIND
            if best == NONE or rank > best_rank or (rank == best_rank and far < best_far):
                best, best_rank, best_far = vc, rank, far
    return best
