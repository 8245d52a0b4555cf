"""ST of a batch: where the allocation of a batch leaves its results, and lists of flits to be handled one by one.

The allocation (`models.batched.matching`) writes vectors: sets of VCs and encoded flits (`models.batched.flit`) into
`st.batch_scratch`, sets of outputs into `st.batch_grants`.
"""

from __future__ import annotations

import numpy as np

from models.batched.flit import HEAD, TAIL
from models.batched.lane_lists import BODIES, HEADS, TAILS, list_begin, list_end, list_more
from models.batched.vc_sets import spread
from models.batched.vectors import GrantVectors, ScratchVectors, of_vectors
from models.jit.bits import count_trailing_zeros
from models.jit.compiled import compiled
from models.jit.simd import nonzero_mask, number_in, simd_load
from models.jit.simd_type import LANES, Vector
from models.state.declare import Registers
from models.state.registers import SwitchState


class BatchedCrossbarRegisters(Registers):
    """Scratch: what leaves a batch in a cycle."""

    batch_scratch: np.ndarray = of_vectors(ScratchVectors, lambda n: n.vc_lanes)
    batch_grants: np.ndarray = of_vectors(GrantVectors, lambda n: n.output_lanes)


@compiled
def scratch(st: SwitchState, which: int) -> Vector:
    """Return vector `which` of `st.batch_scratch`."""
    return simd_load(st.batch_scratch, which)


@compiled
def grants(st: SwitchState, which: int) -> Vector:
    """Return vector `which` of `st.batch_grants`."""
    return simd_load(st.batch_grants, which)


@compiled
def taken_of(st: SwitchState, i: int, lane: int) -> int:
    """Return the output to which the flit of input port `i` goes, in the switch of `lane`."""
    return count_trailing_zeros(number_in(st.batch_grants, (st.k.taken + i) * LANES + lane))


@compiled
def chosen_of(st: SwitchState, i: int, lane: int) -> int:
    """Return the input VC that the flit of input port `i` leaves, in the switch of `lane`."""
    return count_trailing_zeros(number_in(st.batch_scratch, (st.k.chosen + i) * LANES + lane))


@compiled
def leaving_of(st: SwitchState, i: int, lane: int) -> int:
    """Return the flit of input port `i` that leaves in the switch of `lane`, encoded with its output VC."""
    return number_in(st.batch_scratch, (st.k.leaving + i) * LANES + lane)


@compiled
def list_leaving(st: SwitchState, last: Vector) -> None:
    """List those flits leaving the buffers of a batch that are heads to another switch, or tails to a node or drained.

    `last` is a mask per lane: outputs that do not lead to another switch.
    """
    heads, tails = list_begin(st, HEADS), list_begin(st, TAILS)
    for i in range(st.k.ports):
        leaving = scratch(st, st.k.leaving + i)
        ends = nonzero_mask(leaving, grants(st, st.k.taken + i) & last)
        heads = list_more(st, heads, i, leaving & ~ends & spread(st, HEAD))
        tails = list_more(st, tails, i, leaving & spread(st, TAIL) & ends)
    list_end(st, HEADS, heads)
    list_end(st, TAILS, tails)


@compiled
def list_bodies(st: SwitchState, last: Vector) -> None:
    """List the flits, except tails, that leave through one of the outputs `last`, which lead to nodes."""
    n = list_begin(st, BODIES)
    for i in range(st.k.ports):
        leaving = scratch(st, st.k.leaving + i)
        tails = nonzero_mask(leaving, leaving & spread(st, TAIL))
        n = list_more(st, n, i, leaving & ~tails & nonzero_mask(leaving, grants(st, st.k.taken + i) & last))
    list_end(st, BODIES, n)
