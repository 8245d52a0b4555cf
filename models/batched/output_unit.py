"""Credits of a batch, bit-sliced: a vector holds one bit of the credits of each VC (microarchitecture.md, section 8).

With a VC stage, the input VC that owns an output VC is blocked from its last credit until a credit returns. Without a
VC stage, a head may need several credits (virtual cut-through).
"""

from __future__ import annotations

import numpy as np

from models.batched.vc_sets import holder_blocked, lane_value, load_vector, spread, store_vector
from models.batched.vectors import of_bit
from models.jit.bits import assume_u32, each_member
from models.jit.compiled import compiled, compiled_noinline
from models.jit.lanes import switch_in
from models.jit.sets import blend
from models.jit.simd import movemask, simd_store
from models.jit.simd_type import LANES, Vector
from models.state.declare import NOTHING, Registers, apart
from models.state.registers import DETERMINISTIC, SwitchState
from models.transfer.output_unit import one_is_enough


class BatchedOutputUnitRegisters(Registers):
    """Scratch: VCs whose credit state changed."""

    batch_changes: np.ndarray = apart(lambda n: n.vc_lanes, NOTHING, lambda n: (2 * LANES,), built=lambda n: n.batched)


@compiled
def batch_spend_and_credit(st: SwitchState, batch: int, o: int, spent: Vector, came: Vector) -> int:
    """Spend a credit of each VC in `spent` of output `o`, and add one to each VC in `came`, at the end of a cycle.

    Returns the mask of lanes in which a VC without a credit, or without enough for a head, got one; with adaptive
    selection by credits, any VC.
    """
    up = came & ~spent
    down = spent & ~came
    if not movemask(up | down):
        return 0
    before, after = load_vector(st, batch, st.k.credited + o), spread(st, 0)
    for bit in range(st.k.credit_bits):
        credits = load_vector(st, batch, st.k.credits + of_bit(st, o, bit))
        changed = credits ^ (up | down)
        after = after | changed
        store_vector(st, batch, st.k.credits + of_bit(st, o, bit), changed)
        up = up & credits
        down = down & ~credits
    store_vector(st, batch, st.k.credited + o, after)
    lanes = movemask(before ^ after) if st.k.vc_stage else 0
    if lanes:
        simd_store(st.batch_changes, 0, before ^ after)
        simd_store(st.batch_changes, 1, after)
        _block_owners(st, batch, o, lanes)
    gained = came if st.k.by_credits else after & ~before
    if not (st.k.vc_stage or one_is_enough(st)):
        before, after = load_vector(st, batch, st.k.roomy + o), _with_enough(st, batch, o)
        store_vector(st, batch, st.k.roomy + o, after)
        gained = gained | after & ~before
    return movemask(gained)


@compiled
def _with_enough(st: SwitchState, batch: int, o: int) -> Vector:
    """Return the VCs of output `o` with the credits that a head needs."""
    enough = _with_credits(st, batch, o, st.k.credit_need)
    if st.k.adaptive != DETERMINISTIC:
        escape = spread(st, (1 << st.k.escape_vcs) - 1)
        enough = blend(escape, enough, _with_credits(st, batch, o, st.k.choice_need))
    return enough


@compiled
def _with_credits(st: SwitchState, batch: int, o: int, need: int) -> Vector:
    """Return the VCs of output `o` with at least `need` credits, compared from the highest bit down."""
    equal, more = ~spread(st, 0), spread(st, 0)
    for n in range(st.k.credit_bits):
        bit = st.k.credit_bits - 1 - n
        credits = load_vector(st, batch, st.k.credits + of_bit(st, o, bit))
        if need >> bit & 1:
            equal = equal & credits
        else:
            more = more | equal & credits
            equal = equal & ~credits
    return more | equal


@compiled
def show_output(st: SwitchState, s: int, o: int) -> None:
    """Copy the VCs behind output `o` (free, credited, roomy) to the fields in which a single switch has them."""
    output = st.output[s, o]
    output.free = lane_value(st, s, st.k.free + o)
    output.credited = lane_value(st, s, st.k.credited + o)
    if not (st.k.vc_stage or one_is_enough(st)):
        output.roomy = lane_value(st, s, st.k.roomy + o)


@compiled_noinline
def _block_owners(st: SwitchState, batch: int, o: int, lanes: int) -> None:
    """Block or unblock the owners of VCs of output `o` that lost their last credit or got one, in mask `lanes`."""
    for lane in each_member(lanes):
        changed, after = int(st.batch_changes[lane]), int(st.batch_changes[LANES + lane])
        for w in each_member(changed):
            holder_blocked(st, assume_u32(switch_in(batch, lane)), o, w, 1 - (after >> w & 1))
