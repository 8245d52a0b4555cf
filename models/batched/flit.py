"""A flit encoded in a SIMD lane: its VC + 1, with bit TAIL if it is the last of its packet; 0 for no flit.

A flit that leaves a buffer also has bit HEAD if it is the first of its packet. So one byte holds a flit of up to 15
VCs.
`models.jit.simd.decode_one_hot` turns a vector of flits into sets of VCs.
"""

from __future__ import annotations

from models.jit.compiled import compiled
from models.jit.simd import VC_MASK

HEAD, TAIL = 1 << 5, 1 << 6
MOST_VCS = VC_MASK


@compiled
def flit_on(w: int) -> int:
    """Return a body flit on VC `w`, encoded."""
    return w + 1


@compiled
def flit_vc(number: int) -> int:
    """Return the VC of an encoded flit."""
    return (number & VC_MASK) - 1
