"""The binomial tree of ranks relative to a root: rank r's parent is r without its lowest bit."""

from __future__ import annotations


def parent(relative: int) -> int:
    """Return the parent of a rank other than the root."""
    return relative & (relative - 1)


def children(relative: int, ranks: int) -> list[int]:
    """Return a rank's children, the one with the largest subtree first."""
    below = []
    mask = 1
    while relative & mask == 0 and relative + mask < ranks:
        below.append(relative + mask)
        mask *= 2
    return below[::-1]


def subtree(relative: int, ranks: int) -> range:
    """Return the ranks of the tree below a rank, itself first."""
    lowest = relative & -relative if relative else ranks
    return range(relative, min(relative + lowest, ranks))
