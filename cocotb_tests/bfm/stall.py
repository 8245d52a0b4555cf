"""Stall patterns: whether a bus model pauses in a cycle."""

from __future__ import annotations

import random
from collections.abc import Iterator

PATTERNS = ("never", "often", "bursts", "mixed")


def stalls(pattern: str, source: random.Random) -> Iterator[bool]:
    """Yield, for each cycle, whether to pause.

    Parameters
    ----------
    pattern : {"never", "often", "bursts", "mixed"}
        No stalls; half of the cycles at random; runs of 1 to 40 cycles with and without; 200 cycles of each in turn.
    source : random.Random
        Random numbers.

    Raises
    ------
    ValueError
        If `pattern` is none of these.
    """
    if pattern not in PATTERNS:
        raise ValueError(f"pattern = {pattern!r}: must be one of {', '.join(PATTERNS)}")
    while True:
        for kind in PATTERNS[:3] if pattern == "mixed" else (pattern,):
            yield from _of(kind, source, 200)


def _of(kind: str, source: random.Random, cycles: int) -> Iterator[bool]:
    pausing, left = False, 0
    for _ in range(cycles):
        if kind == "bursts":
            if not left:
                pausing, left = not pausing, source.randint(1, 40)
            left -= 1
            yield pausing
        else:
            yield kind == "often" and source.random() < 0.5
