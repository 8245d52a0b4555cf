"""Matrix arbiters of a batch; counterpart of `models.allocate.arbiter.matrix` (Dally and Towles, 18.5).

An arbiter over the VCs of an input port, or over outputs, has a row for each requester: the set of those over which it
has priority. All arbiters of outputs choose at once, each in its own bit: there is a set of outputs for each pair of
input ports, those at which the lower one has priority.
"""

from __future__ import annotations

import numpy as np

from models.allocate.arbiter import orders_after, row_after, row_wins
from models.batched.crossbar import grants
from models.batched.output_sets import outputs_get, outputs_put, spread_outputs
from models.jit.compiled import compiled
from models.jit.simd import broadcast, simd_load, simd_store
from models.jit.simd_type import Vector
from models.state.registers import SwitchState


@compiled
def first_by_matrix(vectors: np.ndarray, rows: int, requesters: int, requests: Vector) -> Vector:
    """Return, one-hot, the requester that has priority over all others of `requests`.

    `rows` is the index, in an array of vectors, of the first of the rows, one of each requester.
    """
    chosen = broadcast(vectors, 0)
    for n in range(requesters):
        chosen = chosen | row_wins(requests, simd_load(vectors, rows + n), broadcast(vectors, 1 << n))
    return chosen


@compiled
def matrix_after(vectors: np.ndarray, rows: int, requesters: int, chosen: Vector) -> None:
    """Give the requester `chosen`, one-hot, the least priority; none where it is 0. `rows` as in `first_by_matrix`."""
    for n in range(requesters):
        row = simd_load(vectors, rows + n)
        simd_store(vectors, rows + n, row_after(row, broadcast(vectors, 1 << n), chosen))


@compiled
def _prior(st: SwitchState, batch: int, j: int, i: int) -> Vector:
    """Return the outputs at which input port `j` has priority over another, `i`."""
    pair = outputs_get(st, batch, st.k.input_pairs + min(j, i) * st.k.ports + max(j, i))
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
                beaten = beaten | grants(st, st.k.taken + j) & _prior(st, batch, j, i)
        simd_store(st.batch_grants, st.k.granted + i, grants(st, st.k.taken + i) & ~(beaten & outputs))


@compiled
def advance_input_matrix(st: SwitchState, batch: int) -> None:
    """Give the input ports that took an output the least priority there."""
    for i in range(st.k.ports):
        for j in range(i + 1, st.k.ports):
            which = st.k.input_pairs + i * st.k.ports + j
            pair = outputs_get(st, batch, which)
            taken, above = grants(st, st.k.taken + i), grants(st, st.k.taken + j)
            outputs_put(st, batch, which, orders_after(pair, taken, above))
