"""Storage of output sets of batched switches: `models.batched.vectors.OutputVectors`.

Like `models.batched.vc_sets`, with a lane width of its own.
"""

from __future__ import annotations

import numpy as np

from models.batched.vectors import OutputVectors, at_reset, of_vc, of_vectors
from models.jit.compiled import compiled, compiled_noinline
from models.jit.lanes import place_of_number
from models.jit.simd import broadcast, number_in, set_number, simd_load, simd_store
from models.jit.simd_type import Vector
from models.state.declare import Registers
from models.state.registers import SwitchState


@compiled_noinline
def output_sets_reset(st: SwitchState, s: int, cycle: int) -> None:
    """Reset all sets of outputs of a switch."""
    for which in range(len(st.batch_outputs_at_reset)):
        set_outputs(st, s, which, int(st.batch_outputs_at_reset[which]))


class OutputSetRegisters(Registers):
    """Vectors of sets of outputs."""

    # by batch, vector and lane
    batch_outputs: np.ndarray = of_vectors(OutputVectors, lambda n: n.output_lanes, of_batches=True)
    batch_outputs_at_reset: np.ndarray = at_reset(OutputVectors)  # by vector
    reset = output_sets_reset


@compiled
def spread_outputs(st: SwitchState, number: int) -> Vector:
    """Return a vector with the output set `number` in each lane."""
    return broadcast(st.batch_outputs, number)


@compiled
def outputs_get(st: SwitchState, batch: int, which: int) -> Vector:
    """Return vector `which` of a batch."""
    return simd_load(st.batch_outputs, batch * st.k.batch_output_vectors + which)


@compiled
def outputs_put(st: SwitchState, batch: int, which: int, numbers: Vector) -> None:
    """Write vector `which` of a batch."""
    simd_store(st.batch_outputs, batch * st.k.batch_output_vectors + which, numbers)


@compiled
def outputs_number(st: SwitchState, s: int, which: int) -> int:
    """Return the output set of switch `s` in vector `which` of its batch."""
    return number_in(st.batch_outputs, place_of_number(s, st.k.batch_output_vectors, which))


@compiled
def set_outputs(st: SwitchState, s: int, which: int, outputs: int) -> None:
    """Write the output set of switch `s` in vector `which` of its batch."""
    set_number(st.batch_outputs, place_of_number(s, st.k.batch_output_vectors, which), outputs)


@compiled
def set_granted_output(st: SwitchState, s: int, i: int, v: int, granted_output: int) -> None:
    """Write the granted output of input VC (i, v) of a switch, one-hot."""
    set_outputs(st, s, st.k.granted_output + of_vc(st, i, v), granted_output)
