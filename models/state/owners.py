"""Owners: the input VCs that own a VC behind each output, as a set for each output.

A summary of registers: where ports are matched with outputs, the requests for an output are found by one operation on
masks, however many there are (`models.allocate.matching`).
"""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled
from models.jit.sets import with_member
from models.state.declare import SWITCH, Registers, Sizes, placed
from models.state.placement import Area
from models.state.registers import SwitchState
from models.state.vc_set import vc_bit, vc_number, vc_word, words_of_outputs


def matches(n: Sizes) -> bool:
    """Return whether input ports are matched with outputs, switch by switch (`models.allocate.matching`)."""
    return n.params.matching and not n.batched


class OwnersRegisters(Registers):
    """A set for each output, and one for the drain port."""

    # matching: summary: input VCs that own a VC behind an output; last, scratch: VCs with a flit to be drained
    owners: np.ndarray = placed(Area.SETS, np.int64, SWITCH, words_of_outputs, matches)


@compiled
def owner_is(st: SwitchState, s: int, o: int, i: int, v: int, owns: int) -> None:
    """Note that input VC (i, v) owns a VC behind output `o` (1), or no longer does (0)."""
    if st.k.matching:
        n = vc_number(st, i, v)
        k, bit = vc_word(st, n), vc_bit(st, n)
        st.owners[s, o, k] = with_member(int(st.owners[s, o, k]), bit, owns)
