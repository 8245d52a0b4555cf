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
from models.rows import fill_bytes, list_lanes, number_in, row_load
from models.state import SwitchState

See = Callable[[Any, int, int, int, int], None]
SCRATCH = 3  # rows of `st.row_scratch`, for each port
GRANTS = 2  # of `st.row_grants`
HEADS, TAILS, FLITS = range(3)  # what is listed
LISTS = 3


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
def _room(st: SwitchState) -> int:
    """Return the bytes of a list: of each port so many are written, whatever leaves it."""
    return st.k.ports * LANES


@compiled
def list_leaving(st: SwitchState, kind: int, bits: int) -> None:
    """List what leaves the buffers of a row and has any of some bits at its output, for `see_leaving`.

    One list of all ports, as how often a loop goes round can hardly be foreseen. Best made some time before it is gone
    through: what a processor has written many bytes of at once is not there to be read at once.
    """
    first = kind * _room(st)
    n = first
    for i in range(st.k.ports):
        fill_bytes(st.row_seen_ports, n, i)
        n += list_lanes(st.row_seen_lanes, n, scratch(st, leaving_at(st, i)) & spread(st, bits))
    st.row_seen[kind] = n - first


@compiled
def see_leaving(st: SwitchState, row: int, kind: int, see: See, who: Any, cycle: int) -> None:
    """See one by one what was listed.

    Parameters
    ----------
    st : SwitchState
        The switches.
    row : int
        Row.
    kind : int
        HEADS, TAILS, FLITS: which list.
    see : compiled function
        Called for each: `see(who, s, i, lane, cycle)`, of switch, input port and the switch's number in the row.
    who : any
        What it is handed.
    cycle : int
        This cycle.
    """
    first = kind * _room(st)
    for n in range(first, first + int(st.row_seen[kind])):
        lane = number_in(st.row_seen_lanes, n)
        see(who, index(switch_in(row, lane)), index(number_in(st.row_seen_ports, n)), lane, cycle)
