"""Minimal routing on a dragonfly: local, global, local (Kim et al., ISCA 2008; docs/explanation/computed_routes.md)."""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled_noinline

ABSOLUTE, RELATIVE, PALMTREE, CIRCULANT = range(4)
ARRANGEMENTS = {"absolute": ABSOLUTE, "relative": RELATIVE, "palmtree": PALMTREE, "circulant": CIRCULANT}


@compiled_noinline
def global_port(group: int, target: int, groups: int, arrangement: int) -> int:
    """Return the number, among the global ports of a group, of the port with the cable to another group.

    Parameters
    ----------
    group, target : int
        The two groups, which differ.
    groups : int
        Number of groups.
    arrangement : int
        A value of `ARRANGEMENTS`.
    """
    if arrangement == ABSOLUTE:
        return target - int(target > group)
    distance = (target - group) % groups
    if arrangement == RELATIVE:
        return distance - 1
    if arrangement == PALMTREE:
        return groups - 1 - distance
    return 2 * distance - 2 if 2 * distance <= groups else 2 * (groups - distance) - 1


@compiled_noinline
def dragonfly_route(
    destination: np.ndarray, local: int, position: np.ndarray, radix: np.ndarray, arrangement: int, vcs: int
) -> tuple[int, int, int]:
    """Return (out, vc_first, vc_last) at the switch at `position`.

    Parameters
    ----------
    destination, position : numpy.ndarray
        Switch in its group, and group, int64 [2].
    local : int
        Local port of the destination, from 0.
    radix : numpy.ndarray
        Switches of a group, and groups, int64 [2].
    arrangement : int
        A value of `ARRANGEMENTS`.
    vcs : int
        VCs of a port, V.
    """
    mates = radix[0] - 1
    cables = (radix[1] - 1) // radix[0]
    inside = destination[1] == position[1]
    port = 0
    if inside:
        there = destination[0]
    else:
        port = global_port(position[1], destination[1], radix[1], arrangement)
        there = port // cables
    if there != position[0]:
        out = there - int(there > position[0])
        return (out, vcs // 2, vcs - 1) if inside else (out, 0, vcs // 2 - 1)
    return (mates + cables + local if inside else mates + port % cables), 0, vcs - 1
