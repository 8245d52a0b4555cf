"""Arbiters: round robin and matrix (Dally and Towles, Principles and Practices of Interconnection Networks, 18.4–18.5).

Both choose one of the set bits of `requests`; their state changes only when a choice is granted (`…_next`).
"""

from __future__ import annotations

import numpy as np

from models.jit.bit_sets import first_from
from models.jit.bits import each_member
from models.jit.compiled import compiled
from models.jit.ring_index import wrap_index


@compiled
def round_robin(requests: int, pointer: int) -> int:
    """Return the first requester at or after `pointer`, cyclically; `requests` is not 0."""
    return first_from(requests, pointer)


@compiled
def round_robin_next(winner: int, requesters: int) -> int:
    """Return the pointer after `winner` was granted."""
    return wrap_index(winner + 1, requesters)


@compiled
def matrix_reset(rows: np.ndarray) -> None:
    """Give lower numbers priority: row i of the matrix is the mask of requesters that i has priority over."""
    size = len(rows)
    for i in range(size):
        rows[i] = ((1 << size) - 1) & ~((1 << (i + 1)) - 1)


@compiled
def matrix(requests: int, rows: np.ndarray) -> int:
    """Return the requester that has priority over all other requesters; `requests` is not 0."""
    for i in each_member(requests):
        if (requests & ~rows[i]) == (1 << i):
            return i
    return -1


@compiled
def matrix_next(rows: np.ndarray, winner: int) -> None:
    """Give `winner` the least priority."""
    for i in range(len(rows)):
        rows[i] |= 1 << winner
    rows[winner] = 0
