"""Matrix arbiters of a batch; counterpart of `models.allocate.arbiter.matrix` (Dally and Towles, 18.5).

An arbiter over the VCs of an input port, or over outputs, has a row for each requester: the set of those over which it
has priority. All arbiters of outputs choose at once, each in its own bit: there is a set of outputs for each pair of
input ports, those at which the lower one has priority.
"""

from __future__ import annotations

import numpy as np

from models.allocate.arbiter import orders_after, row_after, row_at_reset, row_wins
from models.allocate.switch_allocator import has_matrix
from models.batched.crossbar import granted_at, grants, taken_at
from models.batched.output_sets import spread_outputs
from models.batched.vc_sets import spread
from models.jit.compiled import compiled, compiled_noinline
from models.jit.lanes import place_of_number
from models.jit.simd import set_number, simd_load, simd_store
from models.jit.simd_type import LANES, Vector
from models.state.declare import NOTHING, Registers, Sizes, apart
from models.state.registers import SwitchState


def _of_vcs(n: Sizes) -> tuple[int, ...]:
    return (n.batches * n.ports * n.vcs * LANES if has_matrix(n) else 0,)


def _of_outputs(n: Sizes) -> tuple[int, ...]:
    return (n.batches * n.ports * (n.ports + 1) * LANES if has_matrix(n) else 0,)


def _of_pairs(n: Sizes) -> tuple[int, ...]:
    return (n.batches * n.ports * n.ports * LANES if has_matrix(n) else 0,)


@compiled_noinline
def batched_arbiter_reset(st: SwitchState, s: int, cycle: int) -> None:
    """Give lower numbers priority in the arbiters of a switch."""
    if not (st.k.batched and st.k.matrix):
        return
    for i in range(st.k.ports):
        for v in range(st.k.vcs):
            of_vc = place_of_number(s, st.k.ports * st.k.vcs, i * st.k.vcs + v)
            set_number(st.batch_vc_rows, of_vc, row_at_reset(v, st.k.vcs))
        for o in range(st.k.ports + 1):
            of_output = place_of_number(s, st.k.ports * (st.k.ports + 1), i * (st.k.ports + 1) + o)
            set_number(st.batch_output_rows, of_output, row_at_reset(o, st.k.ports + 1))
        for j in range(st.k.ports):
            of_pair = place_of_number(s, st.k.ports * st.k.ports, i * st.k.ports + j)
            set_number(st.batch_input_pairs, of_pair, (1 << st.k.ports) - 1)


class BatchedArbiterRegisters(Registers):
    """Vectors of the matrices, by batch, vector and lane."""

    batch_vc_rows: np.ndarray = apart(lambda n: n.vc_lanes, NOTHING, _of_vcs, of_batches=True)
    batch_output_rows: np.ndarray = apart(lambda n: n.output_lanes, NOTHING, _of_outputs, of_batches=True)
    # those whose first port is not lower are not used
    batch_input_pairs: np.ndarray = apart(lambda n: n.output_lanes, NOTHING, _of_pairs, of_batches=True)
    reset = batched_arbiter_reset


@compiled
def _vc_row(st: SwitchState, batch: int, i: int, v: int) -> int:
    return (batch * st.k.ports + i) * st.k.vcs + v


@compiled
def _output_row(st: SwitchState, batch: int, i: int, o: int) -> int:
    return (batch * st.k.ports + i) * (st.k.ports + 1) + o


@compiled
def _input_pair(st: SwitchState, batch: int, lower: int, higher: int) -> int:
    return (batch * st.k.ports + lower) * st.k.ports + higher


@compiled
def vc_of_matrix(st: SwitchState, batch: int, i: int, requests: Vector) -> Vector:
    """Return, one-hot, the VC of input port `i` that has priority over all others of `requests`."""
    chosen = spread(st, 0)
    for v in range(st.k.vcs):
        row = simd_load(st.batch_vc_rows, _vc_row(st, batch, i, v))
        chosen = chosen | row_wins(requests, row, spread(st, 1 << v))
    return chosen


@compiled
def advance_vc_matrix(st: SwitchState, batch: int, i: int, chosen: Vector) -> None:
    """Give the VC `chosen` of input port `i`, one-hot, the least priority; none where it is 0."""
    for v in range(st.k.vcs):
        at = _vc_row(st, batch, i, v)
        simd_store(st.batch_vc_rows, at, row_after(simd_load(st.batch_vc_rows, at), spread(st, 1 << v), chosen))


@compiled
def output_of_matrix(st: SwitchState, batch: int, i: int, granted: Vector) -> Vector:
    """Return, one-hot, the output that input port `i` accepts: that with priority over all others of `granted`."""
    chosen = spread_outputs(st, 0)
    for o in range(st.k.ports + 1):
        row = simd_load(st.batch_output_rows, _output_row(st, batch, i, o))
        chosen = chosen | row_wins(granted, row, spread_outputs(st, 1 << o))
    return chosen


@compiled
def advance_output_matrix(st: SwitchState, batch: int, i: int, taken: Vector) -> None:
    """Give the output `taken` of input port `i`, one-hot, the least priority; none where it is 0."""
    for o in range(st.k.ports + 1):
        at = _output_row(st, batch, i, o)
        row = simd_load(st.batch_output_rows, at)
        simd_store(st.batch_output_rows, at, row_after(row, spread_outputs(st, 1 << o), taken))


@compiled
def _prior(st: SwitchState, batch: int, j: int, i: int) -> Vector:
    """Return the outputs at which input port `j` has priority over another, `i`."""
    pair = simd_load(st.batch_input_pairs, _input_pair(st, batch, min(j, i), max(j, i)))
    return pair if j < i else ~pair


@compiled
def grant_by_matrix(st: SwitchState, batch: int) -> None:
    """Grant each output to the one of the input ports that request it with priority over all others.

    The drain port is granted to every input port that requests it.
    """
    outputs = spread_outputs(st, (1 << st.k.ports) - 1)
    for i in range(st.k.ports):
        beaten = spread_outputs(st, 0)
        for j in range(st.k.ports):
            if j != i:
                beaten = beaten | grants(st, taken_at(st, j)) & _prior(st, batch, j, i)
        simd_store(st.batch_grants, granted_at(st, i), grants(st, taken_at(st, i)) & ~(beaten & outputs))


@compiled
def advance_input_matrix(st: SwitchState, batch: int) -> None:
    """Give the input ports that took an output the least priority there."""
    for i in range(st.k.ports):
        for j in range(i + 1, st.k.ports):
            at = _input_pair(st, batch, i, j)
            pair = simd_load(st.batch_input_pairs, at)
            taken, above = grants(st, taken_at(st, i)), grants(st, taken_at(st, j))
            simd_store(st.batch_input_pairs, at, orders_after(pair, taken, above))
