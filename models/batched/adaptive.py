"""Adaptive choices of heads in a batch; counterpart of `models.route.adaptive` (microarchitecture.md, section 12).

A head that is at the front of its VC, with a route, is undecided until it leaves: in each visit it chooses an output
from the registers, one by one, and asks for that from the next cycle on.
"""

from __future__ import annotations

import numpy as np

from models.batched.output_sets import outputs_number
from models.batched.output_unit import show_output
from models.batched.route_queue import batch_front
from models.batched.vc_sets import batch_credits, batch_drain, batch_head_asks, change_bit, lane_value, load_vector
from models.batched.vectors import of_vc
from models.jit.bits import assume_u32, each_member
from models.jit.compiled import compiled, compiled_noinline
from models.jit.lanes import switch_in
from models.jit.simd import movemask
from models.jit.simd_type import LANES
from models.route.adaptive import choice_range, choose_adaptive_output
from models.state.declare import NOTHING, Registers, Sizes, apart
from models.state.registers import SwitchState
from models.state.request_word import request_of, request_word
from models.state.route_word import route_choices, route_drop, route_out, route_vcs


def _heads(n: Sizes) -> tuple[int, ...]:
    return (LANES * n.ports * n.vcs if n.batched and n.params.selects else 0,)


class BatchedAdaptiveRegisters(Registers):
    """Scratch: what heads of a batch choose in the cycle allocated."""

    batch_choosers: np.ndarray = apart(np.int64, NOTHING, _heads)  # switch, port and VC (`models.state.request_word`)
    batch_choices: np.ndarray = apart(np.int64, NOTHING, _heads)  # route words


@compiled_noinline
def batch_choose(st: SwitchState, batch: int) -> int:
    """Choose for each undecided head, from the registers; return the number of choices."""
    count = 0
    for i in range(st.k.ports):
        for lane in each_member(movemask(load_vector(st, batch, st.k.undecided + i))):
            s = assume_u32(switch_in(batch, lane))
            for v in each_member(lane_value(st, s, st.k.undecided + i)):
                word = int(st.batch_routes[s, i, v, batch_front(st, s, i, v)])
                _show_choices(st, s, i, v, word)
                st.batch_choosers[assume_u32(count)] = request_word(s, i, v, 0, 0)
                st.batch_choices[assume_u32(count)] = choose_adaptive_output(st, s, i, v, word, 0)
                count += 1
    return count


@compiled
def _show_choices(st: SwitchState, s: int, i: int, v: int, word: int) -> None:
    """Copy what the head of input VC (i, v) chooses by (VCs, credits) to the fields in which a single switch has it."""
    first, last = choice_range(st, s, i, v)
    for o in each_member(route_choices(word)):
        show_output(st, s, o)
        if st.k.by_credits:
            for w in range(first, last + 1):
                st.credits[s, o, w] = batch_credits(st, s, o, w)


@compiled_noinline
def batch_install(st: SwitchState, count: int) -> bool:
    """Make the heads that have not left ask for what they chose, from the next cycle on; return whether one changed."""
    changed = False
    for n in range(count):
        s, i, v, _, _ = request_of(int(st.batch_choosers[assume_u32(n)]))
        word = int(st.batch_choices[assume_u32(n)])
        if lane_value(st, s, st.k.undecided + i) >> v & 1 and not _asks(st, s, i, v, word):
            changed = True
            if route_drop(word):
                change_bit(st, s, st.k.undecided + i, v, 0)
                batch_drain(st, s, i, v)
            else:
                batch_head_asks(st, s, i, v, route_out(word), route_vcs(word))
    return changed


@compiled
def _asks(st: SwitchState, s: int, i: int, v: int, word: int) -> bool:
    """Return whether the head of input VC (i, v) asks for the output and the VCs of route `word` already."""
    asks = lane_value(st, s, st.k.heads + i) >> v & 1 == 1
    same = outputs_number(st, s, st.k.granted_output + of_vc(st, i, v)) == 1 << route_out(word)
    return asks and same and lane_value(st, s, st.k.allowed + of_vc(st, i, v)) == route_vcs(word)
