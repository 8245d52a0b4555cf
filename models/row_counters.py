"""Counters of a row of switches at once: in the row itself, and before they overflow brought to where others are."""

from __future__ import annotations

from models.compiled import compiled, compiled_apart
from models.formats import Counter
from models.row_sets import COUNTS, TAIL, VC_BITS, count_at, flits_sent_at, row_get, row_number, row_put, row_set
from models.rows import ROW_BITS, Row, row_some, row_spread
from models.state import SwitchState

MOST = (1 << ROW_BITS) - 1  # cycles that a row can count
IN, PACKETS, OUT = 0, 1, 2  # kinds of counts
FLITS_IN, PACKETS_IN = int(Counter.FLITS_IN), int(Counter.PACKETS_IN)
FLITS_OUT, PACKETS_OUT = int(Counter.FLITS_OUT), int(Counter.PACKETS_OUT)


@compiled
def _count(st: SwitchState, row: int, which: int, what: Row) -> None:
    """Add 1 where there is anything: all bits are −1."""
    row_put(st, row, which, row_get(st, row, which) + -row_some(what))


@compiled
def row_count_in(st: SwitchState, row: int, i: int, flits: Row) -> None:
    """Count flits that come to an input port: the VC of each as one bit, with TAIL if it is a packet's last."""
    _count(st, row, count_at(st, IN, i), flits & row_spread(VC_BITS))
    _count(st, row, count_at(st, PACKETS, i), flits & row_spread(TAIL))


@compiled
def row_count_out(st: SwitchState, row: int, o: int, flits: Row) -> None:
    """Count the packets that end with flits that leave through an output."""
    _count(st, row, count_at(st, OUT, o), flits & row_spread(TAIL))


@compiled
def count_sent(st: SwitchState, s: int, o: int, w: int) -> None:
    """Count a flit that is sent on output VC (o, w)."""
    row_set(st, s, flits_sent_at(st, o, w), row_number(st, s, flits_sent_at(st, o, w)) + 1)


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
def tick_rows(st: SwitchState) -> None:
    """Note that rows have counted for one cycle more."""
    st.row_ticks[0] += 1
    if st.row_ticks[0] == MOST:
        settle_rows(st)


@compiled_apart
def settle_rows(st: SwitchState) -> None:
    """Bring what rows have counted to the other counters, and what they have sent to `row_sent`."""
    st.row_ticks[0] = 0
    for s in range(len(st.switch)):
        for p in range(st.k.ports):
            for counter in (FLITS_IN, PACKETS_IN, FLITS_OUT, PACKETS_OUT):
                st.counters[s, p, counter] += counted_in_row(st, s, p, counter)
            for kind in range(COUNTS):
                row_set(st, s, count_at(st, kind, p), 0)
            for w in range(st.k.vcs):
                st.row_sent[s, p, w] += row_number(st, s, flits_sent_at(st, p, w))
                row_set(st, s, flits_sent_at(st, p, w), 0)
