"""What leaves a batch of switches in a cycle: where a match says it, and how those who carry it go through it.

`st.batch_scratch` holds sets of VCs, and flits as `models.batched.flit` says them; `st.batch_grants` holds sets of
outputs.
"""

from __future__ import annotations

from models.batched.flit import HEAD, TAIL
from models.batched.lane_lists import BODIES, HEADS, TAILS, list_begin, list_end, list_more
from models.batched.vc_sets import spread
from models.jit.bits import count_trailing_zeros
from models.jit.compiled import compiled
from models.jit.simd import nonzero_mask, number_in, simd_load
from models.jit.simd_type import LANES, Vector
from models.state.registers import SwitchState

SCRATCH = 4  # batches of `st.batch_scratch`, for each port
GRANTS = 2  # of `st.batch_grants`


@compiled
def taken_at(st: SwitchState, i: int) -> int:
    """Return where `st.batch_grants` says which output input port `i` takes; before, which ones it asks for."""
    return i


@compiled
def granted_at(st: SwitchState, i: int) -> int:
    """Return where it says which outputs are granted to input port `i`."""
    return st.k.ports + i


@compiled
def chosen_at(st: SwitchState, i: int) -> int:
    """Return where `st.batch_scratch` says which VC goes there."""
    return i


@compiled
def leaving_at(st: SwitchState, i: int) -> int:
    """Return where it says what flit that is, on the VC that it has at its output; on any if that is the drain port."""
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
def scratch(st: SwitchState, which: int) -> Vector:
    """Return a batch of `st.batch_scratch`."""
    return simd_load(st.batch_scratch, which)


@compiled
def grants(st: SwitchState, which: int) -> Vector:
    """Return a batch of `st.batch_grants`."""
    return simd_load(st.batch_grants, which)


@compiled
def taken_of(st: SwitchState, i: int, lane: int) -> int:
    """Return the output to which the flit of input port `i` goes in the switch with a number in its batch."""
    return count_trailing_zeros(number_in(st.batch_grants, taken_at(st, i) * LANES + lane))


@compiled
def chosen_of(st: SwitchState, i: int, lane: int) -> int:
    """Return the VC from which it comes."""
    return count_trailing_zeros(_number(st, chosen_at(st, i), lane))


@compiled
def leaving_of(st: SwitchState, i: int, lane: int) -> int:
    """Return what flit it is at its output."""
    return _number(st, leaving_at(st, i), lane)


@compiled
def _number(st: SwitchState, which: int, lane: int) -> int:
    return number_in(st.batch_scratch, which * LANES + lane)


@compiled
def list_leaving(st: SwitchState, last: Vector) -> None:
    """List, of what leaves the buffers of a batch, heads that go on, and tails that do not.

    What goes to one of the outputs `last` does not.
    """
    heads, tails = list_begin(st, HEADS), list_begin(st, TAILS)
    for i in range(st.k.ports):
        leaving = scratch(st, leaving_at(st, i))
        ends = nonzero_mask(leaving, grants(st, taken_at(st, i)) & last)
        heads = list_more(st, heads, i, leaving & spread(st, HEAD) & ~ends)
        tails = list_more(st, tails, i, leaving & spread(st, TAIL) & ends)
    list_end(st, HEADS, heads)
    list_end(st, TAILS, tails)


@compiled
def list_bodies(st: SwitchState, last: Vector) -> None:
    """List, of what leaves them, all but tails that goes to one of the outputs `last`."""
    n = list_begin(st, BODIES)
    for i in range(st.k.ports):
        leaving = scratch(st, leaving_at(st, i))
        tails = nonzero_mask(leaving, leaving & spread(st, TAIL))
        n = list_more(st, n, i, leaving & ~tails & nonzero_mask(leaving, grants(st, taken_at(st, i)) & last))
    list_end(st, BODIES, n)
