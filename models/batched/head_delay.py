"""Heads of all batched switches that wait for an output VC, by the cycle in which they may request one.

A timing wheel of lists replaces the per-switch sets of `models.buffer.head_delay`. A head is listed for the cycle in
which its delay ends, and for the next cycle each time that it loses VC allocation. A head that finds no free VC blocks
on its output (`st.blocked_heads`) until a packet frees one.
"""

from __future__ import annotations

import numpy as np

from models.batched.route_queue import batch_front
from models.batched.vc_sets import batch_chooses, batch_drain, batch_head_asks, set_lane
from models.buffer.head_delay import delay_end, delay_slots
from models.jit.bits import assume_u32, each_member
from models.jit.compiled import compiled, compiled_noinline
from models.route.adaptive import chooses
from models.state.declare import NOTHING, PORT, Registers, Sizes, apart, placed
from models.state.placement import Area
from models.state.registers import SwitchState
from models.state.request_word import request_of, request_word
from models.state.route_word import route_drop, route_out, route_vcs
from models.state.vc_set import insert, numbered, port_of_number, vc_of_number, words_of


def _slots(n: Sizes) -> int:
    return delay_slots(n) if n.batched else 1


def most_heads(n: Sizes) -> int:
    """Return how many heads may wait at once."""
    return n.switches * n.ports * n.vcs if n.batched else 0


@compiled_noinline
def batched_head_delay_reset(st: SwitchState, s: int, cycle: int) -> None:
    """Remove the heads of a switch from the wheel; `blocked_heads` is reset as it is declared."""
    for slot in range(len(st.batch_heads_end) if st.k.batched else 0):
        kept = 0
        for n in range(st.batch_heads_end[slot]):
            request = st.batch_heads[slot, n]
            st.batch_heads[slot, kept] = request
            kept += int(request_of(request).switch != s)
        st.batch_heads_end[slot] = kept


class BatchedHeadDelayRegisters(Registers):
    """Heads that wait."""

    # input VCs whose head is blocked on an output
    blocked_heads: np.ndarray = placed(Area.HEADS, np.int64, PORT, words_of, built=lambda n: n.batched)
    # timing wheel of requests of heads, and the number of requests in each slot
    batch_heads: np.ndarray = apart(np.int64, NOTHING, lambda n: (_slots(n), most_heads(n) + 1))
    batch_heads_end: np.ndarray = apart(np.int64, NOTHING, lambda n: (_slots(n),))
    reset = batched_head_delay_reset


@compiled
def head_request(st: SwitchState, s: int, i: int, v: int) -> int:
    """Return the request of the head at the front of input VC (i, v), from its route."""
    word = int(st.batch_routes[s, i, v, batch_front(st, s, i, v)])
    return request_word(s, i, v, route_out(word), route_vcs(word))


@compiled
def heads_slot(st: SwitchState, cycle: int) -> int:
    """Return the index of the wheel's list for `cycle`."""
    return assume_u32(cycle & (len(st.batch_heads_end) - 1))


@compiled
def head_asks(st: SwitchState, request: int, cycle: int, due: int = 1) -> None:
    """Append the request of a head to the list of `cycle`, if `due` is 1.

    The request is always written behind the last one, and counted only if it is due: a branch would be mispredicted.
    """
    slot = heads_slot(st, cycle)
    n = assume_u32(st.batch_heads_end[slot])
    st.batch_heads[slot, n] = request
    st.batch_heads_end[slot] = n + due


@compiled
def batch_on_head_ready(st: SwitchState, s: int, p: int, v: int, word: int, cycle: int, due: int) -> None:
    """Register a head with route `word` that is at the front of input VC (p, v) from `cycle` + 1 on, if `due` is 1."""
    if due & route_drop(word):
        if chooses(st, s):
            batch_chooses(st, s, p, v)
        else:
            batch_drain(st, s, p, v)
        return
    if st.k.vc_stage or st.k.head_delay:
        head_asks(st, request_word(s, p, v, route_out(word), route_vcs(word)), delay_end(st, cycle), due)
    elif due:
        _begin(st, s, p, v, route_out(word), route_vcs(word))


@compiled
def _begin(st: SwitchState, s: int, p: int, v: int, o: int, vcs: int) -> None:
    """Make the head at the front of input VC (p, v) choose among outputs, or ask for that of its route."""
    if chooses(st, s):
        batch_chooses(st, s, p, v)
    else:
        batch_head_asks(st, s, p, v, o, vcs)


@compiled
def end_head_delays(st: SwitchState, cycle: int) -> None:
    """Make the heads whose delay ends choose or ask for an output from `cycle` on; without a VC stage.

    What an adaptive head chooses during its delay would have no effect.
    """
    slot = heads_slot(st, cycle)
    for n in range(st.batch_heads_end[slot]):
        asked = request_of(int(st.batch_heads[slot, assume_u32(n)]))
        _begin(st, asked.switch, asked.port, asked.vc, asked.out, asked.vcs)
    st.batch_heads_end[slot] = 0


@compiled
def block_on_output(st: SwitchState, request: int) -> None:
    """Block the head of `request` until a packet frees a VC of its output."""
    s, i, v, o, _ = request_of(request)
    insert(st, st.blocked_heads[s], o, i, v)
    set_lane(st, s, st.k.blocked_outputs + o, 1)


@compiled
def wake_blocked_heads(st: SwitchState, s: int, o: int, cycle: int) -> None:
    """Make the heads that are blocked on output `o` request its VCs in `cycle`."""
    set_lane(st, s, st.k.blocked_outputs + o, 0)
    for k in range(st.k.vc_words):
        rest = int(st.blocked_heads[s, o, k])
        st.blocked_heads[s, o, k] = 0
        for bit in each_member(rest):
            n = numbered(k, bit)
            head_asks(st, head_request(st, s, port_of_number(st, n), vc_of_number(st, n)), cycle)
