"""Pairs of planes that differ in their cables alone, and which of them has the shortest (paper D, 2.3 and 3.2).

Names of coordinates, and which plane is called the first, say nothing about distances and traffic: a permutation of
coordinates is an automorphism of plane 0, and a linear map that takes plane 1 to plane 0 takes plane 0 to the plane of
the inverse basis. In a folded hypercube the last generator may change places with another one, too. In the hall, where
switches stand by their numbers, these are other cables.
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

ALL_ORDERS = 8  # most dimensions of which all orders are tried
STARTS = 16  # random orders from which coordinates are exchanged, beyond


def equivalent_generators(bits: int, generators: Generators) -> list[Generators]:
    """Return second planes of the same distances as this one, itself first.

    They are of the basis and of its inverse and, if folded, of each exchange of the last generator with a coordinate.
    Traffic is the same, too, but for folded planes of odd n, where a tie between both ways of a plane is broken
    otherwise.

    Parameters
    ----------
    bits : int
        Dimensions n.
    generators : tuple of int
        Of the second plane: n, or n + 1 of a folded one.
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
    """Return the generators with coordinates in the order that makes the sum of their cables least.

    Up to 8 dimensions it is the best of all orders. Beyond, it is the best that is found by exchanging two coordinates
    while that helps, from the order given and from random ones, and again from what they lead to, until none is better.
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
    """Return generators [orders, generators] whose coordinate k has gone to orders[:, k]."""
    moved: Int64 = (digits[None] << orders[:, None]).sum(axis=2)
    return moved


def _from_random_orders(order: Int64, digits: Int64, length: NDArray[np.float64]) -> tuple[float, Int64]:
    """Return the least sum, and its order, to which exchanges lead from this order and from random ones."""
    random = np.random.default_rng(1)
    starts = [order.copy(), *(order[random.permutation(len(order))] for _ in range(STARTS))]
    sums = [kernel.exchange(start, digits, length) for start in starts]
    least = int(np.argmin(sums))
    return sums[least], starts[least]
