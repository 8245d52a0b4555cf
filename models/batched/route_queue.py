"""Route queues of a batch of switches at once (docs/microarchitecture.md, section 4): where their packets are.

What the entries hold lies beside the registers of each switch (`st.batch_routes`, `st.batch_packets`): of many packets
that stand there one is seen.
"""

from __future__ import annotations

from models.batched.vc_sets import claim_at, front_at, lane_value, load_vector, set_lane, spread, store_vector
from models.jit.bits import assume_u32, wrap_index
from models.jit.compiled import compiled
from models.jit.simd import blend, nonzero_mask
from models.jit.simd_type import Vector
from models.state.registers import SwitchState


@compiled
def batch_front(st: SwitchState, s: int, i: int, v: int) -> int:
    """Return the place of the packet at the front of input VC (i, v)."""
    return assume_u32(lane_value(st, s, front_at(st, i, v)))


@compiled
def batch_claim_slot(st: SwitchState, s: int, i: int, v: int) -> int:
    """Return the place of the packet that comes next to input VC (i, v)."""
    return assume_u32(lane_value(st, s, claim_at(st, i, v)))


@compiled
def batch_advance(st: SwitchState, s: int, i: int, v: int, position: int) -> None:
    """Have the place behind `position` be that of the packet that comes next."""
    set_lane(st, s, claim_at(st, i, v), wrap_index(position + 1, st.k.depth))


@compiled
def batch_release(st: SwitchState, batch: int, i: int, v: int, gone: Vector) -> Vector:
    """Drop the packets at the front of input VC (i, v) where `gone` has all bits; return where others are behind.

    A queue holds at most `depth` packets, and after a release one less: so there is none if its places are the same.
    """
    front = load_vector(st, batch, front_at(st, i, v))
    behind = _wrapped(st, front + spread(st, 1))
    store_vector(st, batch, front_at(st, i, v), blend(gone, behind, front))
    return gone & (behind ^ load_vector(st, batch, claim_at(st, i, v)))


@compiled
def _wrapped(st: SwitchState, places: Vector) -> Vector:
    """Return places, of which none is more than one too far, as places in a ring; as `models.jit.bits.wrap_index`."""
    if st.k.depth & (st.k.depth - 1):
        return places & nonzero_mask(places, places ^ spread(st, st.k.depth))
    return places & spread(st, st.k.depth - 1)
