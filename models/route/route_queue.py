"""Route queue of one input port: one queue of routes per VC, in packet order (microarchitecture.md, section 4)."""

from __future__ import annotations

import numpy as np

from models.batched.head_delay import batch_on_head_ready
from models.batched.route_queue import batch_advance, batch_claim_slot, batch_front
from models.buffer.head_delay import on_head_ready
from models.jit.bits import assume_u32, mask_from_bit
from models.jit.compiled import compiled
from models.jit.ring_index import next_index
from models.params.parts import MAX_CHOICES
from models.route.adaptive import chooses, stepped
from models.route.dimension_order import kept_class
from models.route.lookahead import shows
from models.state.declare import VC, Field, Registers, fields, placed
from models.state.placement import Area
from models.state.registers import DETERMINISTIC, NO_PORT, STEP, SwitchState
from models.state.route_word import (
    DROP,
    route_drop,
    route_first,
    route_last,
    route_out,
    with_one_choice,
    with_out,
    without_choice,
)


class RouteQueueRegisters(Registers):
    """Routes of the packets in each input VC."""

    # route words behind the front one; adaptive: of all packets, with choices; not batched
    routes: np.ndarray = placed(
        Area.BUFFERS,
        lambda n: np.int64 if n.params.selects else np.int32,
        VC,
        lambda n: (n.depth,),
        built=lambda n: not n.batched,
    )
    in_vc = fields(
        Field("route", np.int64),  # summary: the front route's word, 0 while it is not ready; adaptive: the one chosen
        Field("front", np.int16),
        Field("claim", np.int16),
    )


@compiled
def checked(st: SwitchState, s: int, p: int, v: int, word: int) -> int:
    """Return route `word` as input VC (p, v) stores it: to its own local port; with the drop bit if it is invalid."""
    if st.k.adaptive == STEP:
        word = stepped(st, s, p, v, word)
    if st.k.fixed_classes:
        word = kept_class(word, p, v, st.radix, st.k.wrap, st.k.vcs)
    # Ports from MAX_CHOICES on have no bit; a shift by 64 or more would clear the bit of another field.
    if st.k.adaptive != DETERMINISTIC and not st.k.u_turn and p < MAX_CHOICES:
        word = without_choice(word, p)
    out = _own_local_port(st, s, p, route_out(word))
    word = with_out(word, out)
    if st.k.by_route:
        word = with_one_choice(word, out)
    first = route_first(word)
    last = route_last(word)
    if out >= st.k.ports or (out == p and not st.k.u_turn) or first > last or last >= st.k.vcs:
        return word | DROP
    return word


@compiled
def _own_local_port(st: SwitchState, s: int, p: int, out: int) -> int:
    """Return the output of packets of input port `p` with a route to `out`: at a node, the local port for input `p`.

    Several local ports may belong to one node (microarchitecture.md, section 13).
    """
    k = st.k
    if k.node_ports == 1 or out < k.first_local or out >= k.ports or st.switch[s].crossbar != NO_PORT:
        return out
    return out - (out - k.first_local) % k.node_ports + p % k.node_ports


@compiled
def route_at(st: SwitchState, s: int, p: int, v: int, position: int) -> int:
    """Return the route at a position of a VC's queue; 0 while it is not written.

    The front route is in the VC's record, unless the record holds an adaptive choice; so the cache line of the queue is
    seldom touched. Batched switches keep all routes in the queue.
    """
    if st.k.batched:
        return int(st.batch_routes[s, p, v, position])
    vc = st.vc[s, p, v]
    return int(vc.route) if position == vc.front and not chooses(st, s) else int(st.routes[s, p, v, position])


@compiled
def claim_position(st: SwitchState, s: int, p: int, v: int) -> int:
    """Claim the next entry of a VC's queue for the header that is complete; return the entry's position."""
    if st.k.batched:
        position = batch_claim_slot(st, s, p, v)
        batch_advance(st, s, p, v, position)
        if st.k.table:
            st.batch_routes[s, p, v, position] = 0
        return position
    vc = st.vc[s, p, v]
    position = assume_u32(vc.claim)
    if st.k.table and position != vc.front:
        st.routes[s, p, v, position] = 0  # clear the old route; a route that is known is written in this cycle
    if st.k.lookahead:
        st.targets[s, p, v, position] = vc.tag
    vc.claim = next_index(position, st.k.depth)
    return position


@compiled
def write(st: SwitchState, s: int, p: int, slot: int, word: int, cycle: int) -> bool:
    """Write a route to `slot` at the end of `cycle`, as `write_at`."""
    v = slot // st.k.depth
    return write_at(st, s, p, v, slot - v * st.k.depth, word, cycle)


@compiled
def write_at(st: SwitchState, s: int, p: int, v: int, position: int, word: int, cycle: int) -> bool:
    """Write a route at the end of `cycle` at a position of the queue of input VC (p, v).

    Returns
    -------
    bool
        Whether the route is the front packet's and a move may follow in the next cycle; always False for batched
        switches.
    """
    word = checked(st, s, p, v, word)
    if st.k.predict and not route_drop(word) and not chooses(st, s):
        st.prediction[s, p].routed = route_out(word)
    if st.k.batched:
        st.batch_routes[s, p, v, position] = word
        batch_on_head_ready(st, s, p, v, word, cycle, int(position == batch_front(st, s, p, v)))
        return False
    vc = st.vc[s, p, v]
    if position != vc.front or chooses(st, s):
        st.routes[s, p, v, position] = word
    if position == vc.front:
        vc.route = 0 if chooses(st, s) else word
        if chooses(st, s):
            return True
        on_head_ready(st, s, p, v, word, cycle)
        # During the head delay the link wakes up, and a crossbar shows the output as not free.
        return not st.k.head_delay or route_drop(word) == 1 or st.k.lpi or shows(st, s)
    return False


@compiled
def release(st: SwitchState, s: int, p: int, v: int, cycle: int, tail: int = 1) -> None:
    """Dequeue the front route if the flit that leaves in `cycle` is the packet's tail (1)."""
    vc = st.vc[s, p, v]
    keeps = ~mask_from_bit(tail)
    front = assume_u32(vc.front)
    if chooses(st, s):
        st.routes[s, p, v, front] &= keeps
    front = assume_u32(next_index(front, st.k.depth, tail))
    vc.front = front
    vc.route = int(vc.route) & keeps
    # A queue holds at most `depth` packets, and one less after a release.
    if not chooses(st, s) and (tail != 0) & (front != vc.claim):
        word = int(st.routes[s, p, v, front])
        vc.route = word
        if (st.k.head_delay or st.k.vc_stage) and word:
            on_head_ready(st, s, p, v, word, cycle)
