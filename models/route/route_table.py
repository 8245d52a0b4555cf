"""Route table, the stand-in for the off-chip CAM (paper A, section 2.1; microarchitecture.md, section 7)."""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled
from models.route.linear_table import entry_route, write_entry
from models.route.ternary_table import ternary_find
from models.state.declare import SWITCH, Field, Registers, apart, fields
from models.state.registers import NO_ENTRY, SwitchState
from models.state.route_word import DROP, READY, route_word

_NARROW = 31  # bits of the widest tags that int32 holds


class RouteTableRegisters(Registers):
    """The tags of the table's entries, which the ternary table has, too; routes are those of the linear table."""

    table_tag: np.ndarray = apart(
        lambda n: np.int32 if n.params.tag_width <= _NARROW else np.int64,
        SWITCH,
        lambda n: (n.params.programmed_entries,),
        built=lambda n: n.params.has_cam,
    )
    in_switch = fields(Field("table_ready", np.int64))  # first cycle in which the table accepts again


@compiled
def table_program(st: SwitchState, s: int, tag: int, found: int, route: int) -> None:
    """Write (found = 1) or remove (0) the route word of a destination; requests accepted in later cycles see it."""
    number = tag & st.k.table_mask
    st.table_tag[s, number] = tag
    write_entry(st, s, number, found, route)


@compiled
def table_accept(st: SwitchState, s: int, tag: int, cycle: int) -> int:
    """Accept a request in `cycle`; return the route word of the answer, with the drop bit if not found."""
    st.switch[s].table_ready = cycle + st.k.cam_occupancy
    if st.k.ternary:
        number = ternary_find(st, s, tag)
        return entry_route(st, s, number) if number != NO_ENTRY else route_word(0, 0, 0, 1)
    number = tag & st.k.table_mask
    route = entry_route(st, s, number)
    return route if route & READY and st.table_tag[s, number] == tag else route | READY | DROP


@compiled
def table_answer_cycle(st: SwitchState, accepted: int) -> int:
    """Return the cycle in which the answer to a request accepted in cycle `accepted` is visible."""
    return accepted + st.k.cam_latency - 3
