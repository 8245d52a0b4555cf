"""What leaves a row of switches in a cycle: where a match says it, and how those who carry it go through it.

A flit that an output sends is the VC that it has there, as the lowest bit, with `head_bit`, `tail_bit` if it is such.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from models.bits import index, lowest
from models.compiled import compiled
from models.row_kind import Row, lane_of, row_of, row_size, switch_in
from models.row_sets import spread
from models.rows import number_in, row_lanes, row_load
from models.state import SwitchState

See = Callable[[Any, int, int, int, int], None]
SCRATCH = 5  # rows of `st.row_scratch`, for each port
TOGETHER = 64  # switches that are gone through in one loop, of one input port or two


@compiled
def taken_at(st: SwitchState, i: int) -> int:
    """Return where `st.row_scratch` says which output input port `i` takes; before, which ones it asks for."""
    return i


@compiled
def chosen_at(st: SwitchState, i: int) -> int:
    """Return where it says which VC goes there."""
    return st.k.ports + i


@compiled
def leaving_at(st: SwitchState, i: int) -> int:
    """Return where it says on what VC of its output it goes, one bit, with `head_bit`, `tail_bit` if it is such."""
    return 2 * st.k.ports + i


@compiled
def sent_at(st: SwitchState, o: int) -> int:
    """Return where it says what flit output `o` sends, in the same way."""
    return 3 * st.k.ports + o


@compiled
def granted_at(st: SwitchState, i: int) -> int:
    """Return where it says which outputs are granted to input port `i`."""
    return 4 * st.k.ports + i


@compiled
def scratch(st: SwitchState, which: int) -> Row:
    """Return a row of the scratch."""
    return row_load(st.row_scratch, which)


@compiled
def taken_of(st: SwitchState, i: int, lane: int) -> int:
    """Return the output to which the flit of input port `i` goes in the switch with a number in its row."""
    return lowest(_number(st, taken_at(st, i), lane))


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
    return number_in(st.row_scratch, which * row_size(st.rows) + lane)


@compiled
def see_leaving(st: SwitchState, row: int, bits: int, see: See, who: Any, cycle: int) -> None:
    """See one by one what leaves the buffers of a row.

    Ports are gone through some at a time: how often a loop goes round can hardly be foreseen, better there are few.

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
    together = TOGETHER // row_size(st.rows)
    for first in range(0, st.k.ports, together):
        lanes = row_lanes(scratch(st, leaving_at(st, first)) & spread(st, bits))
        if together > 1 and first + 1 < st.k.ports:
            lanes |= row_lanes(scratch(st, leaving_at(st, first + 1)) & spread(st, bits)) << row_size(st.rows)
        while lanes:
            n = lowest(lanes)
            lanes &= lanes - 1
            lane = lane_of(st.rows, n)
            see(who, index(switch_in(st.rows, row, lane)), index(first + row_of(st.rows, n)), lane, cycle)
