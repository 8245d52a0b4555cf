"""What leaves a row of switches in a cycle: where a match says it, and how those who carry it go through it.

`st.row_scratch` holds sets of VCs, `st.row_grants` sets of outputs. A flit that an output sends is the VC that it has
there, as the lowest bit, with `head_bit`, `tail_bit` if it is such.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from models.bits import index, lowest
from models.compiled import compiled
from models.row_kind import LANES, Row, switch_in
from models.row_sets import spread
from models.rows import number_in, row_lanes, row_load
from models.state import SwitchState

See = Callable[[Any, int, int, int, int], None]
SCRATCH = 3  # rows of `st.row_scratch`, for each port
GRANTS = 2  # of `st.row_grants`


@compiled
def taken_at(st: SwitchState, i: int) -> int:
    """Return where `st.row_grants` says which output input port `i` takes; before, which ones it asks for."""
    return i


@compiled
def granted_at(st: SwitchState, i: int) -> int:
    """Return where it says which outputs are granted to input port `i`."""
    return st.k.ports + i


@compiled
def chosen_at(st: SwitchState, i: int) -> int:
    """Return where `st.row_scratch` says which VC goes there."""
    return i


@compiled
def leaving_at(st: SwitchState, i: int) -> int:
    """Return where it says on what VC of its output it goes, one bit, with `head_bit`, `tail_bit` if it is such."""
    return st.k.ports + i


@compiled
def sent_at(st: SwitchState, o: int) -> int:
    """Return where it says what flit output `o` sends, in the same way."""
    return 2 * st.k.ports + o


@compiled
def scratch(st: SwitchState, which: int) -> Row:
    """Return a row of `st.row_scratch`."""
    return row_load(st.row_scratch, which)


@compiled
def grants(st: SwitchState, which: int) -> Row:
    """Return a row of `st.row_grants`."""
    return row_load(st.row_grants, which)


@compiled
def taken_of(st: SwitchState, i: int, lane: int) -> int:
    """Return the output to which the flit of input port `i` goes in the switch with a number in its row."""
    return lowest(number_in(st.row_grants, taken_at(st, i) * LANES + lane))


@compiled
def chosen_of(st: SwitchState, i: int, lane: int) -> int:
    """Return the VC from which it comes."""
    return lowest(_number(st, chosen_at(st, i), lane))


@compiled
def leaving_of(st: SwitchState, i: int, lane: int) -> int:
    """Return what it is at its output, as `leaving_at`: its VC there is the lowest bit."""
    return _number(st, leaving_at(st, i), lane)


@compiled
def _number(st: SwitchState, which: int, lane: int) -> int:
    return number_in(st.row_scratch, which * LANES + lane)


@compiled
def see_leaving(st: SwitchState, row: int, bits: int, see: See, who: Any, cycle: int) -> None:
    """See one by one what leaves the buffers of a row.

    Parameters
    ----------
    st : SwitchState
        The switches.
    row : int
        Row.
    bits : int
        Bits of which a flit must have any, at its output, to be seen.
    see : compiled function
        Called for each: `see(who, s, i, lane, cycle)`, of switch, input port and the switch's number in the row.
    who : any
        What it is handed.
    cycle : int
        This cycle.
    """
    for i in range(st.k.ports):
        lanes = row_lanes(scratch(st, leaving_at(st, i)) & spread(st, bits))
        while lanes:
            lane = lowest(lanes)
            lanes &= lanes - 1
            see(who, index(switch_in(row, lane)), index(i), lane, cycle)
