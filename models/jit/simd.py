"""SIMD operations on vectors of 64 lanes, one lane per switch.

A lane holds a set of ports or VCs as a bit mask, a one-hot port or VC, a flit (`models.batched.flit`), a position in a
queue, or a counter. Its width is part of the vector's type (`models.jit.simd_type`). Arrays of vectors are flat.
Compiled, a vector is one or two SIMD registers (`models.jit.compiler.simd`); in Python it is an array. What rules of a
switch are made of takes whole numbers, too (`models.jit.sets`).
"""

from __future__ import annotations

import numpy as np

from models.jit.simd_type import LANES, Vector, lane_bits

VC_MASK = 15  # bits of an encoded flit that hold its VC + 1 (`models.batched.flit`)


def simd_load(vectors: np.ndarray, n: int) -> Vector:
    """Return vector `n` of an array of vectors."""
    return vectors[LANES * n : LANES * (n + 1)].copy()


def simd_store(vectors: np.ndarray, n: int, vector: Vector) -> None:
    """Write vector `n` of an array of vectors."""
    vectors[LANES * n : LANES * (n + 1)] = vector


def number_in(vectors: np.ndarray, n: int) -> int:
    """Return element `n` of an array of vectors, or of an array of bytes or words, as an int64."""
    return int(vectors[n])


def set_number(vectors: np.ndarray, n: int, number: int) -> None:
    """Write element `n` of an array of vectors, or of an array of bytes or words."""
    vectors[n] = number


def broadcast(like: np.ndarray | Vector | int, number: int) -> Vector:
    """Return a vector of the type of `like` with `number` in each lane; if `like` is a whole number, `number`."""
    return np.full(LANES, number, like.dtype) if isinstance(like, np.ndarray) else number


def nonzero_mask(like: np.ndarray | Vector | int, vector: Vector | int) -> Vector:
    """Return, as a vector of the type of `like`, all ones in the lanes of `vector` that are not 0, else 0.

    Of a whole number: −1 if it is not 0, else 0.
    """
    if not isinstance(like, np.ndarray):
        return -int(vector != 0)
    return (vector != 0) * like.dtype.type((1 << lane_bits(like)) - 1)


def movemask(vector: Vector) -> int:
    """Return the mask of lanes that are not 0; compiled, it is an int64 and may be negative."""
    return sum(1 << int(lane) for lane in np.flatnonzero(vector))


def compress_store(found: np.ndarray, n: int, vector: Vector) -> int:
    """Write the indices of the lanes that are not 0 as bytes, from index `n` on; return their number.

    64 bytes must be available. Compiled for AVX-512 VBMI2, all 64 are written without a loop, with undefined bytes
    behind the last index. Other processors use a loop, whose exit is a mispredicted branch.
    """
    lanes = np.flatnonzero(vector)
    found[n : n + len(lanes)] = lanes
    return len(lanes)


def fill_bytes(found: np.ndarray, n: int, number: int) -> None:
    """Write `number` into 64 bytes from index `n` on."""
    found[n : n + LANES] = number


def decode_one_hot(vector: Vector) -> Vector:
    """Return 1 << (n − 1) in the lanes whose lowest four bits are n, and 0 where n is 0."""
    return (1 << (vector.astype(np.uint32) & VC_MASK) >> 1).astype(vector.dtype)


def permute(vector: Vector, places: Vector) -> Vector:
    """Return `vector` permuted: lane k of the result is lane `places[k]` % 64 of `vector`."""
    return vector[places % len(vector)]
