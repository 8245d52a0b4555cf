"""Bit masks as sets of ports or VCs: number of members, and first member from a start."""

from __future__ import annotations

from models.jit.bits import count_trailing_zeros, each_member
from models.jit.compiled import compiled


@compiled
def popcount(mask: int) -> int:
    """Return the number of set bits of `mask`."""
    count = 0
    for _ in each_member(mask):
        count += 1
    return count


@compiled
def first_from(mask: int, start: int) -> int:
    """Return the first set bit at or after `start`, cyclically; `mask` is not 0."""
    upper = mask & (-1 << start)
    return count_trailing_zeros(upper) if upper else count_trailing_zeros(mask)
