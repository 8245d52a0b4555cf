"""Bit masks: sets of ports or VCs as integers, of which only the members are visited."""

from __future__ import annotations


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
