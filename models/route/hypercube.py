"""Routing on a (folded) hypercube, lowest link first (Hosomi et al., 2021: paper D; microarchitecture.md, section 5).

A way is a route value (section 14): bit d is 1 if the link of generator d is taken; the highest bit is the folded one.
"""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled
from models.jit.sets import popcount


@compiled
def shorter(direct: int, fold: int, bits: int) -> int:
    """Return the shortest route value: `direct`, unless the one that uses the folded generator's link is shorter.

    Parameters
    ----------
    direct : int
        The route value without that link.
    fold : int
        Mask of the generators whose XOR is the folded generator; 0 if the hypercube is not folded.
    bits : int
        Number of dimensions, which is also the number of the folded generator's bit.
    """
    if fold:
        folded = direct ^ fold | 1 << bits
        if popcount(folded) < popcount(direct):
            return folded
    return direct


@compiled
def way(tag: int, position: np.ndarray, fold: int) -> int:
    """Return the shortest route value from the switch at `position`; 0 at the destination's switch.

    Parameters
    ----------
    tag : int
        Tag of the destination: coordinate d is its bit d.
    position : numpy.ndarray
        Coordinates, 0 or 1, int64 [dimensions].
    fold : int
        As in `shorter`.
    """
    dimensions = len(position)
    here = 0
    for d in range(dimensions):
        here |= position[d] << d
    return shorter((tag ^ here) & ((1 << dimensions) - 1), fold, dimensions)
