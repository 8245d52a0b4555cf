"""The router: arriving flits and credits, its internal steps, and what it sends."""

from __future__ import annotations

from models.booksim.iq_channel import credit_cycle, packet_of, receive, take_credits, transmit, vc_of
from models.booksim.iq_claim import allocate_vcs, front, give_vcs
from models.booksim.iq_depart import input_of
from models.booksim.iq_lists import begin_head, claim_output, put, take_first
from models.booksim.iq_route import route
from models.booksim.iq_state import ACTIVE, FLIT_HOPS, IDLE, NONE, Routers
from models.booksim.iq_switch import allocate_switch, check_held, send_granted, send_held
from models.jit.compiled import compiled, compiled_noinline


@compiled_noinline
def step_router(st: Routers, r: int, steps: int, cycle: int) -> None:
    """Advance a router by a cycle, with `steps` internal steps."""
    first, end = r * st.k.ports, r * st.k.ports + st.ports[r]
    for place in range(first, end):
        if st.source[place] != NONE:
            flit = receive(st, st.source[place], cycle)
            if flit != NONE:
                _store(st, r, place - first, flit)
    for channel in range(first, end):
        take_credits(st, channel, cycle)
    if _has_work(st, r):
        for _ in range(steps):
            _step(st, r, cycle)
    for place in range(first, end):
        if st.waiting_at[place, 1]:
            _send_flit(st, place, cycle)
        if st.returning_at[place, 1]:
            _send_credit(st, place, cycle)


@compiled
def _has_work(st: Routers, r: int) -> bool:
    lists = st.routing.length[r] + st.claiming.length[r] + st.switching.length[r] + st.holding.length[r]
    return lists + st.crossing_at[r, 1] > 0


@compiled
def _store(st: Routers, r: int, port: int, flit: int) -> None:
    """Store a flit that arrives; let it begin if it is the first of its VC."""
    k = st.k
    number = port * k.vcs + vc_of(flit)
    place = r * k.ports * k.vcs + number
    vc = st.vc[place]
    st.buffer[place, (vc.front + vc.flits) % k.depth] = flit
    vc.flits += 1
    if vc.state == IDLE:
        begin_head(st, r, number)
    elif vc.state == ACTIVE and vc.flits == 1:
        if st.held_vc[r, input_of(st, number)] == number % k.vcs:
            put(st.holding, r, number)
        else:
            put(st.switching, r, number)


@compiled
def _step(st: Routers, r: int, cycle: int) -> None:
    """Make an internal step: all stages decide, then all act."""
    begun = st.routing.length[r]
    for at in range(begun):
        vc = st.vc[r * st.k.ports * st.k.vcs + st.routing.item[r, at]]
        if vc.due != NONE:
            break  # as in BookSim2: a head that comes later begins when those before it are done
        vc.due = cycle + st.k.routing_delay - 1
    claims = allocate_vcs(st, r)
    held = check_held(st, r)
    asked = allocate_switch(st, r)
    _enter_crossbar(st, r, cycle)
    if begun:
        _finish_routes(st, r, begun, cycle)
    if claims:
        give_vcs(st, r, claims)
    if held:
        send_held(st, r, held, cycle)
    if asked:
        send_granted(st, r, asked, cycle)
    _leave_crossbar(st, r, cycle)
    _queue_credits(st, r)


@compiled_noinline
def _finish_routes(st: Routers, r: int, count: int, cycle: int) -> None:
    """Route the heads whose delay has passed."""
    take_first(st, st.routing, r, count)
    for at in range(count):
        number = st.kept[at]
        vc = st.vc[r * st.k.ports * st.k.vcs + number]
        if vc.due == NONE or vc.due > cycle:
            put(st.routing, r, number)
            continue
        route(st, r, number // st.k.vcs, packet_of(front(st, r, number)), number % st.k.vcs)
        claim_output(st, r, number)


@compiled
def _enter_crossbar(st: Routers, r: int, cycle: int) -> None:
    """Say when the flits that were granted the crossbar leave it; those behind flits that are in it wait."""
    length = st.crossing.shape[1]
    for number in range(st.crossing_at[r, 1]):
        at = (st.crossing_at[r, 0] + number) % length
        if st.crossing[r, at, 2] != NONE:
            break
        st.crossing[r, at, 2] = cycle + st.k.crossbar_delay - 1


@compiled
def _leave_crossbar(st: Routers, r: int, cycle: int) -> None:
    while st.crossing_at[r, 1]:
        at = st.crossing_at[r, 0]
        if st.crossing[r, at, 2] == NONE or st.crossing[r, at, 2] > cycle:
            break
        place = r * st.k.ports + st.crossing[r, at, 1]
        end = (st.waiting_at[place, 0] + st.waiting_at[place, 1]) % st.waiting.shape[1]
        st.waiting[place, end] = st.crossing[r, at, 0]
        st.waiting_at[place, 1] += 1
        st.crossing_at[r, 0] = (at + 1) % st.crossing.shape[1]
        st.crossing_at[r, 1] -= 1


@compiled
def _queue_credits(st: Routers, r: int) -> None:
    """Queue the credits of the flits that left each port in this step, to be sent together."""
    for place in range(r * st.k.ports, r * st.k.ports + st.ports[r]):
        end = (st.returning_at[place, 0] + st.returning_at[place, 1]) % st.returning.shape[1]
        for input_ in range(st.k.input_speedup):
            if st.returning[place, end, input_]:
                st.returning_at[place, 1] += 1
                break


@compiled
def _send_flit(st: Routers, channel: int, cycle: int) -> None:
    """Send the first flit before a channel."""
    at = st.waiting_at[channel, 0]
    transmit(st, channel, st.waiting[channel, at], cycle)
    st.waiting_at[channel, 0] = (at + 1) % st.waiting.shape[1]
    st.waiting_at[channel, 1] -= 1
    if st.sink[channel] != NONE:
        st.clock[FLIT_HOPS] += 1


@compiled
def _send_credit(st: Routers, place: int, cycle: int) -> None:
    """Send the first credits before the channel of an input."""
    at, channel = st.returning_at[place, 0], st.source[place]
    slot = credit_cycle(st, channel, cycle, channel < len(st.source))
    for input_ in range(st.k.input_speedup):
        st.credits[slot, channel, input_] = st.returning[place, at, input_]
        st.returning[place, at, input_] = 0
    st.returning_at[place, 0] = (at + 1) % st.returning.shape[1]
    st.returning_at[place, 1] -= 1
