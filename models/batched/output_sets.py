"""Sets of outputs of batched switches, one more being the drain port (docs/microarchitecture.md, section 8).

They are what `models.batched.vc_sets` are of VCs, with lanes of a width of their own. With P ports and V VCs, each
batch of switches has, one after the other, a vector of

- granted output, for each input VC: the output of which it owns a VC, one-hot; output number P is the drain port; 0 if
  its head waits (P V vectors);
- grant priority, for each input port: the outputs whose arbiter begins its search at this port or before (P). An
  arbiter that begins at port 0 is in none of them, as at reset;
- output priority, for each input port: the priority mask of its arbiter over outputs (P).
"""

from __future__ import annotations

from models.jit.compiled import compiled
from models.jit.simd import broadcast, number_in, set_number, simd_load, simd_store
from models.jit.simd_type import Vector, place_of_number
from models.state.registers import SwitchState


def output_sets_of(ports: int, vcs: int) -> int:
    """Return how many such batches a batch of switches has."""
    return ports * (vcs + 2)


@compiled
def spread_outputs(st: SwitchState, number: int) -> Vector:
    """Return a vector of sets of outputs of which every number is this one."""
    return broadcast(st.batch_outputs, number)


@compiled
def granted_output_at(st: SwitchState, i: int, v: int) -> int:
    """Return which of them says where the packet at the front of input VC (i, v) goes."""
    return i * st.k.vcs + v


@compiled
def grant_priority_at(st: SwitchState, i: int) -> int:
    """Return which holds the outputs whose turn input port `i` is, or one before it."""
    return st.k.vcs * st.k.ports + i


@compiled
def output_priority_at(st: SwitchState, i: int) -> int:
    """Return which says what comes first of outputs at input port `i`."""
    return (st.k.vcs + 1) * st.k.ports + i


@compiled
def outputs_get(st: SwitchState, batch: int, which: int) -> Vector:
    """Return one of these vectors of a batch of switches."""
    return simd_load(st.batch_outputs, batch * st.k.batch_output_vectors + which)


@compiled
def outputs_put(st: SwitchState, batch: int, which: int, numbers: Vector) -> None:
    """Write one of these vectors of a batch of switches."""
    simd_store(st.batch_outputs, batch * st.k.batch_output_vectors + which, numbers)


@compiled
def _place(st: SwitchState, s: int, which: int) -> int:
    return place_of_number(s, st.k.batch_output_vectors, which)


@compiled
def outputs_number(st: SwitchState, s: int, which: int) -> int:
    """Return the number of a switch in such a batch."""
    return number_in(st.batch_outputs, _place(st, s, which))


@compiled
def set_granted_output(st: SwitchState, s: int, i: int, v: int, granted_output: int) -> None:
    """Write the goal of an input VC of a switch."""
    set_number(st.batch_outputs, _place(st, s, granted_output_at(st, i, v)), granted_output)


@compiled
def reset_outputs(st: SwitchState, s: int) -> None:
    """Reset what is held here of a switch."""
    for which in range(st.k.batch_output_vectors):
        set_number(st.batch_outputs, _place(st, s, which), 0)
