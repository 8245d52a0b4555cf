"""CRC of a destination tag, which indexes the route cache (paper A, section 3; microarchitecture.md, section 6).

The remainder of tag(x)·x^n modulo a polynomial of degree n; most significant bit first, initial value 0, no reflection,
no final XOR. It is a linear map over GF(2), so one row of n bits per tag bit defines it.
"""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled


def crc_rows(tag_width: int, polynomial: int) -> np.ndarray:
    """Return, for each tag bit, the CRC of a tag with only that bit set.

    Parameters
    ----------
    tag_width : int
        Width of the tag in bits.
    polynomial : int
        Generator polynomial, leading term included.

    Returns
    -------
    numpy.ndarray
        int64 [tag_width].
    """
    degree = polynomial.bit_length() - 1
    rows = np.zeros(tag_width, np.int64)
    remainder = polynomial ^ (1 << degree)  # x^degree mod polynomial
    for bit in range(tag_width):
        rows[bit] = remainder
        remainder <<= 1
        if remainder >> degree:
            remainder ^= polynomial
    return rows


@compiled
def crc_hash(tag: int, rows: np.ndarray) -> int:
    """Return the CRC of `tag`, the low len(rows) bits of an int64; `rows` are those of `crc_rows`."""
    crc = 0
    for bit in range(len(rows)):
        if (tag >> bit) & 1:
            crc ^= rows[bit]
        elif tag >> bit == 0:
            break
    return crc


def crc_by_division(tag: int, tag_width: int, polynomial: int) -> int:
    """Return the same CRC by polynomial long division: the definition, slow, for comparison."""
    degree = polynomial.bit_length() - 1
    dividend = tag << degree
    for bit in range(tag_width - 1, -1, -1):
        if dividend >> (bit + degree) & 1:
            dividend ^= polynomial << bit
    return dividend
