"""Routes on a hypercube, plain or folded, in coordinates of its generators (microarchitecture.md, section 5).

A way is a route value (section 14): bit d says that the link of generator d is taken, the highest the folded one's.
"""

from __future__ import annotations

import numpy as np

from models.jit.bit_sets import popcount
from models.jit.compiled import compiled


@compiled
def shorter(direct: int, fold: int, bits: int) -> int:
    """Return the shortest way: `direct`, unless the one with the folded generator's link is shorter.

    Parameters
    ----------
    direct : int
        The only way without that link.
    fold : int
        The generators that together lead where it does; 0 if the hypercube is not folded.
    bits : int
        Dimensions, and the number of its bit.
    """
    if fold:
        folded = direct ^ fold | 1 << bits
        if popcount(folded) < popcount(direct):
            return folded
    return direct


@compiled
def way(tag: int, position: np.ndarray, fold: int) -> int:
    """Return the shortest way from the switch at `position`, a route value; 0 where the destination is.

    Parameters
    ----------
    tag : int
        The destination's: coordinate d is its bit d.
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
