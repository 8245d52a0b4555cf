"""Counters of a row of switches at once: in the row itself, and before they overflow brought to where others are.

A row counts at most 1 of anything in a visit, and how often it is visited.
"""

from __future__ import annotations

from models.bits import index
from models.compiled import compiled, compiled_apart
from models.formats import Counter
from models.row_kind import Row, row_bits, row_size
from models.row_sets import (
    COUNTS,
    count_at,
    flits_sent_at,
    row_get,
    row_number,
    row_put,
    row_set,
    spread,
    tail_bit,
    vc_bits,
)
from models.rows import row_some
from models.state import SwitchState

IN, PACKETS, OUT = 0, 1, 2  # kinds of counts
FLITS_IN, PACKETS_IN = int(Counter.FLITS_IN), int(Counter.PACKETS_IN)
FLITS_OUT, PACKETS_OUT = int(Counter.FLITS_OUT), int(Counter.PACKETS_OUT)


@compiled
def _count(st: SwitchState, row: int, which: int, what: Row) -> None:
    """Add 1 where there is anything: all bits are −1."""
    row_put(st, row, which, row_get(st, row, which) + -row_some(what))


@compiled
def row_count_in(st: SwitchState, row: int, i: int, flits: Row) -> None:
    """Count flits that come to an input port: the VC of each as one bit, with `tail_bit` if it is a packet's last."""
    _count(st, row, count_at(st, IN, i), flits & spread(st, vc_bits(st)))
    _count(st, row, count_at(st, PACKETS, i), flits & spread(st, tail_bit(st)))


@compiled
def row_count_out(st: SwitchState, row: int, o: int, flits: Row) -> None:
    """Count flits that leave through an output, and the packets that end with them."""
    _count(st, row, count_at(st, OUT, o), flits & spread(st, tail_bit(st)))
    for w in range(st.k.vcs):
        _count(st, row, flits_sent_at(st, o, w), flits & spread(st, 1 << w))


@compiled
def _flits_out(st: SwitchState, s: int, o: int) -> int:
    flits = 0
    for w in range(st.k.vcs):
        flits += row_number(st, s, flits_sent_at(st, o, w))
    return flits


@compiled
def counted_in_row(st: SwitchState, s: int, p: int, counter: int) -> int:
    """Return what a row has counted of an event that is not yet with the other counters."""
    if counter == FLITS_IN:
        return row_number(st, s, count_at(st, IN, p))
    if counter == PACKETS_IN:
        return row_number(st, s, count_at(st, PACKETS, p))
    if counter == FLITS_OUT:
        return _flits_out(st, s, p)
    if counter == PACKETS_OUT:
        return row_number(st, s, count_at(st, OUT, p))
    return 0


@compiled
def most_visits(st: SwitchState) -> int:
    """Return how many visits a row can count."""
    return (1 << row_bits(st.rows)) - 1


@compiled
def row_visited(st: SwitchState, row: int) -> None:
    """Note that a row has counted for one visit more."""
    visits = index(st.row_visits[row]) + 1
    st.row_visits[row] = visits
    if visits == most_visits(st):
        _settle_row(st, row)


@compiled_apart
def _settle_row(st: SwitchState, row: int) -> None:
    """Bring what a row has counted to the other counters, and what it has sent to `row_sent`."""
    st.row_visits[row] = 0
    first = row * row_size(st.rows)
    for s in range(first, min(first + row_size(st.rows), len(st.switch))):
        for p in range(st.k.ports):
            for counter in (FLITS_IN, PACKETS_IN, FLITS_OUT, PACKETS_OUT):
                st.counters[s, p, counter] += counted_in_row(st, s, p, counter)
            for kind in range(COUNTS):
                row_set(st, s, count_at(st, kind, p), 0)
            for w in range(st.k.vcs):
                st.row_sent[s, p, w] += row_number(st, s, flits_sent_at(st, p, w))
                row_set(st, s, flits_sent_at(st, p, w), 0)


@compiled_apart
def settle_rows(st: SwitchState) -> None:
    """Bring what all rows have counted to where others are."""
    for row in range(st.row_count):
        _settle_row(st, row)
