"""Order of coordinates of a second plane's basis that makes its cables short (paper D, sections 2.3 and 3.2).

A permutation of coordinates is an automorphism of plane 0: distances and traffic stay, cables in the hall do not.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from sim.topology.isomorphic.layout import generator_lengths
from sim.topology.isomorphic.metrics import Generators

Int64 = NDArray[np.int64]
BestOf = Callable[[Int64], tuple[float, Int64]]

ALL_ORDERS = 8  # most dimensions of which all orders are tried
STARTS = 16  # random orders from which coordinates are exchanged, beyond


def shortest_cables(bits: int, generators: Generators) -> Generators:
    """Return the generators with coordinates in the order that makes the sum of their cables least.

    Up to 8 dimensions it is the best of all orders. Beyond, it is the best that is found by exchanging two coordinates
    while that helps, from the order given and from random ones, and again from what they lead to, until none is better.
    """
    digits = np.array(generators, np.int64)[:, None] >> np.arange(bits) & 1
    metres = generator_lengths(bits)

    def best_of(orders: Int64) -> tuple[float, Int64]:
        sums = metres[_moved(digits, orders)].sum(axis=1)
        least = int(sums.argmin())
        return float(sums[least]), orders[least]

    if bits <= ALL_ORDERS:
        best = best_of(np.array(list(permutations(range(bits))), np.int64))
    else:
        best = best_of(np.arange(bits)[None])
        while (new := _from_random_orders(best[1], best_of))[0] < best[0] - 1e-9:
            best = new
    return tuple(map(int, _moved(digits, best[1][None])[0]))


def _from_random_orders(order: Int64, best_of: BestOf) -> tuple[float, Int64]:
    """Return the best order that exchanges lead to from this one and from random ones, the same on each call."""
    random = np.random.default_rng(1)
    starts = [order, *(order[random.permutation(len(order))] for _ in range(STARTS))]
    return min((_exchanged(start, best_of) for start in starts), key=lambda found: found[0])


def _moved(digits: Int64, orders: Int64) -> Int64:
    """Return generators [orders, generators] whose coordinate k has gone to orders[:, k]."""
    moved: Int64 = (digits[None] << orders[:, None]).sum(axis=2)
    return moved


def _exchanged(order: Int64, best_of: BestOf) -> tuple[float, Int64]:
    """Return the order, and its sum, from which no exchange of two coordinates makes cables shorter."""
    pairs = np.array(list(combinations(range(len(order)), 2)))
    best = best_of(order[None])
    while True:
        orders = np.repeat(best[1][None], len(pairs), axis=0)
        number = np.arange(len(pairs))
        orders[number, pairs[:, 0]], orders[number, pairs[:, 1]] = best[1][pairs[:, 1]], best[1][pairs[:, 0]]
        new = best_of(orders)
        if new[0] >= best[0] - 1e-9:
            return best
        best = new
