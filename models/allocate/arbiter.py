"""Arbiters: round robin and matrix (Dally and Towles, Principles and Practices of Interconnection Networks, 18.4–18.5).

Both choose one member of a set of requests; their state changes only when a choice is granted. Round robin chooses the
`first` in an order (`models.jit.sets`), which is its pointer as a mask: the requesters that are asked first, all from
the pointer on. An order without any of them means the lowest one: 0 after reset, or that after a grant to the last.

Many arbiters can choose at once, each in its own bit: their requesters are asked one after the other, lowest first, in
two passes. Then a requester's order is the set of arbiters whose pointer is at or before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from models.jit.bits import count_trailing_zeros, each_member
from models.jit.compiled import compiled
from models.jit.sets import Set, first, order_after
from models.jit.simd import nonzero_mask
from models.state.declare import PORT, Condition, Sizes, placed
from models.state.placement import Area


@compiled
def won_first(requests: Set, order: Set, given: Set) -> Set:
    """Return which arbiters choose a requester in the first pass; `given`: those that have chosen a lower one."""
    return requests & order & ~given


@compiled
def won_last(requests: Set, given: Set) -> Set:
    """Return which arbiters choose a requester in the second pass; `given`: those that have chosen, in either pass."""
    return requests & ~given


@compiled
def orders_after(order: Set, taken: Set, below: Set) -> Set:
    """Return a requester's order after grants of the arbiters `taken`, of those in `below` to lower requesters."""
    return order & ~taken | below


@compiled
def order_from(pointer: int) -> int:
    """Return the order of an arbiter whose pointer is kept as a number."""
    return -1 << pointer


@compiled
def round_robin(requests: int, order: int) -> int:
    """Return the number of the requester that round robin chooses; `requests` is not 0."""
    return count_trailing_zeros(first(requests, order))


@compiled
def round_robin_next(winner: int) -> int:
    """Return the order after `winner` was granted."""
    return int(order_after(1 << winner, 0))


@compiled
def pointer_of(order: int, requesters: int) -> int:
    """Return the pointer of an order, the register in hardware: the requester that is asked first."""
    return round_robin((1 << requesters) - 1, order)


def row_at_reset(i: int, size: int) -> int:
    """Return the row of requester `i` of `size` at reset: it has priority over all above."""
    return (1 << size) - (2 << i)


def matrix_at_reset(size: int) -> np.ndarray:
    """Return a matrix at reset, int64 [size]: row i is the mask of requesters that i has priority over."""
    return np.array([row_at_reset(i, size) for i in range(size)])


def matrix_rows(built: Condition, size: Callable[[Sizes], int]) -> Any:
    """Declare a matrix arbiter of each port over `size` requesters."""
    return placed(Area.INPUTS, np.int64, PORT, lambda n: (size(n),), built, lambda n: matrix_at_reset(size(n)))


@compiled
def row_wins(requests: Set, row: Set, this: Set) -> Set:
    """Return `this`, one-hot, if it is in `requests` and has priority, by its `row`, over all others; else 0."""
    return requests & this & ~nonzero_mask(requests, requests & ~(row | this))


@compiled
def row_after(row: Set, this: Set, chosen: Set) -> Set:
    """Return the row of `this`, one-hot, after a grant to `chosen`, one-hot, which has the least priority then.

    The row stays if none was chosen.
    """
    return (row | chosen) & ~nonzero_mask(row, chosen & this)


@compiled
def matrix(requests: int, rows: np.ndarray) -> int:
    """Return the requester that has priority over all other requesters; `requests` is not 0."""
    for i in each_member(requests):
        if row_wins(requests, int(rows[i]), 1 << i):
            return i
    return -1


@compiled
def matrix_next(rows: np.ndarray, winner: int) -> None:
    """Give `winner` the least priority."""
    for i in range(len(rows)):
        rows[i] = row_after(int(rows[i]), 1 << i, 1 << winner)
