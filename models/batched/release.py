"""Packets of a row of switches that end: their last flits leave, all at once (docs/microarchitecture.md, 4, 8 and 13).

Their output VCs are free, and their route queues go on. Seen one by one is only who gains by it: a packet behind one
that ended, heads that waited for a VC of its output.
"""

from __future__ import annotations

from models.batched.crossbar import chosen_at, chosen_of, leaving_at, scratch, sent_at, sent_vcs_at
from models.batched.flit import TAIL
from models.batched.head_delay import heads_come_back, row_head_comes
from models.batched.lane_lists import FOLLOWERS, WANTED, list_begin, list_end, list_more, see_list
from models.batched.output_sets import goal_at, outputs_get, outputs_put
from models.batched.route_queue import row_front, row_release
from models.batched.vc_sets import aside_at, free_at, row_get, row_put, spread
from models.jit.compiled import compiled, compiled_apart
from models.jit.simd import row_some
from models.jit.simd_type import Row
from models.state.registers import SwitchState


@compiled_apart
def row_end_packets(st: SwitchState, row: int) -> None:
    """End the packets of which the last flit leaves, at the end of the cycle; list who is to be seen then."""
    n = list_begin(st, FOLLOWERS)
    for i in range(st.k.ports):
        n = list_more(st, n, i, _end_at_input(st, row, i))
    list_end(st, FOLLOWERS, n)
    n = list_begin(st, WANTED)
    for o in range(st.k.ports):
        n = list_more(st, n, o, _end_at_output(st, row, o))
    list_end(st, WANTED, n)


@compiled
def _end_at_input(st: SwitchState, row: int, i: int) -> Row:
    """Drop the packets that end of the queues of input port `i`; return the VCs of these with another behind."""
    chosen = scratch(st, chosen_at(st, i))
    ends = chosen & row_some(chosen, scratch(st, leaving_at(st, i)) & spread(st, TAIL))
    follow = spread(st, 0)
    for v in range(st.k.vcs):
        gone = row_some(ends, ends & spread(st, 1 << v))
        follow = follow | row_release(st, row, i, v, gone)
        goal = outputs_get(st, row, goal_at(st, i, v))
        outputs_put(st, row, goal_at(st, i, v), goal & ~row_some(goal, gone))
    return follow


@compiled
def _end_at_output(st: SwitchState, row: int, o: int) -> Row:
    """Free the VCs of packets that end behind output `o`; return where heads want them."""
    sent = scratch(st, sent_at(st, o))
    ends = row_some(sent, sent & spread(st, TAIL))
    row_put(st, row, free_at(st, o), row_get(st, row, free_at(st, o)) | ends & scratch(st, sent_vcs_at(st, o)))
    return ends & row_get(st, row, aside_at(st, o))


@compiled
def row_go_on(st: SwitchState, row: int, cycle: int) -> None:
    """See in `cycle` who was listed."""
    see_list(st, row, FOLLOWERS, _follow, st, cycle)
    see_list(st, row, WANTED, _want, st, cycle)


@compiled
def _follow(st: SwitchState, s: int, i: int, lane: int, cycle: int) -> None:
    """Have the packet behind the one that ended be at the front of its input VC."""
    v = chosen_of(st, i, lane)
    word = int(st.row_routes[s, i, v, row_front(st, s, i, v)])
    row_head_comes(st, s, i, v, word, cycle, int(word != 0))


@compiled
def _want(st: SwitchState, s: int, o: int, lane: int, cycle: int) -> None:
    """Have the heads that were put aside ask for the VC that is free."""
    heads_come_back(st, s, o, cycle + 1)
