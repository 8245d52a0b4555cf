"""Ternary table, the stand-in for a ternary CAM: tags are compared under a mask (microarchitecture.md, section 7)."""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled
from models.state.declare import SWITCH, Registers, apart
from models.state.registers import NO_ENTRY, SwitchState


class TernaryTableRegisters(Registers):
    """The masks of the entries; all else of an entry is in the route table's records."""

    compared: np.ndarray = apart(
        np.int64, SWITCH, lambda n: (n.params.programmed_entries,), built=lambda n: n.params.ternary
    )


@compiled
def ternary_program(st: SwitchState, s: int, number: int, tag: int, mask: int, found: int, route: int) -> None:
    """Write (found = 1) or remove (0) entry `number`; requests accepted in later cycles see it."""
    entry = st.table[s, number]
    entry.tag = tag
    entry.found = found
    entry.route = route
    st.compared[s, number] = mask


@compiled
def ternary_find(st: SwitchState, s: int, tag: int) -> int:
    """Return the lowest entry that equals `tag` where its mask is 1; NO_ENTRY if there is none."""
    for number in range(st.k.table_mask + 1):
        entry = st.table[s, number]
        if entry.found and (tag ^ entry.tag) & st.compared[s, number] == 0:
            return number
    return NO_ENTRY
