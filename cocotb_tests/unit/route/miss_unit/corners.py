"""Directed sequences for the miss unit: a miss in cycle 0, and an event in each later cycle in turn."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Scene:
    """Events by cycle after the first miss; slots are relative to any first one."""

    misses: dict[int, tuple[int, int]]  # cycle: (slot, tag)
    direct: tuple[int, ...] = ()
    flush: tuple[int, ...] = ()
    reset: int = -1
    granted: int = 0
    delay: int = 2


def scenes() -> Iterator[Scene]:
    """Yield all sequences."""
    # Granted in cycle 2, answered in 6, WALK from 7. A second header in each cycle, of the same tag and of another.
    for cycle, tag, direct in itertools.product(range(1, 13), (0, 1), ((), (7,), (7, 8), (8,), (7, 8, 9, 10))):
        yield Scene({0: (0, 0), cycle: (1, tag)}, direct=direct, granted=2, delay=4)
    # The same with a third header of another tag, earlier in cyclic order, which waits from the start.
    for cycle, tag in itertools.product(range(2, 13), (0, 1)):
        yield Scene({0: (1, 0), 1: (0, 1), cycle: (2, tag)}, granted=2, delay=4)
    # A flush in each cycle: the answer is stale before its own cycle, not from it on. With a later second header.
    for cycle in range(12):
        yield Scene({0: (0, 0), 1: (1, 1)}, flush=(cycle,), granted=2, delay=4)
        yield Scene({0: (0, 0)}, flush=(cycle,))
    for cycle in range(9):
        yield Scene({0: (0, 0), 1: (1, 0)}, reset=cycle, granted=2, delay=4)
