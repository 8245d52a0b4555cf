"""Owners: the input VCs that own a VC behind each output, as a set for each output.

A summary of registers: where ports are matched with outputs, the requests for an output are found by one operation on
masks, however many there are (`models.allocate.matching`).
"""

from __future__ import annotations

from models.jit.compiled import compiled
from models.state.registers import SwitchState
from models.state.vc_set import vc_bit, vc_number, vc_word


@compiled
def owner_is(st: SwitchState, s: int, o: int, i: int, v: int, owns: int) -> None:
    """Note that input VC (i, v) owns a VC behind output `o` (1), or no longer does (0)."""
    if st.k.matching:
        n = vc_number(st, i, v)
        k, bit = vc_word(st, n), vc_bit(st, n)
        st.owners[s, o, k] = int(st.owners[s, o, k]) & ~(1 << bit) | owns << bit
