"""Ternary table, the stand-in for a ternary CAM: tags are compared under a mask (microarchitecture.md, section 7)."""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled
from models.route.linear_table import entry_route, write_entry
from models.state.declare import SWITCH, Registers, apart
from models.state.registers import NO_ENTRY, SwitchState
from models.state.route_word import READY


class TernaryTableRegisters(Registers):
    """The masks of the entries; tags are those of the route table, routes those of the linear table."""

    compared: np.ndarray = apart(
        np.int64, SWITCH, lambda n: (n.params.programmed_entries,), built=lambda n: n.params.ternary
    )


@compiled
def ternary_program(st: SwitchState, s: int, number: int, tag: int, mask: int, found: int, route: int) -> None:
    """Write (found = 1) or remove (0) entry `number`; requests accepted in later cycles see it."""
    st.table_tag[s, number] = tag
    write_entry(st, s, number, found, route)
    st.compared[s, number] = mask


@compiled
def ternary_find(st: SwitchState, s: int, tag: int) -> int:
    """Return the lowest entry that equals `tag` where its mask is 1; NO_ENTRY if there is none."""
    for number in range(st.k.table_mask + 1):
        known = entry_route(st, s, number) & READY
        if known and (tag ^ st.table_tag[s, number]) & st.compared[s, number] == 0:
            return number
    return NO_ENTRY
