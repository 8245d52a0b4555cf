"""Selection per SIMD lane: of values by a mask, and of one member of a set by round robin."""

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
    """Return per lane, one-hot, the lowest member of `sets` within `first`, else of the whole set; 0 if it is empty."""
    upper = sets & first
    found = blend(nonzero_mask(sets, upper), upper, sets)
    return found & -found


@compiled
def priority_above(member: Vector) -> Vector:
    """Return per lane the priority mask after a one-hot grant: all bits above it; 0 without a grant."""
    return -(member + member)
