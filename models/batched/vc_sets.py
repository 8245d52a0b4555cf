"""Storage of VC sets of batched switches, and of their counters: `models.batched.vectors.VcVectors`."""

from __future__ import annotations

import numpy as np

from models.batched.flit import flit_on
from models.batched.output_sets import set_granted_output
from models.batched.vectors import VcVectors, at_reset, of_bit, of_level, of_vc, of_vectors
from models.jit.bits import assume_u32
from models.jit.compiled import compiled, compiled_noinline
from models.jit.lanes import batch_of, place_of_number
from models.jit.sets import with_member
from models.jit.simd import broadcast, number_in, set_number, simd_load, simd_store
from models.jit.simd_type import LANES, Vector
from models.state.declare import PORT, Registers, number, placed
from models.state.placement import Area
from models.state.registers import SwitchState
from models.state.vc_set import port_of_number, vc_number, vc_of_number


@compiled_noinline
def vc_sets_reset(st: SwitchState, s: int, cycle: int) -> None:
    """Reset all vectors of a switch."""
    for which in range(len(st.batch_vcs_at_reset)):
        set_lane(st, s, which, int(st.batch_vcs_at_reset[which]))


class VcSetRegisters(Registers):
    """Vectors of sets of VCs, and of counters."""

    batch_count: int = number(lambda n: n.batches)
    # by batch, vector and lane
    batch_vcs: np.ndarray = of_vectors(VcVectors, lambda n: n.vc_lanes, of_batches=True)
    batch_vcs_at_reset: np.ndarray = at_reset(VcVectors)  # by vector
    # number of the input VC (`models.state.vc_set`) that owns an output VC
    holder: np.ndarray = placed(Area.HEADS, np.int16, PORT, lambda n: (n.vcs,), built=lambda n: n.batched)
    reset = vc_sets_reset


@compiled
def spread(st: SwitchState, number: int) -> Vector:
    """Return a vector with the VC set `number` in each lane."""
    return broadcast(st.batch_vcs, number)


@compiled
def vector_at(st: SwitchState, batch: int, which: int) -> int:
    """Return the index in `st.batch_vcs` of vector `which` of a batch."""
    return batch * st.k.batch_vectors + which


@compiled
def load_vector(st: SwitchState, batch: int, which: int) -> Vector:
    """Return vector `which` of a batch."""
    return simd_load(st.batch_vcs, vector_at(st, batch, which))


@compiled
def store_vector(st: SwitchState, batch: int, which: int, numbers: Vector) -> None:
    """Write vector `which` of a batch."""
    simd_store(st.batch_vcs, vector_at(st, batch, which), numbers)


@compiled
def lane_value(st: SwitchState, s: int, which: int) -> int:
    """Return the lane of switch `s` in vector `which` of its batch."""
    return number_in(st.batch_vcs, place_of_number(s, st.k.batch_vectors, which))


@compiled
def set_lane(st: SwitchState, s: int, which: int, number: int) -> None:
    """Write the lane of switch `s` in vector `which` of its batch."""
    set_number(st.batch_vcs, place_of_number(s, st.k.batch_vectors, which), number)


@compiled
def change_bit(st: SwitchState, s: int, which: int, bit: int, value: int) -> None:
    """Write bit `bit` of the lane of switch `s` in vector `which` of its batch."""
    set_lane(st, s, which, with_member(lane_value(st, s, which), bit, value))


@compiled
def wake_batch(st: SwitchState, s: int) -> None:
    """Schedule a visit of the batch of switch `s` in the next cycle: one of its flits may move."""
    set_number(st.batch_due, batch_of(s), 1)


@compiled
def batch_drain(st: SwitchState, s: int, i: int, v: int) -> None:
    """Grant the drain port to the packet at the front of input VC (i, v): it can move in every cycle."""
    set_granted_output(st, s, i, v, 1 << st.k.ports)
    if not st.k.vc_stage:
        set_lane(st, s, st.k.allowed + of_vc(st, i, v), 1)  # any VC: a flit that is drained has none
    wake_batch(st, s)


@compiled
def batch_head_asks(st: SwitchState, s: int, i: int, v: int, o: int, vcs: int) -> None:
    """Make the head at the front of input VC (i, v) ask for output `o`, and for a VC of mask `vcs` behind it."""
    set_granted_output(st, s, i, v, 1 << o)
    set_lane(st, s, st.k.allowed + of_vc(st, i, v), vcs)
    change_bit(st, s, st.k.heads + i, v, 1)
    wake_batch(st, s)


@compiled
def batch_chooses(st: SwitchState, s: int, i: int, v: int) -> None:
    """Make the head at the front of input VC (i, v) choose among outputs from the next cycle on."""
    change_bit(st, s, st.k.undecided + i, v, 1)
    wake_batch(st, s)


@compiled
def batch_on_vc_allocated(st: SwitchState, s: int, o: int, w: int, i: int, v: int) -> None:
    """Make input VC (i, v), whose head is still buffered, the owner of output VC (o, w)."""
    st.holder[s, o, w] = vc_number(st, i, v)
    change_bit(st, s, st.k.free + o, w, 0)
    change_bit(st, s, st.k.blocked + i, v, 1 - (lane_value(st, s, st.k.credited + o) >> w & 1))
    change_bit(st, s, st.k.claimed + i, v, 1)
    set_granted_output(st, s, i, v, 1 << o)
    set_lane(st, s, st.k.output_vc + of_vc(st, i, v), flit_on(w))
    wake_batch(st, s)


@compiled
def batch_credits(st: SwitchState, s: int, o: int, w: int) -> int:
    """Return the credits of VC `w` behind output `o`."""
    credits = 0
    for bit in range(st.k.credit_bits):
        credits |= (lane_value(st, s, st.k.credits + of_bit(st, o, bit)) >> w & 1) << bit
    return credits


@compiled
def holder_blocked(st: SwitchState, s: int, o: int, w: int, blocked: int) -> None:
    """Block (1) or unblock (0) the input VC that owns output VC (o, w), whose credits ran out or returned."""
    if not lane_value(st, s, st.k.free + o) >> w & 1:
        holder = assume_u32(st.holder[s, o, w])
        change_bit(st, s, st.k.blocked + port_of_number(st, holder), vc_of_number(st, holder), blocked)


def held_view(st: SwitchState) -> np.ndarray:
    """Return a view [batches, P, lanes] of the VCs, per input port, that hold a flit."""
    each = st.batch_vcs.reshape(st.batch_count, st.k.batch_vectors, LANES)
    return each[:, st.k.held : st.k.held + of_level(st, st.k.ports, 0) : of_level(st, 1, 0)]
