"""Bit masks: sets of ports or VCs as integers, of which only the members are visited."""

from __future__ import annotations

from models.jit.compiled import compiled


def assume_u32(number: int) -> int:
    """Return a number that is known to be from 0 to 2^32 − 1.

    An index that cannot be negative needs no test for Python's counting from the end. Compiled, nothing is checked.
    """
    assert 0 <= number < 1 << 32
    return int(number)


def mask_from_bit(bit: int) -> int:
    """Return a mask of all bits if `bit` is 1, of none if it is 0.

    Compiled, it is opaque to the optimiser, which would otherwise make a branch of the two cases: where 0 and 1 are
    equally likely, masking is faster than a mispredicted branch.
    """
    return -int(bit)


def count_trailing_zeros(mask: int) -> int:
    """Return the number of the lowest set bit of a mask that is not 0."""
    return (int(mask) & -int(mask)).bit_length() - 1


@compiled
def popcount(mask: int) -> int:
    """Return how many bits of a mask are set."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@compiled
def first_from(mask: int, start: int) -> int:
    """Return the first set bit at or after `start`, cyclically; `mask` is not 0."""
    upper = mask & (-1 << start)
    return count_trailing_zeros(upper) if upper else count_trailing_zeros(mask)


@compiled
def wrap_index(number: int, size: int) -> int:
    """Return a number below 2 · `size` as an index of a ring buffer of that size."""
    if size & (size - 1):
        return number if number < size else number - size
    return number & (size - 1)
