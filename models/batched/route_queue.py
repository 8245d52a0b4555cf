"""Route queues of a row of switches at once (docs/microarchitecture.md, section 4): where their packets are.

What the entries hold lies beside the registers of each switch (`st.row_routes`, `st.row_packets`): of many packets that
stand there one is seen.
"""

from __future__ import annotations

from models.batched.vc_sets import claim_at, front_at, row_get, row_number, row_put, row_set, spread
from models.jit.bits import index, wrapped
from models.jit.compiled import compiled
from models.jit.simd import row_some, row_where
from models.jit.simd_type import Row
from models.state.registers import SwitchState


@compiled
def row_front(st: SwitchState, s: int, i: int, v: int) -> int:
    """Return the place of the packet at the front of input VC (i, v)."""
    return index(row_number(st, s, front_at(st, i, v)))


@compiled
def row_claim(st: SwitchState, s: int, i: int, v: int) -> int:
    """Return the place of the packet that comes next to input VC (i, v)."""
    return index(row_number(st, s, claim_at(st, i, v)))


@compiled
def row_advance(st: SwitchState, s: int, i: int, v: int, position: int) -> None:
    """Have the place behind `position` be that of the packet that comes next."""
    row_set(st, s, claim_at(st, i, v), wrapped(position + 1, st.k.depth))


@compiled
def row_release(st: SwitchState, row: int, i: int, v: int, gone: Row) -> Row:
    """Drop the packets at the front of input VC (i, v) where `gone` has all bits; return where others are behind.

    A queue holds at most `depth` packets, and after a release one less: so there is none if its places are the same.
    """
    front = row_get(st, row, front_at(st, i, v))
    behind = _wrapped(st, front + spread(st, 1))
    row_put(st, row, front_at(st, i, v), row_where(gone, behind, front))
    return gone & (behind ^ row_get(st, row, claim_at(st, i, v)))


@compiled
def _wrapped(st: SwitchState, places: Row) -> Row:
    """Return places, of which none is more than one too far, as places in a ring; as `models.jit.bits.wrapped`."""
    if st.k.depth & (st.k.depth - 1):
        return places & row_some(places, places ^ spread(st, st.k.depth))
    return places & spread(st, st.k.depth - 1)
