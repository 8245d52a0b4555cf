"""Cycles of directed graphs."""

from __future__ import annotations

import numpy as np

from sim.topology.base import NOBODY, Int64


def directed_cycle(sources: Int64, targets: Int64, vertices: int) -> list[int]:
    """Return the vertices of a cycle of a directed graph, in order; empty if there is none (Kahn, 1962)."""
    order = np.argsort(sources, kind="stable")
    sources, targets = sources[order], targets[order]
    begin = np.searchsorted(sources, np.arange(vertices + 1))
    missing = np.bincount(targets, minlength=vertices)
    free = np.flatnonzero(missing == 0)
    while len(free):
        count = begin[free + 1] - begin[free]
        skipped = np.repeat(begin[free] - np.concatenate(([0], count.cumsum()[:-1])), count)
        reached, times = np.unique(targets[np.arange(count.sum()) + skipped], return_counts=True)
        missing[reached] -= times
        free = reached[missing[reached] == 0]
    left = missing > 0
    if not left.any():
        return []
    # Every remaining vertex has a remaining predecessor, so a walk backwards ends in a cycle.
    before = np.full(vertices, NOBODY, np.int64)
    inside = left[sources] & left[targets]
    before[targets[inside]] = sources[inside]
    walk = [int(left.argmax())]
    seen: dict[int, int] = {}
    while walk[-1] not in seen:
        seen[walk[-1]] = len(walk) - 1
        walk.append(int(before[walk[-1]]))
    return walk[seen[walk[-1]] + 1 :][::-1]
