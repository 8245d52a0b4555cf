"""Heads at the front of their VC: what begins when one comes, its route ready, and ends when it owns an output VC.

A summary of registers, so that a cycle in which no head waits for a VC costs nothing (docs/microarchitecture.md, 13).
Of batched switches `models.batched.head_delay` knows.
"""

from __future__ import annotations

from models.buffer.head_delay import delay_head
from models.jit.compiled import compiled
from models.state.registers import SwitchState
from models.state.route_word import route_drop
from models.state.vc_set import insert, remove


@compiled
def on_head_ready(st: SwitchState, s: int, p: int, v: int, word: int, cycle: int) -> None:
    """Note that a head with route `word` is at the front of input VC (p, v) from `cycle` + 1 on."""
    if route_drop(word):
        return
    if st.k.head_delay:
        delay_head(st, s, p, v, cycle)
    if st.k.vc_stage:
        insert(st, st.heads, s, p, v)


@compiled
def on_vc_allocated(st: SwitchState, s: int, p: int, v: int) -> None:
    """Note that the head at the front of input VC (p, v) owns an output VC."""
    remove(st, st.heads, s, p, v)
