"""Switch allocation of a batch, output first (iSLIP: Dally and Towles, 19.3; microarchitecture.md, section 8).

Counterpart of `models.allocate.matching`: each output grants one of the input ports that request it, each input port
accepts one of its grants, and the arbiters advance where a flit leaves. Ports without a request in any switch of the
batch are skipped.
"""

from __future__ import annotations

from models.allocate.arbiter import orders_after, won_first, won_last
from models.batched.arbiter import advance_input_matrix, first_by_matrix, grant_by_matrix, matrix_after
from models.batched.crossbar import grants, scratch
from models.batched.flit import HEAD, TAIL
from models.batched.output_sets import outputs_get, outputs_put, spread_outputs
from models.batched.vc_sets import load_vector, spread, store_vector
from models.batched.vectors import of_level, of_vc
from models.jit.compiled import compiled, compiled_noinline
from models.jit.sets import blend, first, order_after
from models.jit.simd import decode_one_hot, movemask, nonzero_mask, simd_store
from models.jit.simd_type import Vector
from models.state.registers import SwitchState

NOTHING, SENDS, DRAINS = 0, 1, 2  # results of a match


@compiled
def _ready(st: SwitchState, batch: int, i: int) -> Vector:
    """Return the VCs of input port `i` that have a flit and are not blocked by a lack of credits."""
    return load_vector(st, batch, st.k.held + of_level(st, i, 0)) & ~load_vector(st, batch, st.k.blocked + i)


@compiled
def _ask(st: SwitchState, batch: int) -> Vector:
    """Find the outputs that each input port requests; return those that any input port requests."""
    every = spread_outputs(st, 0)
    for i in range(st.k.ports):
        ready = _ready(st, batch, i)
        asks = spread_outputs(st, 0)
        if movemask(ready):
            for v in range(st.k.vcs):
                asked = outputs_get(st, batch, st.k.granted_output + of_vc(st, i, v))
                asks = asks | nonzero_mask(asks, ready & spread(st, 1 << v)) & asked
        simd_store(st.batch_grants, st.k.taken + i, asks)
        every = every | asks
    return every


@compiled
def grant_outputs(st: SwitchState, batch: int) -> None:
    """Grant each output to one of the input ports that request it, for all outputs in parallel.

    Round robin: two passes over the input ports: an output goes to the first port at or after its pointer, else to the
    first of all. Outputs that an earlier port got are masked out.
    """
    if st.k.matrix:
        grant_by_matrix(st, batch)
        return
    given = spread_outputs(st, 0)
    for i in range(st.k.ports):
        won = won_first(grants(st, st.k.taken + i), outputs_get(st, batch, st.k.input_order + i), given)
        simd_store(st.batch_grants, st.k.granted + i, won)
        given = given | won
    # The drain port is granted to every input port that requests it.
    given = given & ~spread_outputs(st, 1 << st.k.ports)
    for i in range(st.k.ports):
        won = won_last(grants(st, st.k.taken + i), given)
        simd_store(st.batch_grants, st.k.granted + i, grants(st, st.k.granted + i) | won)
        given = given | won & ~spread_outputs(st, 1 << st.k.ports)


@compiled
def _accept(st: SwitchState, batch: int, i: int) -> Vector:
    """Make input port `i` accept one of its grants and select the VC that is sent; return the output, one-hot."""
    if not movemask(grants(st, st.k.taken + i)):
        simd_store(st.batch_scratch, st.k.chosen + i, spread(st, 0))
        simd_store(st.batch_scratch, st.k.leaving + i, spread(st, 0))
        return spread_outputs(st, 0)
    accept, order = outputs_get(st, batch, st.k.output_order + i), load_vector(st, batch, st.k.vc_order + i)
    granted = grants(st, st.k.granted + i)
    if st.k.matrix:
        requesters = st.k.ports + 1
        rows = batch * st.k.batch_output_vectors + st.k.output_rows + i * requesters
        taken = first_by_matrix(st.batch_outputs, rows, requesters, granted)
        matrix_after(st.batch_outputs, rows, requesters, taken)
    else:
        taken = first(granted, accept)
        outputs_put(st, batch, st.k.output_order + i, order_after(taken, accept))
    going = spread(st, 0)
    for v in range(st.k.vcs):
        asked = outputs_get(st, batch, st.k.granted_output + of_vc(st, i, v))
        going = going | nonzero_mask(going, taken & asked) & spread(st, 1 << v)
    chosen = first(going & _ready(st, batch, i), order)
    store_vector(st, batch, st.k.vc_order + i, order_after(chosen, order))
    simd_store(st.batch_grants, st.k.taken + i, taken)
    simd_store(st.batch_scratch, st.k.chosen + i, chosen)
    _leave(st, batch, i, chosen)
    return taken


@compiled
def _leave(st: SwitchState, batch: int, i: int, chosen: Vector) -> None:
    """Encode, with their output VCs, the front flits of the VCs `chosen` of input port `i`, which leave."""
    output_vc = spread(st, 0)
    for v in range(st.k.vcs):
        owned = load_vector(st, batch, st.k.output_vc + of_vc(st, i, v))
        output_vc = output_vc | nonzero_mask(output_vc, chosen & spread(st, 1 << v)) & owned
    tail = nonzero_mask(chosen, chosen & load_vector(st, batch, st.k.tails + of_level(st, i, 0))) & spread(st, TAIL)
    claimed = load_vector(st, batch, st.k.claimed + i)
    head = nonzero_mask(chosen, chosen & claimed) & spread(st, HEAD)
    simd_store(st.batch_scratch, st.k.leaving + i, output_vc | tail | head)
    store_vector(st, batch, st.k.claimed + i, claimed & ~chosen)


@compiled
def advance_outputs(st: SwitchState, batch: int, taken: Vector) -> None:
    """Advance the arbiters of outputs `taken`: input ports above the one that took an output have priority."""
    if st.k.matrix:
        advance_input_matrix(st, batch)
        return
    above = spread_outputs(st, 0)
    for i in range(st.k.ports):
        order = outputs_get(st, batch, st.k.input_order + i)
        outputs_put(st, batch, st.k.input_order + i, orders_after(order, taken, above))
        above = above | grants(st, st.k.taken + i)


@compiled
def select_sent(st: SwitchState, o: int) -> None:
    """Select the flit that output `o` sends."""
    sent = spread(st, 0)
    for i in range(st.k.ports):
        goes = nonzero_mask(sent, grants(st, st.k.taken + i) & spread_outputs(st, 1 << o))
        sent = blend(goes, scratch(st, st.k.leaving + i), sent)
    simd_store(st.batch_scratch, st.k.sent + o, sent)
    simd_store(st.batch_scratch, st.k.sent_vcs + o, decode_one_hot(sent))


@compiled
def nothing_leaves(st: SwitchState) -> None:
    """Record that no flit leaves in this cycle."""
    for p in range(st.k.ports):
        simd_store(st.batch_scratch, st.k.chosen + p, spread(st, 0))
        simd_store(st.batch_scratch, st.k.sent + p, spread(st, 0))
        simd_store(st.batch_scratch, st.k.sent_vcs + p, spread(st, 0))


@compiled_noinline
def match_batch(st: SwitchState, batch: int) -> int:
    """Match input ports with outputs in each switch of a batch, and advance the arbiters.

    Results are in `st.batch_grants` and `st.batch_scratch` (`models.batched.crossbar`).

    Returns
    -------
    int
        NOTHING if no flit leaves, DRAINS if at least one goes to the drain port, else SENDS.
    """
    every = _ask(st, batch)
    if not movemask(every):
        nothing_leaves(st)
        return NOTHING
    grant_outputs(st, batch)
    taken = spread_outputs(st, 0)
    for i in range(st.k.ports):
        taken = taken | _accept(st, batch, i)
    advance_outputs(st, batch, taken)
    for o in range(st.k.ports):
        select_sent(st, o)
    return DRAINS if movemask(taken & spread_outputs(st, 1 << st.k.ports)) else SENDS
