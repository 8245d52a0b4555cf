"""Where a switch stands in a batch: switch s is lane s % 64 of batch s // 64."""

from __future__ import annotations

from models.jit.compiled import compiled
from models.jit.simd_type import LANES, SHIFT


@compiled
def batch_of(s: int) -> int:
    """Return the batch of a switch."""
    return s >> SHIFT


@compiled
def lane_of(s: int) -> int:
    """Return the lane of a switch."""
    return s & LANES - 1


@compiled
def place_of_number(s: int, vectors: int, which: int) -> int:
    """Return the index of the lane of a switch in vector `which` of the `vectors` of its batch.

    A sum whose first two terms are common to all vectors, so that they are computed once.
    """
    return batch_of(s) * vectors * LANES + lane_of(s) + which * LANES


@compiled
def switch_in(vector: int, lane: int) -> int:
    """Return the switch in a lane of a batch."""
    return vector << SHIFT | lane
