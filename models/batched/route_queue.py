"""Route queues of batched switches: front and claim pointers in vectors (microarchitecture.md, section 4).

The entries lie beside the registers of each switch (`st.batch_routes`, `st.batch_packets`), as only the front entry is
read.
"""

from __future__ import annotations

import numpy as np

from models.batched.vc_sets import lane_value, load_vector, set_lane, store_vector
from models.batched.vectors import of_vc
from models.jit.bits import assume_u32
from models.jit.compiled import compiled
from models.jit.ring_index import next_index
from models.jit.sets import blend
from models.jit.simd_type import Vector
from models.state.declare import VC, Registers, Sizes, placed
from models.state.placement import Area
from models.state.registers import SwitchState


def _depth(n: Sizes) -> tuple[int, ...]:
    return (n.depth,)


class BatchedRouteQueueRegisters(Registers):
    """Packets in each input VC, and their route words; adaptive: with choices."""

    batch_packets: np.ndarray = placed(Area.QUEUES, np.int32, VC, _depth, built=lambda n: n.batched)
    batch_routes: np.ndarray = placed(
        Area.QUEUES, lambda n: np.int64 if n.params.selects else np.int32, VC, _depth, built=lambda n: n.batched
    )


@compiled
def batch_front(st: SwitchState, s: int, i: int, v: int) -> int:
    """Return the queue position of the packet at the front of input VC (i, v)."""
    return assume_u32(lane_value(st, s, st.k.front + of_vc(st, i, v)))


@compiled
def batch_claim_slot(st: SwitchState, s: int, i: int, v: int) -> int:
    """Return the queue position for the next packet of input VC (i, v)."""
    return assume_u32(lane_value(st, s, st.k.claim + of_vc(st, i, v)))


@compiled
def batch_advance(st: SwitchState, s: int, i: int, v: int, position: int) -> None:
    """Advance the claim pointer past `position`."""
    set_lane(st, s, st.k.claim + of_vc(st, i, v), next_index(position, st.k.depth))


@compiled
def batch_release(st: SwitchState, batch: int, i: int, v: int, gone: Vector) -> Vector:
    """Dequeue front packets of input VC (i, v) in lanes `gone` (mask); return the mask of lanes not empty then.

    A queue holds at most `depth` packets, and one less after a release, so equal pointers mean an empty queue.
    """
    front = load_vector(st, batch, st.k.front + of_vc(st, i, v))
    behind = next_index(front, st.k.depth)
    store_vector(st, batch, st.k.front + of_vc(st, i, v), blend(gone, behind, front))
    return gone & (behind ^ load_vector(st, batch, st.k.claim + of_vc(st, i, v)))
