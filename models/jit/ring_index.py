"""Index of a ring buffer."""

from __future__ import annotations

from models.jit.compiled import compiled
from models.jit.sets import Set
from models.jit.simd import broadcast, nonzero_mask


@compiled
def wrap_index(number: int, size: int) -> int:
    """Return a number below 2 · `size` as an index of a ring buffer of that size."""
    if size & (size - 1):
        return number if number < size else number - size
    return number & (size - 1)


@compiled
def next_index(place: Set, size: int, moves: int = 1) -> Set:
    """Return the index after `place`, a number or a vector of numbers, in a ring buffer; `place` if `moves` is 0."""
    after = place + broadcast(place, moves)
    if size & (size - 1):
        return after & nonzero_mask(after, after ^ broadcast(place, size))
    return after & broadcast(place, size - 1)
