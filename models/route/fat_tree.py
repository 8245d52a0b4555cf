"""Routing on a k-ary n-tree: up by the destination's digits, then down (docs/explanation/computed_routes.md)."""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled_noinline


@compiled_noinline
def fat_tree_route(destination: np.ndarray, position: np.ndarray, arity: int) -> tuple[int, int, bool]:
    """Return (out, choices, at_end) at the switch at `position`: port, mask of choices, whether it leads to the node.

    Parameters
    ----------
    destination : numpy.ndarray
        Digits of the node, int64 [levels].
    position : numpy.ndarray
        Level, then the digits of the switch, int64 [levels].
    arity : int
        Ports up, and down, k.
    """
    level = position[0]
    out = destination[level]
    for i in range(level, len(destination) - 1):
        if position[1 + i] != destination[i + 1]:
            return out, (1 << arity) - 1, False
    out += arity
    return (out, 0, True) if level == 0 else (out, 1 << out, False)
