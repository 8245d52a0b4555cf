"""Hit rate of the route caches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.formats import Counter
from models.params import SwitchParams


class CacheFigures(NamedTuple):
    """Route caches of all switches in the measurement window; None without caches or counters."""

    hit_rate: float | None
    misses: int | None
    evictions: int | None


def cache_figures(switch: SwitchParams, counted: np.ndarray) -> CacheFigures:
    """Return the figures, given the increments of the counters, int64 [Counter]."""
    if not (switch.has_cache and switch.counter_width):
        return CacheFigures(None, None, None)
    hits, misses = int(counted[Counter.CACHE_HITS]), int(counted[Counter.CACHE_MISSES])
    rate = hits / (hits + misses) if hits + misses else None
    return CacheFigures(rate, misses, int(counted[Counter.EVICTIONS]))
