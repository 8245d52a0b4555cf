"""Bit operations on integers that are single instructions when compiled (`models.jit.compiler.bits`)."""

from __future__ import annotations

from collections.abc import Iterator


def assume_u32(number: int) -> int:
    """Return `number`, which the caller knows to be from 0 to 2^32 − 1.

    An index known not to be negative needs no test for Python's counting from the end. Compiled code does not check it.
    """
    assert 0 <= number < 1 << 32
    return int(number)


def mask_from_bit(bit: int) -> int:
    """Return a mask of all ones if `bit` is 1, of zeros if it is 0.

    Compiled, the function is opaque to the optimiser, which would otherwise turn the two cases into a branch: where 0
    and 1 are equally likely, masking is faster than a mispredicted branch.
    """
    return -int(bit)


def count_trailing_zeros(mask: int) -> int:
    """Return the number of the lowest set bit of a mask that is not 0."""
    return (int(mask) & -int(mask)).bit_length() - 1


def each_member(mask: int) -> Iterator[int]:
    """Yield the number of each set bit of a mask, the lowest first: each VC, port, output or lane in a set.

    Those of the mask as it is given: the loop's body may change a variable that held it. Compiled, the loop has the
    mask in a register and clears its lowest bit in each turn (`models.jit.compiler.bits`).
    """
    rest = int(mask)
    while rest:
        yield count_trailing_zeros(rest)
        rest &= rest - 1
