"""Counters of a row of switches at once: in the row itself, and before they overflow added to its totals.

A row counts at most 1 of anything in a visit, and how often it is visited. Totals lie in `st.row_totals` as what is
counted lies in the row, so that all are added in one go.
"""

from __future__ import annotations

import numpy as np

from models.batched.flit import TAIL
from models.batched.vc_sets import (
    count_at,
    flits_sent_at,
    row_at,
    row_get,
    row_number,
    row_put,
    spread,
)
from models.formats import Counter
from models.jit.bits import index
from models.jit.compiled import compiled, compiled_apart
from models.jit.simd import row_some
from models.jit.simd_type import LANES, Row, place_of_number, row_bits
from models.state.registers import SwitchState

IN, PACKETS, OUT = 0, 1, 2  # kinds of counts
FLITS_IN, PACKETS_IN = int(Counter.FLITS_IN), int(Counter.PACKETS_IN)
FLITS_OUT, PACKETS_OUT = int(Counter.FLITS_OUT), int(Counter.PACKETS_OUT)


@compiled
def _count(st: SwitchState, row: int, which: int, what: Row) -> None:
    """Add 1 where there is anything: all bits are −1."""
    row_put(st, row, which, row_get(st, row, which) + -row_some(what, what))


@compiled
def row_count_in(st: SwitchState, row: int, i: int, flits: Row) -> None:
    """Count flits that come to an input port (`models.batched.flit`)."""
    _count(st, row, count_at(st, IN, i), flits)
    _count(st, row, count_at(st, PACKETS, i), flits & spread(st, TAIL))


@compiled
def row_count_out(st: SwitchState, row: int, o: int, flits: Row, vcs: Row) -> None:
    """Count flits that leave through an output, on VCs of which each is the only bit, and the packets that end."""
    _count(st, row, count_at(st, OUT, o), flits & spread(st, TAIL))
    for w in range(st.k.vcs):
        _count(st, row, flits_sent_at(st, o, w), vcs & spread(st, 1 << w))


@compiled
def _total_at(st: SwitchState, s: int, which: int) -> int:
    """Return where the total of a switch is to which a row of numbers is added."""
    return place_of_number(s, st.k.row_counts, which)


@compiled
def _counted(st: SwitchState, s: int, which: int) -> int:
    return int(st.row_totals[index(_total_at(st, s, which))]) + row_number(st, s, which)


@compiled
def counted_in_row(st: SwitchState, s: int, p: int, counter: int) -> int:
    """Return what a switch in a row has counted of an event; 0 of what rows do not count."""
    if counter == FLITS_IN:
        return _counted(st, s, count_at(st, IN, p))
    if counter == PACKETS_IN:
        return _counted(st, s, count_at(st, PACKETS, p))
    if counter == PACKETS_OUT:
        return _counted(st, s, count_at(st, OUT, p))
    flits = 0
    if counter == FLITS_OUT:
        for w in range(st.k.vcs):
            flits += _counted(st, s, flits_sent_at(st, p, w))
    return flits


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
    """Add what a row has counted to its totals."""
    st.row_visits[row] = 0
    totals = row * st.k.row_counts * LANES
    counted = row_at(st, row, count_at(st, IN, 0)) * LANES
    for n in range(st.k.row_counts * LANES):
        st.row_totals[index(totals + n)] += st.rows[index(counted + n)]
        st.rows[index(counted + n)] = 0


def sent_views(st: SwitchState) -> tuple[np.ndarray, np.ndarray]:
    """Return two views [rows, P · V, switches of a row] whose sum is what each output VC has sent since reset."""
    each = slice(flits_sent_at(st, 0, 0), flits_sent_at(st, st.k.ports, 0))
    totals = st.row_totals.reshape(st.row_count, st.k.row_counts, LANES)
    return totals[:, each], st.rows.reshape(st.row_count, st.k.row_sets, LANES)[:, each]


def sent_in_rows(st: SwitchState) -> np.ndarray:
    """Return the flits that switches have sent on each output VC since reset, int64 [S, P, V]."""
    settled, counted = sent_views(st)
    sent = (settled + counted).transpose(0, 2, 1)
    return sent.reshape(-1, st.k.ports, st.k.vcs)[: len(st.switch)]


@compiled
def forget_totals(st: SwitchState, s: int) -> None:
    """Have the totals of a switch in a row be 0, as what it counts is when it is reset (`row_reset`)."""
    for which in range(st.k.row_counts):
        st.row_totals[index(_total_at(st, s, which))] = 0
