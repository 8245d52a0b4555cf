"""Route table, the stand-in for the off-chip CAM (paper A, section 2.1; microarchitecture.md, section 7)."""

from __future__ import annotations

from models.jit.compiled import compiled
from models.state.registers import SwitchState


@compiled
def table_program(st: SwitchState, s: int, tag: int, found: int, route: int) -> None:
    """Write (found = 1) or remove (0) the route word of a destination; requests accepted in later cycles see it."""
    entry = st.table[s, tag & st.k.table_mask]
    entry.tag = tag
    entry.found = found
    entry.route = route


@compiled
def table_accept(st: SwitchState, s: int, tag: int, cycle: int) -> int:
    """Accept a request in `cycle`; return the route word of the answer, with the drop bit if not found."""
    st.switch[s].table_ready = cycle + st.k.cam_occupancy
    entry = st.table[s, tag & st.k.table_mask]
    route: int = entry.route
    if entry.found and entry.tag == tag:
        return route
    return route | 3


@compiled
def table_answer_cycle(st: SwitchState, accepted: int) -> int:
    """Return the cycle in which the answer to a request accepted in cycle `accepted` is visible."""
    return accepted + st.k.cam_latency - 3
