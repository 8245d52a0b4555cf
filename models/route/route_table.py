"""Route table, the stand-in for the off-chip CAM (paper A, section 2.1; microarchitecture.md, section 7)."""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled, compiled_noinline
from models.route.ternary_table import ternary_find
from models.state.declare import SWITCH, Field, Registers, apart, fields
from models.state.registers import NO_ENTRY, Records, SwitchState
from models.state.route_word import route_word

ENTRY = np.dtype([("tag", np.int64), ("route", np.int64), ("found", np.int8)], align=True)


@compiled_noinline
def route_table_reset(st: SwitchState, s: int, cycle: int) -> None:
    """Have the table of a switch accept a request; it keeps its contents."""
    st.switch[s].table_ready = 0


class RouteTableRegisters(Registers):
    """The table's entries, which the linear and the ternary table have, too."""

    table: Records = apart(ENTRY, SWITCH, lambda n: (n.params.programmed_entries,), built=lambda n: n.params.programmed)
    in_switch = fields(Field("table_ready", np.int64))  # first cycle in which the table accepts again
    reset = route_table_reset


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
    if st.k.ternary:
        number = ternary_find(st, s, tag)
        if number == NO_ENTRY:
            return route_word(0, 0, 0, 1)
        matched: int = st.table[s, number].route
        return matched
    entry = st.table[s, tag & st.k.table_mask]
    route: int = entry.route
    if entry.found and entry.tag == tag:
        return route
    return route | 3


@compiled
def table_answer_cycle(st: SwitchState, accepted: int) -> int:
    """Return the cycle in which the answer to a request accepted in cycle `accepted` is visible."""
    return accepted + st.k.cam_latency - 3
