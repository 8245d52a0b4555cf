"""Switch allocation of a row of switches at once, output first (docs/microarchitecture.md, section 8).

What `models.allocate.matching` does of one switch after the other: every output grants to one of the input ports that
ask, every input port accepts one of its grants, the arbiters advance where a flit leaves. Ports that ask for nothing,
in no switch of the row, are left out.
"""

from __future__ import annotations

from models.batched.crossbar import chosen_at, granted_at, grants, leaving_at, scratch, sent_at, sent_vcs_at, taken_at
from models.batched.flit import HEAD, TAIL
from models.batched.output_sets import goal_at, output_order_at, outputs_get, outputs_put, spread_outputs, turn_at
from models.batched.vc_sets import (
    blocked_at,
    claimed_at,
    held_at,
    order_at,
    row_get,
    row_put,
    spread,
    tail_at,
    way_at,
)
from models.jit.compiled import compiled, compiled_apart
from models.jit.simd import row_after, row_first, row_lanes, row_one_hot, row_some, row_store, row_where
from models.jit.simd_type import Row
from models.state.registers import SwitchState

NOTHING, SENDS, DRAINS = 0, 1, 2  # what a match comes to


@compiled
def _ready(st: SwitchState, row: int, i: int) -> Row:
    """Return the VCs of input port `i` with a flit that may leave, but for what they lack an output VC."""
    return row_get(st, row, held_at(st, i, 0)) & ~row_get(st, row, blocked_at(st, i))


@compiled
def _ask(st: SwitchState, row: int) -> Row:
    """Find which outputs input ports ask for; return which any asks for."""
    every = spread_outputs(st, 0)
    for i in range(st.k.ports):
        ready = _ready(st, row, i)
        asks = spread_outputs(st, 0)
        if row_lanes(ready):
            for v in range(st.k.vcs):
                asks = asks | row_some(asks, ready & spread(st, 1 << v)) & outputs_get(st, row, goal_at(st, i, v))
        row_store(st.row_grants, taken_at(st, i), asks)
        every = every | asks
    return every


@compiled
def _grant(st: SwitchState, row: int) -> None:
    """Grant each output to one of the input ports that ask for it: the first whose turn it is, or else of all.

    Input ports one after the other, of each what it may have of what nobody has before it.
    """
    given = spread_outputs(st, 0)
    for i in range(st.k.ports):
        turn = grants(st, taken_at(st, i)) & outputs_get(st, row, turn_at(st, i))
        row_store(st.row_grants, granted_at(st, i), turn & ~given)
        given = given | turn
    # Nowhere is granted to all.
    given = given & ~spread_outputs(st, 1 << st.k.ports)
    for i in range(st.k.ports):
        asks = grants(st, taken_at(st, i))
        row_store(st.row_grants, granted_at(st, i), grants(st, granted_at(st, i)) | asks & ~given)
        given = given | asks & ~spread_outputs(st, 1 << st.k.ports)


@compiled
def _accept(st: SwitchState, row: int, i: int) -> Row:
    """Let input port `i` take one of its grants, and choose the VC that goes there; return what it takes."""
    if not row_lanes(grants(st, taken_at(st, i))):
        row_store(st.row_scratch, chosen_at(st, i), spread(st, 0))
        row_store(st.row_scratch, leaving_at(st, i), spread(st, 0))
        return spread_outputs(st, 0)
    accept, order = outputs_get(st, row, output_order_at(st, i)), row_get(st, row, order_at(st, i))
    taken = row_first(grants(st, granted_at(st, i)), accept)
    going = spread(st, 0)
    for v in range(st.k.vcs):
        going = going | row_some(going, taken & outputs_get(st, row, goal_at(st, i, v))) & spread(st, 1 << v)
    chosen = row_first(going & _ready(st, row, i), order)
    outputs_put(st, row, output_order_at(st, i), row_where(row_some(taken, taken), row_after(taken), accept))
    row_put(st, row, order_at(st, i), row_where(row_some(order, taken), row_after(chosen), order))
    row_store(st.row_grants, taken_at(st, i), taken)
    row_store(st.row_scratch, chosen_at(st, i), chosen)
    _leave(st, row, i, chosen)
    return taken


@compiled
def _leave(st: SwitchState, row: int, i: int, chosen: Row) -> None:
    """Find what the front flits of VCs of input port `i`, which leave, are at their outputs."""
    way = spread(st, 0)
    for v in range(st.k.vcs):
        way = way | row_some(way, chosen & spread(st, 1 << v)) & row_get(st, row, way_at(st, i, v))
    tail = row_some(chosen, chosen & row_get(st, row, tail_at(st, i, 0))) & spread(st, TAIL)
    claimed = row_get(st, row, claimed_at(st, i))
    head = row_some(chosen, chosen & claimed) & spread(st, HEAD)
    row_store(st.row_scratch, leaving_at(st, i), way | tail | head)
    row_put(st, row, claimed_at(st, i), claimed & ~chosen)


@compiled
def _advance(st: SwitchState, row: int, taken: Row) -> None:
    """Have the outputs that are `taken` look first at input ports above the one that took them."""
    above = spread_outputs(st, 0)
    for i in range(st.k.ports):
        outputs_put(st, row, turn_at(st, i), outputs_get(st, row, turn_at(st, i)) & ~taken | above)
        above = above | grants(st, taken_at(st, i))


@compiled
def _send(st: SwitchState, o: int) -> None:
    """Find what output `o` sends."""
    sent = spread(st, 0)
    for i in range(st.k.ports):
        goes = row_some(sent, grants(st, taken_at(st, i)) & spread_outputs(st, 1 << o))
        sent = row_where(goes, scratch(st, leaving_at(st, i)), sent)
    row_store(st.row_scratch, sent_at(st, o), sent)
    row_store(st.row_scratch, sent_vcs_at(st, o), row_one_hot(sent))


@compiled_apart
def match_row(st: SwitchState, row: int) -> int:
    """Match the switches of a row, from the registers; what leaves is then in `st.row_grants` and `st.row_scratch`.

    Arbiters have advanced.

    Returns
    -------
    int
        NOTHING if no flit leaves, DRAINS if any of those that do goes nowhere, else SENDS.
    """
    every = _ask(st, row)
    if not row_lanes(every):
        for p in range(st.k.ports):
            row_store(st.row_scratch, chosen_at(st, p), spread(st, 0))
            row_store(st.row_scratch, sent_at(st, p), spread(st, 0))
            row_store(st.row_scratch, sent_vcs_at(st, p), spread(st, 0))
        return NOTHING
    _grant(st, row)
    taken = spread_outputs(st, 0)
    for i in range(st.k.ports):
        taken = taken | _accept(st, row, i)
    _advance(st, row, taken)
    for o in range(st.k.ports):
        _send(st, o)
    return DRAINS if row_lanes(taken & spread_outputs(st, 1 << st.k.ports)) else SENDS
