"""Sizes of SIMD vectors, and the lane of a switch.

A vector has 64 lanes of 8 or of 16 bits: switch s is lane s % 64 of vector s // 64, its batch. The width of a lane
follows from the type of an array of vectors, so that it is a constant of compiled code
(`models.jit.compiler.simd_type`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

LANES = 64  # lanes of a vector: the switches of a batch
SHIFT = 6  # bits of the number of a lane
WIDTHS = 8, 16  # bits of a lane

Vector = Any  # to Python, numpy.ndarray: uint8 or uint16 [64]


def batches_of(switches: int) -> int:
    """Return the batches of so many switches."""
    return -(-switches // LANES)


def lane_bits(vectors: np.ndarray) -> int:
    """Return the bits of a lane, of an array of vectors."""
    return 8 * vectors.dtype.itemsize
