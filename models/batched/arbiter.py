"""Matrix arbiters of a batch; counterpart of `models.allocate.arbiter.matrix` (Dally and Towles, 18.5).

An arbiter over the VCs of an input port, or over outputs, has a row for each requester: the set of those over which it
has priority. All arbiters of outputs choose at once, each in its own bit: there is a set of outputs for each pair of
input ports, those at which the lower one has priority.
"""

from __future__ import annotations

from models.allocate.arbiter import orders_after, row_after, row_wins
from models.batched.crossbar import grants
from models.batched.output_sets import outputs_get, outputs_put, spread_outputs
from models.batched.vc_sets import load_vector, spread, store_vector
from models.batched.vectors import of_vc
from models.jit.compiled import compiled
from models.jit.simd import simd_store
from models.jit.simd_type import Vector
from models.state.registers import SwitchState


@compiled
def vc_of_matrix(st: SwitchState, batch: int, i: int, requests: Vector) -> Vector:
    """Return, one-hot, the VC of input port `i` that has priority over all others of `requests`."""
    chosen = spread(st, 0)
    for v in range(st.k.vcs):
        row = load_vector(st, batch, st.k.vc_rows + of_vc(st, i, v))
        chosen = chosen | row_wins(requests, row, spread(st, 1 << v))
    return chosen


@compiled
def advance_vc_matrix(st: SwitchState, batch: int, i: int, chosen: Vector) -> None:
    """Give the VC `chosen` of input port `i`, one-hot, the least priority; none where it is 0."""
    for v in range(st.k.vcs):
        which = st.k.vc_rows + of_vc(st, i, v)
        store_vector(st, batch, which, row_after(load_vector(st, batch, which), spread(st, 1 << v), chosen))


@compiled
def output_of_matrix(st: SwitchState, batch: int, i: int, granted: Vector) -> Vector:
    """Return, one-hot, the output that input port `i` accepts: that with priority over all others of `granted`."""
    chosen = spread_outputs(st, 0)
    for o in range(st.k.ports + 1):
        row = outputs_get(st, batch, st.k.output_rows + i * (st.k.ports + 1) + o)
        chosen = chosen | row_wins(granted, row, spread_outputs(st, 1 << o))
    return chosen


@compiled
def advance_output_matrix(st: SwitchState, batch: int, i: int, taken: Vector) -> None:
    """Give the output `taken` of input port `i`, one-hot, the least priority; none where it is 0."""
    for o in range(st.k.ports + 1):
        which = st.k.output_rows + i * (st.k.ports + 1) + o
        row = outputs_get(st, batch, which)
        outputs_put(st, batch, which, row_after(row, spread_outputs(st, 1 << o), taken))


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
