"""Sizes of SIMD vectors and of their lanes.

A vector has 64 lanes of 8 or 16 bits: switch s is lane s % 64 of vector s // 64, its batch. The lane width follows from
the type of an array of vectors, so it is a constant of compiled code (`models.jit.compiler.simd_type`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

LANES = 64  # lanes of a vector = switches of a batch
SHIFT = 6  # width in bits of a lane number
WIDTHS = 8, 16  # lane widths, bits

Vector = Any  # in Python numpy.ndarray: uint8 or uint16 [64]


def batches_of(switches: int) -> int:
    """Return the number of batches for `switches` switches."""
    return -(-switches // LANES)


def lane_bits(vectors: np.ndarray) -> int:
    """Return the lane width in bits of an array of vectors."""
    return 8 * vectors.dtype.itemsize
