"""Head delay, and the set of heads that wait for an output VC (Dally and Towles, chapter 16; microarchitecture.md, 13).

A delayed head is listed by the cycle in which its delay ends, so its switch need not be visited before. Heads that wait
for an output VC are a set, so a cycle without such a head costs nothing. `models.batched.head_delay` does the same for
batched switches.
"""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled, compiled_noinline
from models.state.declare import SWITCH, Field, Registers, Sizes, fields, placed
from models.state.placement import Area
from models.state.registers import SwitchState
from models.state.route_word import route_drop
from models.state.vc_set import contains, insert, remove, words_of


def delay_slots(n: Sizes) -> int:
    """Return the slots of a timing wheel of delayed heads: a power of two above the longest wait of a head."""
    return 1 << (n.params.head_delay + 1).bit_length()


def _delays(n: Sizes) -> bool:
    return n.params.head_delay > 0 and not n.batched


class HeadDelayRegisters(Registers):
    """Heads that wait."""

    # VC stage: summary: input VCs whose routed head owns no VC; not batched
    heads: np.ndarray = placed(
        Area.SETS, np.int64, SWITCH, words_of, built=lambda n: n.params.vc_stage and not n.batched
    )
    # input VCs whose head may not ask yet
    delayed: np.ndarray = placed(Area.SETS, np.int64, SWITCH, words_of, built=_delays)
    # timing wheel of those whose delay ends
    delay_ends: np.ndarray = placed(
        Area.SETS, np.int64, SWITCH, lambda n: (delay_slots(n), *words_of(n)), built=_delays
    )
    in_switch = fields(Field("delays", np.int8))  # 1 if the wait of a head began since that was asked last


@compiled
def delay_end(st: SwitchState, cycle: int) -> int:
    """Return the first cycle in which a head may ask for an output VC that is at the front from `cycle` + 1 on."""
    return cycle + 1 + st.k.head_delay


@compiled
def on_head_ready(st: SwitchState, s: int, p: int, v: int, word: int, cycle: int) -> None:
    """Register a head with route `word`, at the front of input VC (p, v) from `cycle` + 1 on: its delay begins."""
    if route_drop(word):
        return
    if st.k.head_delay:
        delay_head(st, s, p, v, cycle)
    if st.k.vc_stage:
        insert(st, st.heads, s, p, v)


@compiled
def on_vc_allocated(st: SwitchState, s: int, p: int, v: int) -> None:
    """End the wait of the head at the front of input VC (p, v), which owns an output VC now."""
    remove(st, st.heads, s, p, v)


@compiled
def delay_head(st: SwitchState, s: int, p: int, v: int, cycle: int) -> None:
    """Begin the delay of the head that is at the front of input VC (p, v), with its route, from `cycle` + 1 on."""
    if st.k.predict and contains(st, st.delayed, s, p, v):
        _forget(st, s, p, v)
    insert(st, st.delayed, s, p, v)
    insert(st, st.delay_ends[s], delay_end(st, cycle) & (st.k.delay_slots - 1), p, v)
    st.switch[s].delays = 1


@compiled_noinline
def _forget(st: SwitchState, s: int, p: int, v: int) -> None:
    """Cancel the delay of a head that was sent speculatively and has left."""
    for slot in range(st.k.delay_slots):
        remove(st, st.delay_ends[s], slot, p, v)


@compiled
def end_delays(st: SwitchState, s: int, cycle: int) -> None:
    """End the delays that are over at the beginning of `cycle`; `allocate` must be called in it."""
    slot = cycle & (st.k.delay_slots - 1)
    for k in range(st.k.vc_words):
        st.delayed[s, k] &= ~st.delay_ends[s, slot, k]
        st.delay_ends[s, slot, k] = 0


@compiled
def head_waits(st: SwitchState, s: int, p: int, v: int) -> bool:
    """Return whether the head at the front of input VC (p, v) is still delayed in the cycle that is allocated."""
    return st.k.head_delay > 0 and contains(st, st.delayed, s, p, v)


@compiled
def delay_began(st: SwitchState, s: int) -> bool:
    """Return, and clear, whether a delay began since the last call: if so, `allocate` is due when the delay ends."""
    sw = st.switch[s]
    began: bool = sw.delays == 1
    sw.delays = 0
    return began
