"""Switch allocation of a row of switches at once, output first (docs/microarchitecture.md, section 8).

What `models.matching` does of one switch after the other: every output grants to one of the input ports that ask, every
input port accepts one of its grants, the arbiters advance where a flit leaves. Ports that ask for nothing, in no switch
of the row, are left out.
"""

from __future__ import annotations

from models.compiled import compiled, compiled_apart
from models.row_sets import (
    HEAD,
    TAIL,
    arbiter_at,
    blocked_at,
    claimed_at,
    goal_at,
    held_at,
    row_get,
    row_put,
    tail_at,
)
from models.rows import (
    Row,
    row_first,
    row_lanes,
    row_load,
    row_next,
    row_some,
    row_spread,
    row_store,
    row_where,
)
from models.state import SwitchState

OUTPUT, VCS, OUTPUTS = 0, 1, 2  # kinds of arbiters
SCRATCH = 5  # rows of `st.row_scratch`, for each port


@compiled
def taken_at(st: SwitchState, i: int) -> int:
    """Return where `st.row_scratch` says which output input port `i` takes; before, which ones it asks for."""
    return i


@compiled
def chosen_at(st: SwitchState, i: int) -> int:
    """Return where it says which VC goes there."""
    return st.k.ports + i


@compiled
def kind_at(st: SwitchState, i: int) -> int:
    """Return where it says what flit that is: HEAD, TAIL."""
    return 2 * st.k.ports + i


@compiled
def sent_at(st: SwitchState, o: int) -> int:
    """Return where it says on what VC output `o` sends a flit, one bit, with HEAD and TAIL."""
    return 3 * st.k.ports + o


@compiled
def _winner_at(st: SwitchState, o: int) -> int:
    """Return where it says which input port output `o` is granted to."""
    return 4 * st.k.ports + o


@compiled
def scratch(st: SwitchState, which: int) -> Row:
    """Return a row of the scratch."""
    return row_load(st.row_scratch, which)


@compiled
def _ready(st: SwitchState, row: int, i: int) -> Row:
    """Return the VCs of input port `i` with a flit that may leave, but for what they lack an output VC."""
    return row_get(st, row, held_at(st, i, 0)) & ~row_get(st, row, blocked_at(st, i))


@compiled
def _ask(st: SwitchState, row: int) -> Row:
    """Find which outputs input ports ask for; return which any asks for."""
    every = row_spread(0)
    for i in range(st.k.ports):
        ready = _ready(st, row, i)
        asks = row_spread(0)
        if row_lanes(ready):
            for v in range(st.k.vcs):
                asks = asks | row_some(ready & row_spread(1 << v)) & row_get(st, row, goal_at(st, i, v))
        row_store(st.row_scratch, taken_at(st, i), asks)
        every = every | asks
    return every


@compiled
def _grant(st: SwitchState, row: int, o: int) -> None:
    """Grant output `o` to one of the input ports that ask for it."""
    asking = row_spread(0)
    for i in range(st.k.ports):
        asks = scratch(st, taken_at(st, i)) & row_spread(1 << o)
        asking = asking | row_some(asks) & row_spread(1 << i)
    winner = row_first(asking, row_get(st, row, arbiter_at(st, OUTPUT, o)))
    row_store(st.row_scratch, _winner_at(st, o), winner)


@compiled
def _accept(st: SwitchState, row: int, i: int) -> Row:
    """Let input port `i` take one of its grants, and choose the VC that goes there; return what it takes."""
    asks = scratch(st, taken_at(st, i))
    if not row_lanes(asks):
        row_store(st.row_scratch, chosen_at(st, i), asks)
        return asks
    # Nowhere, if it asks for that, is granted to all.
    grants = asks & row_spread(1 << st.k.ports)
    for o in range(st.k.ports):
        won = scratch(st, _winner_at(st, o)) & row_spread(1 << i)
        grants = grants | row_some(won) & row_spread(1 << o)
    accept, order = arbiter_at(st, OUTPUTS, i), arbiter_at(st, VCS, i)
    taken = row_first(grants, row_get(st, row, accept))
    going = row_spread(0)
    for v in range(st.k.vcs):
        going = going | row_some(taken & row_get(st, row, goal_at(st, i, v))) & row_spread(1 << v)
    chosen = row_first(going & _ready(st, row, i), row_get(st, row, order))
    goes = row_some(taken)
    row_put(st, row, accept, row_where(goes, row_next(taken, st.k.ports + 1), row_get(st, row, accept)))
    row_put(st, row, order, row_where(goes, row_next(chosen, st.k.vcs), row_get(st, row, order)))
    row_store(st.row_scratch, taken_at(st, i), taken)
    row_store(st.row_scratch, chosen_at(st, i), chosen)
    _show_kind(st, row, i, chosen)
    return taken


@compiled
def _show_kind(st: SwitchState, row: int, i: int, chosen: Row) -> None:
    """Find whether the front flits of VCs of input port `i`, which leave, are heads and tails."""
    tail = row_some(chosen & row_get(st, row, tail_at(st, i, 0))) & row_spread(TAIL)
    claimed = row_get(st, row, claimed_at(st, i))
    row_store(st.row_scratch, kind_at(st, i), tail | row_some(chosen & claimed) & row_spread(HEAD))
    row_put(st, row, claimed_at(st, i), claimed & ~chosen)


@compiled
def _accepted(st: SwitchState, row: int, o: int, taken: Row) -> None:
    """Advance the arbiter of output `o` if it is among the outputs `taken`: then by the port that it was granted to."""
    which = arbiter_at(st, OUTPUT, o)
    after = row_next(scratch(st, _winner_at(st, o)), st.k.ports)
    row_put(st, row, which, row_where(row_some(taken & row_spread(1 << o)), after, row_get(st, row, which)))


@compiled_apart
def match_row(st: SwitchState, row: int) -> bool:
    """Match the switches of a row, from the registers; return whether any flit leaves its buffer.

    What leaves is then in `st.row_scratch`, and arbiters have advanced.
    """
    every = _ask(st, row)
    if not row_lanes(every):
        for i in range(st.k.ports):
            row_store(st.row_scratch, chosen_at(st, i), every)
        return False
    for o in range(st.k.ports):
        _grant(st, row, o)
    taken = row_spread(0)
    for i in range(st.k.ports):
        taken = taken | _accept(st, row, i)
    for o in range(st.k.ports):
        _accepted(st, row, o, taken)
    return True
