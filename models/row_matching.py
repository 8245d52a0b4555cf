"""Switch allocation of a row of switches at once, output first (docs/microarchitecture.md, section 8).

What `models.matching` does of one switch after the other: every output grants to one of the input ports that ask, every
input port accepts one of its grants, the arbiters advance where a flit leaves. Ports that ask for nothing, in no switch
of the row, are left out.
"""

from __future__ import annotations

from models.compiled import compiled, compiled_apart
from models.row_kind import Row
from models.row_leaving import chosen_at, leaving_at, scratch, sent_at, taken_at, winner_at
from models.row_sets import (
    arbiter_at,
    blocked_at,
    claimed_at,
    goal_at,
    head_bit,
    held_at,
    row_get,
    row_put,
    spread,
    tail_at,
    tail_bit,
    way_at,
)
from models.rows import row_first, row_lanes, row_next, row_some, row_store, row_where
from models.state import SwitchState

OUTPUT, VCS, OUTPUTS = 0, 1, 2  # kinds of arbiters
NOTHING, SENDS, DRAINS = 0, 1, 2  # what a match comes to


@compiled
def _ready(st: SwitchState, row: int, i: int) -> Row:
    """Return the VCs of input port `i` with a flit that may leave, but for what they lack an output VC."""
    return row_get(st, row, held_at(st, i, 0)) & ~row_get(st, row, blocked_at(st, i))


@compiled
def _ask(st: SwitchState, row: int) -> Row:
    """Find which outputs input ports ask for; return which any asks for."""
    every = spread(st, 0)
    for i in range(st.k.ports):
        ready = _ready(st, row, i)
        asks = spread(st, 0)
        if row_lanes(ready):
            for v in range(st.k.vcs):
                asks = asks | row_some(ready & spread(st, 1 << v)) & row_get(st, row, goal_at(st, i, v))
        row_store(st.row_scratch, taken_at(st, i), asks)
        every = every | asks
    return every


@compiled
def _grant(st: SwitchState, row: int, o: int) -> None:
    """Grant output `o` to one of the input ports that ask for it."""
    asking = spread(st, 0)
    for i in range(st.k.ports):
        asks = scratch(st, taken_at(st, i)) & spread(st, 1 << o)
        asking = asking | row_some(asks) & spread(st, 1 << i)
    winner = row_first(asking, row_get(st, row, arbiter_at(st, OUTPUT, o)))
    row_store(st.row_scratch, winner_at(st, o), winner)


@compiled
def _accept(st: SwitchState, row: int, i: int) -> Row:
    """Let input port `i` take one of its grants, and choose the VC that goes there; return what it takes."""
    asks = scratch(st, taken_at(st, i))
    if not row_lanes(asks):
        row_store(st.row_scratch, chosen_at(st, i), asks)
        row_store(st.row_scratch, leaving_at(st, i), asks)
        return asks
    # Nowhere, if it asks for that, is granted to all.
    grants = asks & spread(st, 1 << st.k.ports)
    for o in range(st.k.ports):
        won = scratch(st, winner_at(st, o)) & spread(st, 1 << i)
        grants = grants | row_some(won) & spread(st, 1 << o)
    accept, order = arbiter_at(st, OUTPUTS, i), arbiter_at(st, VCS, i)
    taken = row_first(grants, row_get(st, row, accept))
    going = spread(st, 0)
    for v in range(st.k.vcs):
        going = going | row_some(taken & row_get(st, row, goal_at(st, i, v))) & spread(st, 1 << v)
    chosen = row_first(going & _ready(st, row, i), row_get(st, row, order))
    goes = row_some(taken)
    row_put(st, row, accept, row_where(goes, row_next(taken, st.k.ports + 1), row_get(st, row, accept)))
    row_put(st, row, order, row_where(goes, row_next(chosen, st.k.vcs), row_get(st, row, order)))
    row_store(st.row_scratch, taken_at(st, i), taken)
    row_store(st.row_scratch, chosen_at(st, i), chosen)
    _leave(st, row, i, chosen)
    return taken


@compiled
def _leave(st: SwitchState, row: int, i: int, chosen: Row) -> None:
    """Find what the front flits of VCs of input port `i`, which leave, are at their outputs."""
    way = spread(st, 0)
    for v in range(st.k.vcs):
        way = way | row_some(chosen & spread(st, 1 << v)) & row_get(st, row, way_at(st, i, v))
    tail = row_some(chosen & row_get(st, row, tail_at(st, i, 0))) & spread(st, tail_bit(st))
    claimed = row_get(st, row, claimed_at(st, i))
    head = row_some(chosen & claimed) & spread(st, head_bit(st))
    row_store(st.row_scratch, leaving_at(st, i), way | tail | head)
    row_put(st, row, claimed_at(st, i), claimed & ~chosen)


@compiled
def _send(st: SwitchState, row: int, o: int) -> None:
    """Find what output `o` sends; advance its arbiter if that is anything, by the port that it was granted to."""
    sent = spread(st, 0)
    for i in range(st.k.ports):
        goes = row_some(scratch(st, taken_at(st, i)) & spread(st, 1 << o))
        sent = sent | goes & scratch(st, leaving_at(st, i))
    row_store(st.row_scratch, sent_at(st, o), sent)
    which = arbiter_at(st, OUTPUT, o)
    after = row_next(scratch(st, winner_at(st, o)), st.k.ports)
    row_put(st, row, which, row_where(row_some(sent), after, row_get(st, row, which)))


@compiled_apart
def match_row(st: SwitchState, row: int) -> int:
    """Match the switches of a row, from the registers; what leaves its buffer is then in `st.row_scratch`.

    Arbiters have advanced.

    Returns
    -------
    int
        NOTHING if no flit leaves, DRAINS if any of those that do goes nowhere, else SENDS.
    """
    every = _ask(st, row)
    if not row_lanes(every):
        for p in range(st.k.ports):
            row_store(st.row_scratch, chosen_at(st, p), every)
            row_store(st.row_scratch, sent_at(st, p), every)
        return NOTHING
    for o in range(st.k.ports):
        _grant(st, row, o)
    taken = spread(st, 0)
    for i in range(st.k.ports):
        taken = taken | _accept(st, row, i)
    for o in range(st.k.ports):
        _send(st, row, o)
    return DRAINS if row_lanes(taken & spread(st, 1 << st.k.ports)) else SENDS
