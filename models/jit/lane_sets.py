"""Selection in the lanes of vectors: of values by a mask, and of one member of each lane's set, round robin."""

from __future__ import annotations

from models.jit.compiled import compiled
from models.jit.simd import nonzero_mask
from models.jit.simd_type import Vector


@compiled
def blend(mask: Vector, yes: Vector, no: Vector) -> Vector:
    """Return the lanes of `yes` where `mask` is all ones, of `no` where it is 0."""
    return yes & mask | no & ~mask


@compiled
def round_robin_one_hot(sets: Vector, first: Vector) -> Vector:
    """Return in each lane the lowest member of a set within `first`, or else of the whole set, one-hot; 0 if empty."""
    upper = sets & first
    found = blend(nonzero_mask(sets, upper), upper, sets)
    return found & -found


@compiled
def priority_above(member: Vector) -> Vector:
    """Return the priority mask after a one-hot grant in each lane: all bits above it; 0 where nothing was granted."""
    return -(member + member)
