"""Links: a fixed delay in both directions (docs/microarchitecture.md, sections 2 and 13)."""

from __future__ import annotations

from models.compiled import compiled
from models.state import SwitchState


@compiled
def link_arrival(sent: int, latency: int) -> int:
    """Return the cycle in which what was granted in `sent`, and registered, is visible behind a link."""
    return sent + 1 + latency


@compiled
def link_departure(st: SwitchState, cycle: int) -> int:
    """Return the cycle in which a flit granted in `cycle` is visible on the output link."""
    return cycle + 1 + st.k.stage_delay
