"""What leaves a row of switches in a cycle: where a match says it, and how those who carry it go through it.

`st.row_scratch` holds sets of VCs, and flits as `models.batched.flit` says them; `st.row_grants` holds sets of outputs.
"""

from __future__ import annotations

from models.batched.flit import HEAD, TAIL
from models.batched.lane_lists import BODIES, HEADS, TAILS, list_begin, list_end, list_more
from models.batched.vc_sets import spread
from models.jit.bits import lowest
from models.jit.compiled import compiled
from models.jit.simd import number_in, row_load, row_some
from models.jit.simd_type import LANES, Row
from models.state.registers import SwitchState

SCRATCH = 4  # rows of `st.row_scratch`, for each port
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
    """Return where it says what flit that is, on the VC that it has at its output; on any if that is nowhere."""
    return st.k.ports + i


@compiled
def sent_at(st: SwitchState, o: int) -> int:
    """Return where it says what flit output `o` sends, in the same way."""
    return 2 * st.k.ports + o


@compiled
def sent_vcs_at(st: SwitchState, o: int) -> int:
    """Return where it says on what VC that is, as the only bit."""
    return 3 * st.k.ports + o


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
    """Return what flit it is at its output."""
    return _number(st, leaving_at(st, i), lane)


@compiled
def _number(st: SwitchState, which: int, lane: int) -> int:
    return number_in(st.row_scratch, which * LANES + lane)


@compiled
def list_leaving(st: SwitchState, last: Row) -> None:
    """List, of what leaves the buffers of a row, heads that go on, and tails that do not.

    What goes to one of the outputs `last` does not.
    """
    heads, tails = list_begin(st, HEADS), list_begin(st, TAILS)
    for i in range(st.k.ports):
        leaving = scratch(st, leaving_at(st, i))
        ends = row_some(leaving, grants(st, taken_at(st, i)) & last)
        heads = list_more(st, heads, i, leaving & spread(st, HEAD) & ~ends)
        tails = list_more(st, tails, i, leaving & spread(st, TAIL) & ends)
    list_end(st, HEADS, heads)
    list_end(st, TAILS, tails)


@compiled
def list_bodies(st: SwitchState, last: Row) -> None:
    """List, of what leaves them, all but tails that goes to one of the outputs `last`."""
    n = list_begin(st, BODIES)
    for i in range(st.k.ports):
        leaving = scratch(st, leaving_at(st, i))
        tails = row_some(leaving, leaving & spread(st, TAIL))
        n = list_more(st, n, i, leaving & ~tails & row_some(leaving, grants(st, taken_at(st, i)) & last))
    list_end(st, BODIES, n)
