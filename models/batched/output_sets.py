"""Storage of output sets of batched switches; the drain port is one more output (microarchitecture.md, section 8).

Like `models.batched.vc_sets`, with a lane width of its own. With P ports and V VCs, each batch has these vectors, in
this order:

- granted output, per input VC: the output of which it owns a VC, one-hot; output number P is the drain port; 0 if its
head waits. Without a VC stage, that for which its front flit asks (P V vectors);
- input order, per input port: the outputs whose arbiter starts its search at or before this port (P). An arbiter that
starts at port 0 is in none of them, as after reset;
- output order, per input port: that of its arbiter over outputs (P; `models.allocate.arbiter`);
- held outputs: those whose connection is held in the next cycle (1);
- wanted outputs: those that a buffered flit wanted in the last cycle allocated, with low-power idle (1);
- awake outputs: those of the wanted ones whose link is active (1);
- hinted outputs: those that hints want in the cycle allocated next (1);
- buffering outputs: those whose buffer may hold a flit, behind a faster crossbar (1);
- full outputs: those whose buffer is full in the cycle allocated (1).
"""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled, compiled_noinline
from models.jit.lanes import place_of_number
from models.jit.simd import broadcast, number_in, set_number, simd_load, simd_store
from models.jit.simd_type import LANES, Vector
from models.state.declare import NOTHING, Registers, apart
from models.state.registers import SwitchState


@compiled_noinline
def output_sets_reset(st: SwitchState, s: int, cycle: int) -> None:
    """Clear all sets of outputs of a switch."""
    for which in range(st.k.batch_output_vectors if st.k.batched else 0):
        set_outputs(st, s, which, 0)


class OutputSetRegisters(Registers):
    """Vectors of sets of outputs."""

    # by batch, vector and lane
    batch_outputs: np.ndarray = apart(
        lambda n: n.output_lanes,
        NOTHING,
        lambda n: (n.batches * output_sets_of(n.ports, n.vcs) * LANES,),
        of_batches=True,
    )
    reset = output_sets_reset


def output_sets_of(ports: int, vcs: int) -> int:
    """Return the number of output-set vectors of a batch."""
    return ports * (vcs + 2) + 6


@compiled
def spread_outputs(st: SwitchState, number: int) -> Vector:
    """Return a vector with the output set `number` in each lane."""
    return broadcast(st.batch_outputs, number)


@compiled
def granted_output_at(st: SwitchState, i: int, v: int) -> int:
    """Return the index of the granted output of input VC (i, v)."""
    return i * st.k.vcs + v


@compiled
def input_order_at(st: SwitchState, i: int) -> int:
    """Return the index of the input order of input port `i`."""
    return st.k.vcs * st.k.ports + i


@compiled
def output_order_at(st: SwitchState, i: int) -> int:
    """Return the index of the output order of input port `i`."""
    return (st.k.vcs + 1) * st.k.ports + i


@compiled
def held_outputs_at(st: SwitchState) -> int:
    """Return the index of the held outputs."""
    return (st.k.vcs + 2) * st.k.ports


@compiled
def wanted_outputs_at(st: SwitchState) -> int:
    """Return the index of the wanted outputs."""
    return held_outputs_at(st) + 1


@compiled
def awake_outputs_at(st: SwitchState) -> int:
    """Return the index of the awake outputs."""
    return held_outputs_at(st) + 2


@compiled
def hinted_outputs_at(st: SwitchState) -> int:
    """Return the index of the hinted outputs."""
    return held_outputs_at(st) + 3


@compiled
def buffering_outputs_at(st: SwitchState) -> int:
    """Return the index of the buffering outputs."""
    return held_outputs_at(st) + 4


@compiled
def full_outputs_at(st: SwitchState) -> int:
    """Return the index of the full outputs."""
    return held_outputs_at(st) + 5


@compiled
def outputs_get(st: SwitchState, batch: int, which: int) -> Vector:
    """Return vector `which` of a batch."""
    return simd_load(st.batch_outputs, batch * st.k.batch_output_vectors + which)


@compiled
def outputs_put(st: SwitchState, batch: int, which: int, numbers: Vector) -> None:
    """Write vector `which` of a batch."""
    simd_store(st.batch_outputs, batch * st.k.batch_output_vectors + which, numbers)


@compiled
def _place(st: SwitchState, s: int, which: int) -> int:
    return place_of_number(s, st.k.batch_output_vectors, which)


@compiled
def outputs_number(st: SwitchState, s: int, which: int) -> int:
    """Return the output set of switch `s` in vector `which` of its batch."""
    return number_in(st.batch_outputs, _place(st, s, which))


@compiled
def set_outputs(st: SwitchState, s: int, which: int, outputs: int) -> None:
    """Write the output set of switch `s` in vector `which` of its batch."""
    set_number(st.batch_outputs, _place(st, s, which), outputs)


@compiled
def set_granted_output(st: SwitchState, s: int, i: int, v: int, granted_output: int) -> None:
    """Write the granted output of input VC (i, v) of a switch, one-hot."""
    set_outputs(st, s, granted_output_at(st, i, v), granted_output)
