"""Reset of a switch in a row (docs/microarchitecture.md, conventions)."""

from __future__ import annotations

from models.batched.head_delay import forget_heads
from models.batched.output_sets import reset_outputs
from models.batched.vc_sets import credit_at, credited_at, free_at, row_set
from models.jit.compiled import compiled_apart
from models.state.registers import SwitchState


@compiled_apart
def row_reset(st: SwitchState, s: int) -> None:
    """Reset what rows hold of a switch."""
    forget_heads(st, s)
    reset_outputs(st, s)
    every = (1 << st.k.vcs) - 1
    for which in range(st.k.row_sets):
        row_set(st, s, which, 0)
    for p in range(st.k.ports):
        for bit in range(st.k.credit_bits):
            row_set(st, s, credit_at(st, p, bit), (st.k.depth >> bit & 1) * every)
        row_set(st, s, credited_at(st, p), every)
        row_set(st, s, free_at(st, p), every)
    st.row_routes[s] = 0
