"""Links: a fixed delay in each direction (docs/microarchitecture.md, section 2)."""

from __future__ import annotations

from models.jit.compiled import compiled


@compiled
def link_arrival(sent: int, latency: int) -> int:
    """Return the cycle in which what was granted in `sent`, and registered, is visible behind a link."""
    return sent + 1 + latency
