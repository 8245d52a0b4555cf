"""Linear forwarding table of an input port, indexed by the tag (as in InfiniBand; microarchitecture.md, section 5)."""

from __future__ import annotations

from models.jit.compiled import compiled
from models.state.registers import SwitchState
from models.state.route_word import route_word


@compiled
def linear_route(st: SwitchState, s: int, tag: int) -> int:
    """Return the route word of a tag; its drop bit is set if the tag is beyond the table or the entry is empty."""
    entry = st.table[s, tag & st.k.table_mask]
    if entry.found and tag & ~st.k.table_mask == 0:
        route: int = entry.route
        return route
    return route_word(0, 0, 0, 1)


@compiled
def linear_program(st: SwitchState, s: int, tag: int, found: int, route: int) -> None:
    """Write (found = 1) or remove (0) a route, for headers of later cycles; a tag beyond the table changes nothing."""
    if tag & ~st.k.table_mask:
        return
    entry = st.table[s, tag]
    entry.found = found
    entry.route = route
