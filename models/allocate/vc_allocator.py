"""VC allocator: the output VC that a head may claim (Dally and Towles, chapter 16; microarchitecture.md, section 8)."""

from __future__ import annotations

import numpy as np

from models.allocate.arbiter import round_robin_next
from models.jit.bit_sets import first_from
from models.jit.bits import mask_from_bit
from models.jit.compiled import compiled, compiled_noinline
from models.state.declare import Field, Registers, fields
from models.state.registers import SwitchState


@compiled_noinline
def vc_allocator_reset(st: SwitchState, s: int, cycle: int) -> None:
    """Have no packet of a switch own an output VC."""
    for p in range(st.k.ports):
        st.output[s, p].vc_pointer = 0
        for v in range(st.k.vcs):
            st.vc[s, p, v].active = 0


class VcAllocatorRegisters(Registers):
    """The output VC that the front packet of an input VC owns, and the arbiter over VCs behind an output."""

    in_output = fields(Field("vc_pointer", np.int8))
    in_vc = fields(
        Field("active", np.int8),
        Field("out_vc", np.int8),
    )
    reset = vc_allocator_reset


@compiled
def choose_head_vc(available: int, allowed: int, pointer: int) -> int:
    """Return the first VC of masks `available` and `allowed`, in cyclic order from `pointer`; −1 without one."""
    candidates = available & allowed
    return first_from(candidates, pointer) if candidates else -1


@compiled
def advance_vc_pointer(st: SwitchState, s: int, o: int, w: int, head: int) -> None:
    """Advance the round-robin pointer over the VCs of output `o` if `head` is 1: a head got VC `w`."""
    if not st.k.vc_stage:
        output = st.output[s, o]
        pointer = int(output.vc_pointer)
        output.vc_pointer = pointer ^ (pointer ^ round_robin_next(w, st.k.vcs)) & mask_from_bit(head)
