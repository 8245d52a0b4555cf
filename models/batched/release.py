"""Release of resources when tails leave a batch, for all switches at once (microarchitecture.md, sections 4, 8, 13).

Vector operations free output VCs and advance route queues. Only two cases are handled one by one: a packet behind one
that ended, and heads that were blocked on its output.
"""

from __future__ import annotations

from models.batched.crossbar import chosen_of, scratch
from models.batched.flit import TAIL
from models.batched.head_delay import batch_on_head_ready, wake_blocked_heads
from models.batched.lane_lists import FOLLOWERS, WANTED, list_begin, list_end, list_more, see_list
from models.batched.output_sets import outputs_get, outputs_put
from models.batched.route_queue import batch_front, batch_release
from models.batched.vc_sets import load_vector, spread, store_vector
from models.batched.vectors import of_vc
from models.jit.compiled import compiled, compiled_noinline
from models.jit.simd import nonzero_mask
from models.jit.simd_type import Vector
from models.state.registers import SwitchState
from models.transfer.output_unit import free_vcs


@compiled_noinline
def batch_end_packets(st: SwitchState, batch: int) -> None:
    """Release the resources of packets whose tails leave, at the end of the cycle; list the consequences."""
    n = list_begin(st, FOLLOWERS)
    for i in range(st.k.ports):
        n = list_more(st, n, i, _end_at_input(st, batch, i))
    list_end(st, FOLLOWERS, n)
    n = list_begin(st, WANTED)
    for o in range(st.k.ports):
        n = list_more(st, n, o, _end_at_output(st, batch, o))
    list_end(st, WANTED, n)


@compiled
def _end_at_input(st: SwitchState, batch: int, i: int) -> Vector:
    """Dequeue the routes of packets that end at input port `i`; return the VCs with another packet behind."""
    chosen = scratch(st, st.k.chosen + i)
    ends = chosen & nonzero_mask(chosen, scratch(st, st.k.leaving + i) & spread(st, TAIL))
    follow = spread(st, 0)
    for v in range(st.k.vcs):
        gone = nonzero_mask(ends, ends & spread(st, 1 << v))
        follow = follow | batch_release(st, batch, i, v, gone)
        which = st.k.granted_output + of_vc(st, i, v)
        granted_output = outputs_get(st, batch, which)
        outputs_put(st, batch, which, granted_output & ~nonzero_mask(granted_output, gone))
    return follow


@compiled
def _end_at_output(st: SwitchState, batch: int, o: int) -> Vector:
    """Free VCs of output `o` whose packets end; return those freed in switches with heads blocked on the output."""
    sent = scratch(st, st.k.sent + o)
    ends = nonzero_mask(sent, sent & spread(st, TAIL))
    free = free_vcs(load_vector(st, batch, st.k.free + o), spread(st, 0), ends & scratch(st, st.k.sent_vcs + o))
    store_vector(st, batch, st.k.free + o, free)
    return ends & load_vector(st, batch, st.k.blocked_outputs + o)


@compiled
def batch_advance_packets(st: SwitchState, batch: int, cycle: int) -> None:
    """Handle the entries that `batch_end_packets` listed, in the same cycle."""
    see_list(st, batch, FOLLOWERS, _follow, st, cycle)
    see_list(st, batch, WANTED, _want, st, cycle)


@compiled
def _follow(st: SwitchState, s: int, i: int, lane: int, cycle: int) -> None:
    """Register the head of the packet that is now at the front of its input VC."""
    v = chosen_of(st, i, lane)
    word = int(st.batch_routes[s, i, v, batch_front(st, s, i, v)])
    batch_on_head_ready(st, s, i, v, word, cycle, int(word != 0))


@compiled
def _want(st: SwitchState, s: int, o: int, lane: int, cycle: int) -> None:
    """Wake the heads that are blocked on output `o`: one of its VCs is free now."""
    wake_blocked_heads(st, s, o, cycle + 1)
