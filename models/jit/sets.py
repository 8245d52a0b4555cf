"""Bit masks as sets of ports or VCs.

A set is a whole number, of one switch, or a vector, of the 64 switches of a batch (`models.jit.simd`). The rules of a
switch are functions of sets, written once for both.
"""

from __future__ import annotations

from typing import Any

from models.jit.bits import each_member
from models.jit.compiled import compiled
from models.jit.simd import nonzero_mask

Set = Any  # int, or a vector


@compiled
def popcount(mask: int) -> int:
    """Return the number of set bits of `mask`."""
    count = 0
    for _ in each_member(mask):
        count += 1
    return count


@compiled
def with_member(members: int, n: int, is_member: int) -> int:
    """Return the set with member `n` if `is_member` is 1, without it if that is 0."""
    return members & ~(1 << n) | is_member << n


@compiled
def blend(mask: Set, yes: Set, no: Set) -> Set:
    """Return `yes` where `mask` is all ones, `no` where it is 0."""
    return yes & mask | no & ~mask


@compiled
def either(some: Set, others: Set) -> Set:
    """Return `some` if it has a member, else `others`."""
    return blend(nonzero_mask(others, some), some, others)


@compiled
def first(members: Set, order: Set) -> Set:
    """Return, one-hot, the first member: the lowest of those within `order`, else the lowest of all; 0 if none."""
    found = either(members & order, members)
    return found & -found


@compiled
def order_after(chosen: Set, order: Set) -> Set:
    """Return the order after a member was chosen, one-hot: those above it come first. It stays if none was."""
    return blend(nonzero_mask(order, chosen), -(chosen + chosen), order)
