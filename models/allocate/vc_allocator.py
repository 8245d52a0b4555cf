"""VC allocation: the output VC a head would take (docs/microarchitecture.md, section 8)."""

from __future__ import annotations

from models.jit.bits import first_from
from models.jit.compiled import compiled


@compiled
def vc_candidate(available: int, allowed: int, pointer: int) -> int:
    """Return the first available and allowed VC (bit masks) in cyclic order from `pointer`, or −1."""
    candidates = available & allowed
    return first_from(candidates, pointer) if candidates else -1
