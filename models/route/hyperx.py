"""Routing on a HyperX, lowest dimension first (Ahn et al., SC 2009; docs/explanation/computed_routes.md)."""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled_noinline


@compiled_noinline
def hyperx_route(destination: np.ndarray, local: int, position: np.ndarray, radix: np.ndarray) -> tuple[int, int]:
    """Return (out, choices) at the switch at `position`: port of the lowest dimension that differs, mask of all.

    Parameters
    ----------
    destination, position : numpy.ndarray
        Coordinates, int64 [dimensions].
    local : int
        Local port of the destination, from 0.
    radix : numpy.ndarray
        Switches in each dimension, int64 [dimensions].
    """
    first = 0
    for d in range(len(radix)):
        first += radix[d] - 1
    out = first + local
    choices = 0
    for d in range(len(radix) - 1, -1, -1):
        first -= radix[d] - 1
        if destination[d] != position[d]:
            # A dimension has one port for each other coordinate, in increasing order.
            out = first + destination[d] - int(destination[d] > position[d])
            choices |= 1 << out
    return out, choices
