"""Prefetch: bring memory into the caches before it is needed; the engine knows its next visits from its lists."""

from __future__ import annotations

import numpy as np


def prefetch(array: np.ndarray, place: tuple[int, ...]) -> None:
    """Prefetch the cache line of an element: a hint without effect on results, allowed even outside the array."""
