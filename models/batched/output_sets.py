"""Sets of outputs of switches in rows, one more being nowhere (docs/microarchitecture.md, section 8).

They are what `models.batched.vc_sets` are of VCs, with numbers of a width of their own. With P ports and V VCs, each
row of switches has, one after the other, a row of

- goal, for each input VC: the output of which it owns a VC, as the only bit; output number P is nowhere, where packets
  are drained; none if its head waits (P V rows);
- turn, for each input port: outputs whose search for an input port begins at it or before (P). One that would begin at
  the lowest may as well begin nowhere: it is none at reset;
- order, for each input port: what comes first of outputs (P).
"""

from __future__ import annotations

from models.jit.compiled import compiled
from models.jit.simd import number_in, row_load, row_spread, row_store, set_number
from models.jit.simd_type import Row, place_of_number
from models.state.registers import SwitchState


def output_sets_of(ports: int, vcs: int) -> int:
    """Return how many such rows a row of switches has."""
    return ports * (vcs + 2)


@compiled
def spread_outputs(st: SwitchState, number: int) -> Row:
    """Return a row of sets of outputs of which every number is this one."""
    return row_spread(st.row_outputs, number)


@compiled
def goal_at(st: SwitchState, i: int, v: int) -> int:
    """Return which of them says where the packet at the front of input VC (i, v) goes."""
    return i * st.k.vcs + v


@compiled
def turn_at(st: SwitchState, i: int) -> int:
    """Return which holds the outputs whose turn input port `i` is, or one before it."""
    return st.k.vcs * st.k.ports + i


@compiled
def output_order_at(st: SwitchState, i: int) -> int:
    """Return which says what comes first of outputs at input port `i`."""
    return (st.k.vcs + 1) * st.k.ports + i


@compiled
def outputs_get(st: SwitchState, row: int, which: int) -> Row:
    """Return one of these rows of a row of switches."""
    return row_load(st.row_outputs, row * st.k.row_output_sets + which)


@compiled
def outputs_put(st: SwitchState, row: int, which: int, numbers: Row) -> None:
    """Write one of these rows of a row of switches."""
    row_store(st.row_outputs, row * st.k.row_output_sets + which, numbers)


@compiled
def _place(st: SwitchState, s: int, which: int) -> int:
    return place_of_number(s, st.k.row_output_sets, which)


@compiled
def outputs_number(st: SwitchState, s: int, which: int) -> int:
    """Return the number of a switch in such a row."""
    return number_in(st.row_outputs, _place(st, s, which))


@compiled
def set_goal(st: SwitchState, s: int, i: int, v: int, goal: int) -> None:
    """Write the goal of an input VC of a switch."""
    set_number(st.row_outputs, _place(st, s, goal_at(st, i, v)), goal)


@compiled
def reset_outputs(st: SwitchState, s: int) -> None:
    """Reset what is held here of a switch."""
    for which in range(st.k.row_output_sets):
        set_number(st.row_outputs, _place(st, s, which), 0)
