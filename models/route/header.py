"""Header assembly of one input port: destination tag from the header flits (microarchitecture.md, section 2)."""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled
from models.state.declare import Field, Registers, fields
from models.state.registers import SwitchState

BODY, COMPLETE, MALFORMED = 0, 1, 2


class HeaderRegisters(Registers):
    """Headers that are arriving."""

    in_vc = fields(
        Field("tag", np.int64),  # bits of the header of the packet now arriving
        Field("header", np.int8),  # header flits of the packet now arriving
        Field("inside", np.int8),  # 1: its header is complete
    )


@compiled
def awaits_header(st: SwitchState, s: int, p: int, v: int) -> bool:
    """Return whether the next flit of a VC belongs to a header; the data of other flits are not read."""
    inside: int = st.vc[s, p, v].inside
    return inside == 0


@compiled
def header(st: SwitchState, s: int, p: int, v: int, tail: int, data: int) -> int:
    """Accept the next flit of a VC; the VC's `tag` then holds the tag bits received so far.

    Parameters
    ----------
    st : SwitchState
        The switches.
    s, p, v : int
        Switch, input port, VC.
    tail : int
        The flit's tail bit.
    data : int
        Its low 64 data bits (fewer if flits are narrower).

    Returns
    -------
    int
        COMPLETE or MALFORMED in the cycle the header ends, else BODY (or an unfinished header).
    """
    vc = st.vc[s, p, v]
    inside = vc.inside
    if inside or st.k.header_flits == 1:
        vc.inside = 1 - tail
        if inside:
            return BODY
        vc.tag = data & st.k.tag_mask
        return COMPLETE
    j = int(vc.header)
    width = st.k.data_width  # below 64: a tag of at most 64 bits takes more than one flit
    part = (data & ((1 << width) - 1)) << (j * width)
    vc.tag = (part if j == 0 else vc.tag | part) & st.k.tag_mask
    if j + 1 == st.k.header_flits:
        vc.header = 0
        vc.inside = 1 - tail
        return COMPLETE
    if tail:
        vc.header = 0
        return MALFORMED
    vc.header = j + 1
    return BODY
