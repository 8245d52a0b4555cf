"""Switch allocation of a batch, output first (iSLIP: Dally and Towles, 19.3; microarchitecture.md, section 8).

Counterpart of `models.allocate.matching`: each output grants one of the input ports that request it, each input port
accepts one of its grants, and the arbiters advance where a flit leaves. Ports without a request in any switch of the
batch are skipped.
"""

from __future__ import annotations

from models.allocate.arbiter import orders_after, won_first, won_last
from models.batched.arbiter import advance_input_matrix, advance_output_matrix, grant_by_matrix, output_of_matrix
from models.batched.crossbar import chosen_at, granted_at, grants, leaving_at, scratch, sent_at, sent_vcs_at, taken_at
from models.batched.flit import HEAD, TAIL
from models.batched.output_sets import (
    granted_output_at,
    input_order_at,
    output_order_at,
    outputs_get,
    outputs_put,
    spread_outputs,
)
from models.batched.vc_sets import (
    blocked_at,
    claimed_at,
    held_at,
    load_vector,
    output_vc_at,
    spread,
    store_vector,
    tail_at,
    vc_order_at,
)
from models.jit.compiled import compiled, compiled_noinline
from models.jit.sets import blend, first, order_after
from models.jit.simd import decode_one_hot, movemask, nonzero_mask, simd_store
from models.jit.simd_type import Vector
from models.state.registers import SwitchState

NOTHING, SENDS, DRAINS = 0, 1, 2  # results of a match


@compiled
def _ready(st: SwitchState, batch: int, i: int) -> Vector:
    """Return the VCs of input port `i` that have a flit and are not blocked by a lack of credits."""
    return load_vector(st, batch, held_at(st, i, 0)) & ~load_vector(st, batch, blocked_at(st, i))


@compiled
def _ask(st: SwitchState, batch: int) -> Vector:
    """Find the outputs that each input port requests; return those that any input port requests."""
    every = spread_outputs(st, 0)
    for i in range(st.k.ports):
        ready = _ready(st, batch, i)
        asks = spread_outputs(st, 0)
        if movemask(ready):
            for v in range(st.k.vcs):
                asks = asks | nonzero_mask(asks, ready & spread(st, 1 << v)) & outputs_get(
                    st, batch, granted_output_at(st, i, v)
                )
        simd_store(st.batch_grants, taken_at(st, i), asks)
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
        won = won_first(grants(st, taken_at(st, i)), outputs_get(st, batch, input_order_at(st, i)), given)
        simd_store(st.batch_grants, granted_at(st, i), won)
        given = given | won
    # The drain port is granted to every input port that requests it.
    given = given & ~spread_outputs(st, 1 << st.k.ports)
    for i in range(st.k.ports):
        won = won_last(grants(st, taken_at(st, i)), given)
        simd_store(st.batch_grants, granted_at(st, i), grants(st, granted_at(st, i)) | won)
        given = given | won & ~spread_outputs(st, 1 << st.k.ports)


@compiled
def _accept(st: SwitchState, batch: int, i: int) -> Vector:
    """Make input port `i` accept one of its grants and select the VC that is sent; return the output, one-hot."""
    if not movemask(grants(st, taken_at(st, i))):
        simd_store(st.batch_scratch, chosen_at(st, i), spread(st, 0))
        simd_store(st.batch_scratch, leaving_at(st, i), spread(st, 0))
        return spread_outputs(st, 0)
    accept, order = outputs_get(st, batch, output_order_at(st, i)), load_vector(st, batch, vc_order_at(st, i))
    granted = grants(st, granted_at(st, i))
    taken = output_of_matrix(st, batch, i, granted) if st.k.matrix else first(granted, accept)
    going = spread(st, 0)
    for v in range(st.k.vcs):
        going = going | nonzero_mask(going, taken & outputs_get(st, batch, granted_output_at(st, i, v))) & spread(
            st, 1 << v
        )
    chosen = first(going & _ready(st, batch, i), order)
    if st.k.matrix:
        advance_output_matrix(st, batch, i, taken)
    else:
        outputs_put(st, batch, output_order_at(st, i), order_after(taken, accept))
    store_vector(st, batch, vc_order_at(st, i), order_after(chosen, order))
    simd_store(st.batch_grants, taken_at(st, i), taken)
    simd_store(st.batch_scratch, chosen_at(st, i), chosen)
    _leave(st, batch, i, chosen)
    return taken


@compiled
def _leave(st: SwitchState, batch: int, i: int, chosen: Vector) -> None:
    """Encode, with their output VCs, the front flits of the VCs `chosen` of input port `i`, which leave."""
    output_vc = spread(st, 0)
    for v in range(st.k.vcs):
        output_vc = output_vc | nonzero_mask(output_vc, chosen & spread(st, 1 << v)) & load_vector(
            st, batch, output_vc_at(st, i, v)
        )
    tail = nonzero_mask(chosen, chosen & load_vector(st, batch, tail_at(st, i, 0))) & spread(st, TAIL)
    claimed = load_vector(st, batch, claimed_at(st, i))
    head = nonzero_mask(chosen, chosen & claimed) & spread(st, HEAD)
    simd_store(st.batch_scratch, leaving_at(st, i), output_vc | tail | head)
    store_vector(st, batch, claimed_at(st, i), claimed & ~chosen)


@compiled
def advance_outputs(st: SwitchState, batch: int, taken: Vector) -> None:
    """Advance the arbiters of outputs `taken`: input ports above the one that took an output have priority."""
    if st.k.matrix:
        advance_input_matrix(st, batch)
        return
    above = spread_outputs(st, 0)
    for i in range(st.k.ports):
        order = outputs_get(st, batch, input_order_at(st, i))
        outputs_put(st, batch, input_order_at(st, i), orders_after(order, taken, above))
        above = above | grants(st, taken_at(st, i))


@compiled
def select_sent(st: SwitchState, o: int) -> None:
    """Select the flit that output `o` sends."""
    sent = spread(st, 0)
    for i in range(st.k.ports):
        goes = nonzero_mask(sent, grants(st, taken_at(st, i)) & spread_outputs(st, 1 << o))
        sent = blend(goes, scratch(st, leaving_at(st, i)), sent)
    simd_store(st.batch_scratch, sent_at(st, o), sent)
    simd_store(st.batch_scratch, sent_vcs_at(st, o), decode_one_hot(sent))


@compiled
def nothing_leaves(st: SwitchState) -> None:
    """Record that no flit leaves in this cycle."""
    for p in range(st.k.ports):
        simd_store(st.batch_scratch, chosen_at(st, p), spread(st, 0))
        simd_store(st.batch_scratch, sent_at(st, p), spread(st, 0))
        simd_store(st.batch_scratch, sent_vcs_at(st, p), spread(st, 0))


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
