"""Output buffers of a batch behind faster crossbars; counterpart of `models.transfer.output_buffer`.

The cycle in which a flit departs is known when it is granted, and kept for each output (Dally and Towles, chapter 17;
microarchitecture.md, section 13). Only buffers that may hold a flit are looked at.
"""

from __future__ import annotations

from models.batched.crossbar import scratch
from models.batched.output_sets import outputs_get, outputs_number, set_outputs
from models.jit.bits import assume_u32, each_member
from models.jit.compiled import compiled_noinline
from models.jit.lanes import switch_in
from models.jit.sets import with_member
from models.jit.simd import movemask
from models.state.registers import SwitchState
from models.transfer.output_buffer import buffered, depart, full_outputs


@compiled_noinline
def batch_full_outputs(st: SwitchState, batch: int, cycle: int) -> bool:
    """Find the outputs whose buffer is full in `cycle`, before a batch is allocated; return whether there is one.

    What such an output refuses may go in the next cycle.
    """
    for lane in each_member(movemask(outputs_get(st, batch, st.k.buffering_outputs))):
        s = assume_u32(switch_in(batch, lane))
        buffering = outputs_number(st, s, st.k.buffering_outputs)
        for o in each_member(buffering):
            buffering = with_member(buffering, o, int(buffered(st, s, o, cycle)))
        full = full_outputs(st, s, cycle)
        set_outputs(st, s, st.k.buffering_outputs, buffering)
        set_outputs(st, s, st.k.full_outputs, full)
        st.switch[s].full = full
    return movemask(outputs_get(st, batch, st.k.full_outputs)) != 0


@compiled_noinline
def batch_depart(st: SwitchState, batch: int, cycle: int) -> None:
    """Send the flits that leave a batch in `cycle` into the buffers of their outputs, after they are transmitted."""
    for o in range(st.k.ports):
        for lane in each_member(movemask(scratch(st, st.k.sent + o))):
            s = assume_u32(switch_in(batch, lane))
            depart(st, s, o, cycle)
            buffering = outputs_number(st, s, st.k.buffering_outputs)
            set_outputs(st, s, st.k.buffering_outputs, with_member(buffering, o, 1))
