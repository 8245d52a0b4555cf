"""Bit masks and indices, compiled and as plain Python."""

import numba
import numpy as np
import pytest

from models.jit.bits import all_if, first_from, index, lowest, weight

KINDS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32)


@numba.njit
def _index(values):  # type: ignore[no-untyped-def]  # compiled for every kind
    return index(values[0])


@pytest.mark.parametrize("kind", KINDS)
def test_index_keeps_every_number_from_0(kind: type[np.integer]) -> None:
    """Of any width, up to the greatest below 2^32."""
    for number in (0, 1, 77, min(np.iinfo(kind).max, (1 << 32) - 1)):
        assert _index(np.array([number], kind)) == index(kind(number)) == number


@pytest.mark.parametrize("number", [-1, 1 << 32])
def test_index_of_what_is_none(number: int) -> None:
    """In Python a misuse is found, as it cannot be when compiled."""
    with pytest.raises(AssertionError):
        index(number)


@numba.njit
def _masked(bit, number):  # type: ignore[no-untyped-def]  # compiled for every kind
    return number & all_if(bit)


@pytest.mark.parametrize("kind", [np.int8, np.int64])
def test_masks_of_a_bit(kind: type[np.integer]) -> None:
    """All bits or none."""
    for bit in (0, 1):
        assert _masked(kind(bit), 0x5A5A << 40) == (0x5A5A << 40) * bit == 0x5A5A << 40 & all_if(bit)


def test_masks() -> None:
    """Lowest bit, number of bits, first bit from a place on, round a corner."""
    assert [lowest(mask) for mask in (1, 0b1100, 1 << 62)] == [0, 2, 62]
    assert [weight(mask) for mask in (0, 0b1011, (1 << 40) - 1)] == [0, 3, 40]
    assert [first_from(0b10010, start) for start in range(6)] == [1, 1, 4, 4, 4, 1]
