"""Reset of a switch in a batch (microarchitecture.md, conventions)."""

from __future__ import annotations

from models.batched.head_delay import forget_heads
from models.batched.output_sets import reset_outputs
from models.batched.vc_sets import credit_at, credited_at, free_at, set_lane
from models.jit.compiled import compiled_noinline
from models.state.registers import SwitchState


@compiled_noinline
def batch_reset(st: SwitchState, s: int) -> None:
    """Reset the registers of a switch that its batch holds."""
    forget_heads(st, s)
    reset_outputs(st, s)
    every = (1 << st.k.vcs) - 1
    for which in range(st.k.batch_vectors):
        set_lane(st, s, which, 0)
    for p in range(st.k.ports):
        for bit in range(st.k.credit_bits):
            set_lane(st, s, credit_at(st, p, bit), (st.k.depth >> bit & 1) * every)
        set_lane(st, s, credited_at(st, p), every)
        set_lane(st, s, free_at(st, p), every)
    st.batch_routes[s] = 0
