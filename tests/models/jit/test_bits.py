"""Bit masks and indices, compiled and as plain Python."""

import numpy as np
import pytest

from models.jit.bit_sets import first_from, popcount
from models.jit.bits import assume_u32, count_trailing_zeros, mask_from_bit
from models.jit.compiled import compiled

KINDS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32)


@compiled
def _index(values: np.ndarray) -> int:  # compiled for every kind
    return assume_u32(values[0])


@pytest.mark.parametrize("kind", KINDS)
def test_index_keeps_every_number_from_0(kind: type[np.integer]) -> None:
    """Of all widths, up to the greatest number below 2^32."""
    for number in (0, 1, 77, min(np.iinfo(kind).max, (1 << 32) - 1)):
        assert _index(np.array([number], kind)) == assume_u32(kind(number)) == number


@pytest.mark.parametrize("number", [-1, 1 << 32])
def test_index_of_what_is_none(number: int) -> None:
    """Plain Python detects misuse, which compiled code cannot."""
    with pytest.raises(AssertionError):
        assume_u32(number)


@compiled
def _masked(bits: np.ndarray, number: int) -> int:  # compiled for every kind
    return number & mask_from_bit(bits[0])


@pytest.mark.parametrize("kind", [np.int8, np.int64])
def test_masks_of_a_bit(kind: type[np.integer]) -> None:
    """All bits, or none."""
    for bit in (0, 1):
        assert _masked(np.array([bit], kind), 0x5A5A << 40) == (0x5A5A << 40) * bit == 0x5A5A << 40 & mask_from_bit(bit)


def test_masks() -> None:
    """Lowest bit, number of bits, first bit from a position on, cyclically."""
    assert [count_trailing_zeros(mask) for mask in (1, 0b1100, 1 << 62)] == [0, 2, 62]
    assert [popcount(mask) for mask in (0, 0b1011, (1 << 40) - 1)] == [0, 3, 40]
    assert [first_from(0b10010, start) for start in range(6)] == [1, 1, 4, 4, 4, 1]
