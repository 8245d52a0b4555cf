"""Switch allocation of a row of switches at once, output first (docs/microarchitecture.md, section 8).

What `models.matching` does of one switch after the other: every output grants to one of the input ports that ask, every
input port accepts one of its grants, the arbiters advance where a flit leaves. Here no port is asked whether it has
anything to do: it costs no more to do it for all.
"""

from __future__ import annotations

from models.bits import index, lowest
from models.compiled import compiled, compiled_apart
from models.prefetch import prefetch
from models.request_word import request_word
from models.row_sets import DUE_WORD, arbiter_at, goal_at, ready_at, row_at
from models.rows import (
    ROW,
    ROW_SHIFT,
    Row,
    lane_of,
    row_first,
    row_lanes,
    row_load,
    row_next,
    row_of,
    row_some,
    row_spread,
    row_store,
    row_where,
)
from models.state import SwitchState

OUTPUT, VCS, OUTPUTS = 0, 1, 2  # kinds of arbiters


@compiled
def _asks_at(st: SwitchState, i: int) -> int:
    """Return where `st.row_scratch` says which outputs input port `i` asks for; later, which one it takes."""
    return i


@compiled
def _chosen_at(st: SwitchState, i: int) -> int:
    """Return where it says which VC goes there."""
    return st.k.ports + i


@compiled
def _winner_at(st: SwitchState, o: int) -> int:
    """Return where it says which input port output `o` is granted to."""
    return 2 * st.k.ports + o


@compiled
def _own(st: SwitchState, row: int, which: int) -> Row:
    """Return one of the rows of numbers of a row of switches."""
    return row_load(st.rows, row_at(st, row, which))


@compiled
def _ask(st: SwitchState, row: int) -> int:
    """Find which outputs input ports ask for; return which switches have a VC that is ready."""
    every = row_spread(0)
    for i in range(st.k.ports):
        ready = _own(st, row, ready_at(st, i))
        asks = row_spread(0)
        for v in range(st.k.vcs):
            asks = asks | row_some(ready & row_spread(1 << v)) & _own(st, row, goal_at(st, i, v))
        row_store(st.row_scratch, _asks_at(st, i), asks)
        every = every | ready
    return row_lanes(every)


@compiled
def _grant(st: SwitchState, row: int, o: int) -> None:
    """Grant output `o` to one of the input ports that ask for it."""
    asking = row_spread(0)
    for i in range(st.k.ports):
        asks = row_load(st.row_scratch, _asks_at(st, i)) & row_spread(1 << o)
        asking = asking | row_some(asks) & row_spread(1 << i)
    winner = row_first(asking, _own(st, row, arbiter_at(st, OUTPUT, o)))
    row_store(st.row_scratch, _winner_at(st, o), winner)


@compiled
def _accept(st: SwitchState, row: int, i: int) -> Row:
    """Let input port `i` take one of its grants, and choose the VC that goes there; return what it takes."""
    ready = _own(st, row, ready_at(st, i))
    # Nowhere, if it asks for that, is granted to all.
    grants = row_load(st.row_scratch, _asks_at(st, i)) & row_spread(1 << st.k.ports)
    for o in range(st.k.ports):
        won = row_load(st.row_scratch, _winner_at(st, o)) & row_spread(1 << i)
        grants = grants | row_some(won) & row_spread(1 << o)
    accept = row_at(st, row, arbiter_at(st, OUTPUTS, i))
    taken = row_first(grants, row_load(st.rows, accept))
    going = row_spread(0)
    for v in range(st.k.vcs):
        going = going | row_some(taken & _own(st, row, goal_at(st, i, v))) & row_spread(1 << v)
    order = row_at(st, row, arbiter_at(st, VCS, i))
    chosen = row_first(going & ready, row_load(st.rows, order))
    row_store(st.row_scratch, _asks_at(st, i), taken)
    row_store(st.row_scratch, _chosen_at(st, i), chosen)
    goes = row_some(taken)
    row_store(st.rows, accept, row_where(goes, row_next(taken, st.k.ports + 1), row_load(st.rows, accept)))
    row_store(st.rows, order, row_where(goes, row_next(chosen, st.k.vcs), row_load(st.rows, order)))
    return taken


@compiled
def _accepted(st: SwitchState, row: int, o: int, taken: Row) -> None:
    """Advance the arbiter of output `o` if it is among the outputs `taken`: then by the port that it was granted to."""
    place = row_at(st, row, arbiter_at(st, OUTPUT, o))
    after = row_next(row_load(st.row_scratch, _winner_at(st, o)), st.k.ports)
    row_store(st.rows, place, row_where(row_some(taken & row_spread(1 << o)), after, row_load(st.rows, place)))


@compiled
def _list(st: SwitchState, row: int, i: int, count: int) -> int:
    """List in `st.row_moves`, behind the first `count`, what input ports `i` and i + 1 send; return how many are."""
    lanes = row_lanes(row_load(st.row_scratch, _asks_at(st, i)))
    if i + 1 < st.k.ports:
        lanes |= row_lanes(row_load(st.row_scratch, _asks_at(st, i + 1))) << ROW
    outputs, vcs = _asks_at(st, i) << ROW_SHIFT, _chosen_at(st, i) << ROW_SHIFT
    while lanes:
        n = lowest(lanes)
        lanes &= lanes - 1
        s, p = index(row * ROW + lane_of(n)), index(i + row_of(n))
        o = lowest(int(st.row_scratch[index(outputs + n)]))
        v = lowest(int(st.row_scratch[index(vcs + n)]))
        st.row_moves[index(count)] = request_word(s, p, v, o)
        prefetch(st.vc, (s, p, v))
        prefetch(st.counters, (s, o, 0))
        count += 1
    return count


@compiled_apart
def _match(st: SwitchState, row: int, count: int) -> int:
    """Match the switches of a row; return how many moves are listed, which were `count`."""
    if not _ask(st, row):
        return count
    for o in range(st.k.ports):
        _grant(st, row, o)
    taken = row_spread(0)
    for i in range(st.k.ports):
        taken = taken | _accept(st, row, i)
    for o in range(st.k.ports):
        _accepted(st, row, o, taken)
    for i in range(0, st.k.ports, 2):
        count = _list(st, row, i, count)
    return count


@compiled_apart
def match_rows(st: SwitchState) -> int:
    """Match, from the registers, all switches of the rows in which any may move.

    Returns
    -------
    int
        How many moves there are, in `st.row_moves`. Rows in which none is are not due until something comes.
    """
    count = 0
    for word in range(len(st.row_due_words)):
        rest = int(st.row_due_words[word])
        while rest:
            bit = lowest(rest)
            rest ^= 1 << bit
            row = index(word * DUE_WORD + (bit >> 3))
            before = count
            count = _match(st, row, count)
            st.row_due[row] = int(count != before)
    return count
