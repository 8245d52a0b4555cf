"""A flit as the number of a switch in a batch: its VC + 1, with TAIL if it is its packet's last; 0 for none.

Where it leaves a buffer, HEAD says if it is the first. So eight VCs, and what else is said of a flit, are a byte.
`models.jit.simd.decode_one_hot` finds sets of VCs.
"""

from __future__ import annotations

from models.jit.compiled import compiled
from models.jit.simd import VC_MASK

HEAD, TAIL = 1 << 5, 1 << 6
MOST_VCS = VC_MASK


@compiled
def flit_on(w: int) -> int:
    """Return the number of a flit on a VC."""
    return w + 1


@compiled
def flit_vc(number: int) -> int:
    """Return its VC."""
    return (number & VC_MASK) - 1
