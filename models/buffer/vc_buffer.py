"""VC buffers: the flit queues of an input port (Dally and Towles, chapter 17; microarchitecture.md, section 3).

A flit is an int32: handle of its payload << 1 | tail bit.
"""

from __future__ import annotations

import numpy as np

from models.jit.bits import assume_u32
from models.jit.compiled import compiled
from models.jit.ring_index import next_index, wrap_index
from models.state.declare import SWITCH, VC, Field, Registers, fields, placed
from models.state.placement import Area
from models.state.registers import SwitchState
from models.state.vc_set import insert, remove, words_of


class VcBufferRegisters(Registers):
    """Flits of input VCs."""

    filled: np.ndarray = placed(Area.SETS, np.int64, SWITCH, words_of)  # summary: input VCs with a flit; not batched
    # payload handle << 1 | tail; batched: kept by `models.top`
    flits: np.ndarray = placed(Area.BUFFERS, np.int32, VC, lambda n: (n.depth,))
    in_vc = fields(
        Field("count", np.int16),
        Field("read", np.int16),
        Field("tails", np.int16),  # tails in the buffer (static buffering)
        Field("blocked", np.int8),  # 1: the front packet was refused, or waited behind another (static buffering)
    )


@compiled
def push(st: SwitchState, s: int, p: int, v: int, flit: int) -> None:
    """Write `flit` to the queue of input VC (p, v), at the end of the cycle in which it is visible on the link."""
    vc = st.vc[s, p, v]
    count = assume_u32(vc.count)
    st.flits[s, p, v, assume_u32(wrap_index(assume_u32(vc.read) + count, st.k.depth))] = flit
    vc.count = count + 1
    if st.k.static:
        vc.tails += flit & 1
    if not st.k.batched:
        insert(st, st.filled, s, p, v)


@compiled
def pop(st: SwitchState, s: int, p: int, v: int) -> int:
    """Remove and return the front flit of input VC (p, v)."""
    vc = st.vc[s, p, v]
    read = assume_u32(vc.read)
    flit = assume_u32(st.flits[s, p, v, read])
    vc.read = next_index(read, st.k.depth)
    count = assume_u32(vc.count) - 1
    vc.count = count
    if st.k.static:
        vc.tails -= flit & 1
    if not st.k.batched:
        remove(st, st.filled, s, p, v, int(count == 0))
    return flit


@compiled
def block_next(st: SwitchState, s: int, p: int, v: int, tail: int) -> None:
    """Set `blocked` for the packet that a `pop` brings to the front, if it has waited behind the packet before.

    It has waited if the flit popped is a tail (1) with flits stored behind it; a flit visible in this cycle is stored
    later.
    """
    vc = st.vc[s, p, v]
    vc.blocked = tail & int(vc.count > 0)


@compiled
def whole(st: SwitchState, s: int, p: int, v: int) -> bool:
    """Return whether the front packet is stored as a whole, or fills the queue."""
    vc = st.vc[s, p, v]
    return int(vc.tails) > 0 or int(vc.count) == st.k.depth


@compiled
def waits_for_rest(st: SwitchState, s: int, i: int, v: int) -> bool:
    """Return whether the front packet must not go on before it is stored as a whole: it was refused before."""
    return st.k.static and st.vc[s, i, v].blocked != 0 and not whole(st, s, i, v)
