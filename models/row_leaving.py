"""What leaves a row of switches in a cycle: where a match says it, and how those who carry it go through it.

A flit that an output sends is the VC that it has there, as the lowest bit, with `head_bit`, `tail_bit` if it is such.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from models.bits import lowest
from models.compiled import compiled
from models.row_kind import Row, lane_of, row_of, row_size, switch_in
from models.rows import number_in, row_lanes, row_load
from models.state import SwitchState

See = Callable[[Any, int, int, int, int], None]
SCRATCH = 5  # rows of `st.row_scratch`, for each port
TOGETHER = 64  # switches that are gone through in one loop, of one output or two


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
def winner_at(st: SwitchState, o: int) -> int:
    """Return where it says which input port output `o` is granted to."""
    return 4 * st.k.ports + o


@compiled
def scratch(st: SwitchState, which: int) -> Row:
    """Return a row of the scratch."""
    return row_load(st.row_scratch, which)


@compiled
def outputs_together(st: SwitchState) -> int:
    """Return of how many outputs those switches are that are gone through in one loop.

    How often a loop goes round can hardly be foreseen: better there are few.
    """
    return TOGETHER // row_size(st.rows)


@compiled
def see_sent(st: SwitchState, row: int, first: int, these: Row, those: Row, see: See, who: Any, cycle: int) -> None:
    """See one by one what a row sends on `outputs_together` outputs.

    Parameters
    ----------
    st : SwitchState
        The switches.
    row, first : int
        Row; first of the outputs.
    these, those : Row
        Bits of which a flit must have any to be seen: on the first output, on the next.
    see : compiled function
        Called for each: `see(who, s, o, sent, cycle)`, of switch and output.
    who : any
        What it is handed.
    cycle : int
        This cycle.
    """
    lanes = row_lanes(scratch(st, sent_at(st, first)) & these)
    if outputs_together(st) > 1 and first + 1 < st.k.ports:
        lanes |= row_lanes(scratch(st, sent_at(st, first + 1)) & those) << row_size(st.rows)
    while lanes:
        n = lowest(lanes)
        lanes &= lanes - 1
        s, o = switch_in(st.rows, row, lane_of(st.rows, n)), first + row_of(st.rows, n)
        see(who, s, o, number_in(st.row_scratch, sent_at(st, first) * row_size(st.rows) + n), cycle)
