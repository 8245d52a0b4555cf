"""Index of a ring buffer."""

from __future__ import annotations

from models.jit.compiled import compiled


@compiled
def wrap_index(number: int, size: int) -> int:
    """Return a number below 2 · `size` as an index of a ring buffer of that size."""
    if size & (size - 1):
        return number if number < size else number - size
    return number & (size - 1)
