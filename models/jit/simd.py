"""SIMD operations: vectors of 64 lanes, one for each of 64 switches that are advanced at once.

A lane holds a set of ports or VCs as a bit mask, one of them one-hot, a flit (`models.batched.flit`), a position in a
queue or a counter; its width is part of the vector's type (`models.jit.simd_type`). Arrays of vectors are flat.
Compiled, a vector is one or two SIMD registers (`models.jit.compiler.simd`); to Python it is an array.
"""

from __future__ import annotations

import numpy as np

from models.jit.simd_type import LANES, Vector, lane_bits

VC_MASK = 15  # bits of an encoded flit with its VC + 1 (`models.batched.flit`)


def simd_load(vectors: np.ndarray, n: int) -> Vector:
    """Return vector `n` of an array of vectors."""
    return vectors[LANES * n : LANES * (n + 1)].copy()


def simd_store(vectors: np.ndarray, n: int, vector: Vector) -> None:
    """Write vector `n` of an array of vectors."""
    vectors[LANES * n : LANES * (n + 1)] = vector


def number_in(vectors: np.ndarray, n: int) -> int:
    """Return element `n` of an array of vectors, or of bytes or words beside them, as an int64."""
    return int(vectors[n])


def set_number(vectors: np.ndarray, n: int, number: int) -> None:
    """Write element `n` of an array of vectors, or of bytes or words beside them."""
    vectors[n] = number


def broadcast(like: np.ndarray | Vector, number: int) -> Vector:
    """Return a vector, of the type of `like`, with a number in every lane."""
    return np.full(LANES, number, like.dtype)


def nonzero_mask(like: np.ndarray | Vector, vector: Vector) -> Vector:
    """Return all ones in the lanes that are not 0, else 0, as a vector of the type of `like`."""
    return (vector != 0) * like.dtype.type((1 << lane_bits(like)) - 1)


def movemask(vector: Vector) -> int:
    """Return the mask of lanes that are not 0; compiled, as an int64 it may be negative."""
    return sum(1 << int(lane) for lane in np.flatnonzero(vector))


def compress_store(found: np.ndarray, n: int, vector: Vector) -> int:
    """Write the indices of the lanes that are not 0 as bytes, from index `n` on; return how many they are.

    There must be room for 64 bytes. Compiled for AVX-512 VBMI2, all 64 are written without a loop, those behind the
    last index being arbitrary; for other processors there is a loop, whose exit is a mispredicted branch.
    """
    lanes = np.flatnonzero(vector)
    found[n : n + len(lanes)] = lanes
    return len(lanes)


def fill_bytes(found: np.ndarray, n: int, number: int) -> None:
    """Write a number into 64 bytes from index `n` on."""
    found[n : n + LANES] = number


def decode_one_hot(vector: Vector) -> Vector:
    """Return 1 << (n − 1) in the lanes whose lowest four bits are n, and 0 where n is 0."""
    return (1 << (vector.astype(np.uint32) & VC_MASK) >> 1).astype(vector.dtype)


def permute(vector: Vector, places: Vector) -> Vector:
    """Return the permutation of a vector: lane k of the result is lane `places[k]` % 64 of it."""
    return vector[places % len(vector)]
