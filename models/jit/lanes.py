"""Mapping of switches to SIMD lanes: switch s is lane s % 64 of batch s // 64."""

from __future__ import annotations

from models.jit.compiled import compiled
from models.jit.simd_type import LANES, SHIFT


@compiled
def batch_of(s: int) -> int:
    """Return the batch of switch `s`."""
    return s >> SHIFT


@compiled
def lane_of(s: int) -> int:
    """Return the lane of switch `s`."""
    return s & LANES - 1


@compiled
def place_of_number(s: int, vectors: int, which: int) -> int:
    """Return the index of the lane of switch `s` in vector `which`; its batch has `vectors` vectors.

    The first two terms of the sum are common to all vectors of a batch, and so are computed once.
    """
    return batch_of(s) * vectors * LANES + lane_of(s) + which * LANES


@compiled
def switch_in(vector: int, lane: int) -> int:
    """Return the switch in a lane of batch `vector`."""
    return vector << SHIFT | lane
