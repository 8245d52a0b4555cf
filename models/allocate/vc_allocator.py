"""VC allocator: the output VC that a head may claim (Dally and Towles, chapter 16; microarchitecture.md, section 8)."""

from __future__ import annotations

import numpy as np

from models.jit.bits import mask_from_bit
from models.jit.compiled import compiled
from models.jit.sets import Set, blend, first, order_after
from models.state.declare import Field, Registers, fields
from models.state.registers import SwitchState


class VcAllocatorRegisters(Registers):
    """The output VC that the front packet of an input VC owns, and the arbiter over VCs behind an output."""

    in_output = fields(Field("vc_order", np.int32))
    in_vc = fields(Field("active", np.int8), Field("out_vc", np.int8))


@compiled
def choose_head_vc(vcs: Set, order: Set) -> Set:
    """Return the VC that a head claims, one-hot; 0 without one.

    `vcs` are those that are open to it and that its route allows, `order` is that of the output's arbiter over its VCs.
    """
    return first(vcs, order)


@compiled
def advance_vc_order(st: SwitchState, s: int, o: int, w: int, head: int) -> None:
    """Advance the round-robin arbiter over the VCs of output `o` if `head` is 1: a head got VC `w`."""
    if not st.k.vc_stage:
        output = st.output[s, o]
        output.vc_order = blend(mask_from_bit(head), order_after(1 << w, 0), int(output.vc_order))
