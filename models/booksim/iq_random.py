"""Random numbers of the routers: their ties, intermediate nodes and offsets."""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled

Words = np.ndarray  # uint64 [1], not 0


@compiled
def draw(words: Words, count: int) -> int:
    """Return a random number below `count` (xorshift: Marsaglia, J. Stat. Software 2003)."""
    x = words[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    words[0] = x
    return np.int64(x >> np.uint64(2)) % count  # type: ignore[return-value]  # compiled, an int64 is an int
