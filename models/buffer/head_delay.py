"""Head delay: a head waits at the front of its VC before it asks for an output (docs/microarchitecture.md, section 13).

Kept by the cycle in which the wait is over: a switch whose heads only wait need not be visited, but in that cycle.
"""

from __future__ import annotations

from models.jit.compiled import compiled, compiled_noinline
from models.state.registers import SwitchState
from models.state.vc_set import contains, insert, vc_bit, vc_number, vc_word


def delay_slots(head_delay: int) -> int:
    """Return how many cycles are told apart: a power of two, more than a head can be from the end of its wait."""
    return 1 << (head_delay + 1).bit_length()


@compiled
def delay_head(st: SwitchState, s: int, p: int, v: int, cycle: int) -> None:
    """Begin the wait of the head that is, with its route, at the front of input VC (p, v) from `cycle` + 1 on."""
    if st.k.predict and contains(st, st.delayed, s, p, v):
        _forget(st, s, p, v)
    insert(st, st.delayed, s, p, v)
    slot = (cycle + 1 + st.k.head_delay) & (st.k.delay_slots - 1)
    n = vc_number(st, p, v)
    st.delay_ends[s, slot, vc_word(st, n)] |= 1 << vc_bit(st, n)
    st.switch[s].delays = 1


@compiled_noinline
def _forget(st: SwitchState, s: int, p: int, v: int) -> None:
    """Forget when the wait of a head ends: it was sent on trust before."""
    n = vc_number(st, p, v)
    for slot in range(st.k.delay_slots):
        st.delay_ends[s, slot, vc_word(st, n)] &= ~(1 << vc_bit(st, n))


@compiled
def end_delays(st: SwitchState, s: int, cycle: int) -> None:
    """End the waits that end with the beginning of `cycle`; `allocate` is due in it."""
    slot = cycle & (st.k.delay_slots - 1)
    for k in range(st.k.vc_words):
        st.delayed[s, k] &= ~st.delay_ends[s, slot, k]
        st.delay_ends[s, slot, k] = 0


@compiled
def head_waits(st: SwitchState, s: int, p: int, v: int) -> bool:
    """Return whether the head at the front of input VC (p, v) may not ask yet in the cycle allocated."""
    return st.k.head_delay > 0 and contains(st, st.delayed, s, p, v)


@compiled
def delay_began(st: SwitchState, s: int) -> bool:
    """Return whether the wait of a head began since this was asked last: `allocate` is due when it is over."""
    sw = st.switch[s]
    began = sw.delays == 1
    sw.delays = 0
    return began
