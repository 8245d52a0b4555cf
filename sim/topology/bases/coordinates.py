"""Pairs of planes that differ only in their cables, and the pair with the shortest cables (paper D, 2.3 and 3.2).

The order of coordinates and of planes does not affect distances and traffic: a permutation of coordinates is an
automorphism of plane 0, and a linear map that takes plane 1 to plane 0 takes plane 0 to the plane of the inverse basis.
In a folded hypercube the last generator may also be exchanged with another one. In the hall, where switches stand in
order of their numbers, the cables differ.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from sim.topology.bases import kernel
from sim.topology.bases.layout import generator_lengths
from sim.topology.bases.metrics import Generators, with_fold
from sim.topology.hypercube import hypercube

Int64 = NDArray[np.int64]

ALL_ORDERS = 8  # most dimensions for which all orders are tried
STARTS = 16  # random orders from which coordinates are exchanged, for more dimensions


def equivalent_generators(bits: int, generators: Generators) -> list[Generators]:
    """Return second planes with the same distances as this one, itself first.

    They are the planes of the basis and of its inverse and, if folded, of each exchange of the last generator with a
    coordinate. Traffic is the same, too, except for folded planes of odd n, where a tie between the two paths in a
    plane is broken differently.

    Parameters
    ----------
    bits : int
        Dimensions n.
    generators : tuple of int
        Generators of the second plane: n, or n + 1 if it is folded.
    """
    folded = len(generators) > bits
    basis = generators[:bits]
    ways = hypercube(bits, basis).route_values
    both = [tuple(basis), tuple(int(ways[1 << k]) for k in range(bits))]
    every = (1 << bits) - 1
    exchanged = [
        tuple(each ^ every ^ 1 << k if each >> k & 1 else each for each in one)
        for one in both
        for k in range(bits if folded else 0)
    ]
    return [with_fold(one, folded) for one in both + exchanged]


def shortest_cables(bits: int, generators: Generators) -> Generators:
    """Return the generators with coordinates in the order of least total cable length.

    Up to 8 dimensions it is the best of all orders. Beyond, it is the best order found by local search: two coordinates
    are exchanged while that helps, from the given order and from random ones, and again from the results, until none is
    better.
    """
    digits = np.array(generators, np.int64)[:, None] >> np.arange(bits) & 1
    length = generator_lengths(bits)
    if bits <= ALL_ORDERS:
        orders = np.array(list(permutations(range(bits))), np.int64)
        order = orders[int(length[_moved(digits, orders)].sum(axis=1).argmin())]
    else:
        order = np.arange(bits)
        metres = np.inf
        while (new := _from_random_orders(order, digits, length))[0] < metres - 1e-9:
            metres, order = new
    return tuple(map(int, _moved(digits, order[None])[0]))


def _moved(digits: Int64, orders: Int64) -> Int64:
    """Return generators [orders, generators] with coordinate k moved to orders[:, k]."""
    moved: Int64 = (digits[None] << orders[:, None]).sum(axis=2)
    return moved


def _from_random_orders(order: Int64, digits: Int64, length: NDArray[np.float64]) -> tuple[float, Int64]:
    """Return the least sum, and its order, that exchanges reach from this order and from random ones."""
    random = np.random.default_rng(1)
    starts = [order.copy(), *(order[random.permutation(len(order))] for _ in range(STARTS))]
    sums = [kernel.exchange(start, digits, length) for start in starts]
    least = int(np.argmin(sums))
    return sums[least], starts[least]
