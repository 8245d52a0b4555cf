"""A second torus on the same nodes, in other coordinates: paper D's second hypercube for k-ary n-cubes.

Paper D (section 4) says that planes of any topology but the complete graph can be isomorphic, and evaluates only
hypercubes. A k-ary n-cube is a Cayley graph of Z_k^n as a hypercube is one of GF(2)^n: a packet's path depends only on
destination − source. The second plane is the torus of n other generators, a basis of Z_k^n; a packet takes the plane
with the shorter path, and half of those with equal paths take each. All bases are tried, up to order and signs of
generators.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from models.errors import TsujiError
from sim.lib.array_check import check_int, check_ints
from sim.lib.progress import report
from sim.topology.bases.second_torus_kernel import HOPS, LOAD, PRODUCT, try_all

LEAST_RADIX, MOST_RADIX = 3, 32
LEAST_DIMENSIONS, MOST_DIMENSIONS = 2, 4
TRIED_RADIX = {2: 32, 3: 10, 4: 4}  # largest k for which all bases are tried, by dimensions: at most about 80 s

Int64 = NDArray[np.int64]
Basis = tuple[tuple[int, ...], ...]


class TorusPair(NamedTuple):
    """A second torus and the figures of both together.

    Attributes
    ----------
    generators : tuple of tuple of int
        Generators of the second plane: the node that a hop in each of its dimensions reaches from node 0, coordinates
        below k.
    mean_distance : float
        Mean number of links on the shorter path, over all differences, 0 included.
    traffic : float
        All-to-all maximum traffic with one node per switch: packets that a node sends ÷ packets on the most loaded
        link.
    gain : float
        Product of both improvements over two equal planes, which is maximised.
    """

    generators: Basis
    mean_distance: float
    traffic: float
    gain: float


class TorusFound(NamedTuple):
    """Result of a search.

    Attributes
    ----------
    best : TorusPair
        Pair of the greatest gain.
    least_mean_distance, greatest_traffic : float
        Least mean distance, and greatest traffic, of any basis.
    tried : int
        Number of bases.
    """

    best: TorusPair
    least_mean_distance: float
    greatest_traffic: float
    tried: int


def equal_tori(radix: int, dimensions: int) -> TorusPair:
    """Return the figures of two equal planes.

    Parameters
    ----------
    radix : int
        k, 3 to 32.
    dimensions : int
        n, 2 to 4.

    Raises
    ------
    TsujiError
        If a parameter is out of range.
    """
    return torus_pair(radix, np.eye(_dimensions(dimensions), dtype=np.int64))


def torus_pair(radix: int, generators: ArrayLike) -> TorusPair:
    """Return the figures of the torus of these generators together with that of the unit basis.

    Parameters
    ----------
    radix : int
        k, 3 to 32.
    generators : array_like of int
        [n, n], n generators of n coordinates, n 2 to 4, coordinates 0 to k − 1.

    Raises
    ------
    TsujiError
        If a parameter is out of range, or the generators do not reach every node.
    """
    radix = check_int("radix", radix, LEAST_RADIX, MOST_RADIX)
    basis = check_ints("generators", generators, (None, None), 0, radix - 1)
    dimensions = _dimensions(len(basis))
    if basis.shape[1] != dimensions:
        raise TsujiError(f"generators: {dimensions} of {basis.shape[1]} coordinates; must be of {dimensions}")
    digits = _digits(radix, dimensions)
    to = digits @ basis % radix @ radix ** np.arange(dimensions)  # the node that each path reaches
    if len(np.unique(to)) < len(to):
        raise TsujiError(f"generators = {basis.tolist()}: do not reach every node; must be a basis modulo {radix}")
    links = np.minimum(digits, radix - digits)
    hops = links.sum(axis=1)
    shorter = np.sign(hops[to] - hops)  # 1 where the second plane's path is shorter
    loads = np.stack([((1 - shorter)[:, None] * links[to]).sum(axis=0), ((1 + shorter)[:, None] * links).sum(axis=0)])
    # Two packets to every node; the links of a generator in both directions have the same load.
    mean, traffic = float(np.minimum(hops[to], hops).mean()), float(2 * len(to) / (loads.max() / 2))
    mean_equal, traffic_equal = float(hops.mean()), float(4 * len(to) / links.sum(axis=0).max())
    return TorusPair(tuple(map(tuple, basis.tolist())), mean, traffic, mean_equal / mean * traffic / traffic_equal)


def search_tori(radix: int, dimensions: int) -> TorusFound:
    """Find the second torus by trying all bases.

    Parameters
    ----------
    radix : int
        k, 3 to 32; at most 10 for 3 dimensions, at most 4 for 4.
    dimensions : int
        n, 2 to 4.

    Raises
    ------
    TsujiError
        If a parameter is out of range.
    """
    dimensions = _dimensions(dimensions)
    radix = check_int(f"radix, of {dimensions} dimensions", radix, LEAST_RADIX, TRIED_RADIX[dimensions])
    digits = _digits(radix, dimensions)
    whole = np.gcd.reduce(np.column_stack([digits, np.full(len(digits), radix)]), axis=1) == 1  # of order k
    opposite = (-digits % radix) @ radix ** np.arange(dimensions)
    vectors = np.flatnonzero(whole & (np.arange(len(digits)) < opposite))
    links = np.minimum(digits, radix - digits)
    place = radix ** np.arange(dimensions)
    moved = (digits[None] + digits[vectors][:, None]) % radix @ place
    level = (digits != 0).argmax(axis=1)
    ways = np.stack([level, np.arange(len(digits)) - place[level]], axis=1)
    least, best = np.full(3, np.inf), np.zeros((3, dimensions), np.int64)
    count = np.zeros(2, np.int64)
    chosen, scratch = np.zeros(dimensions, np.int64), np.zeros((2, len(digits)), np.int64)
    loads, figures = np.zeros((2, dimensions), np.int64), np.zeros(3)
    sets = comb(len(vectors), dimensions)
    for first in range(len(vectors) - dimensions + 1):
        report("all tori", int(count[0]), sets)
        try_all(first, moved, ways, links, links.sum(axis=1), chosen, scratch, loads, figures, count, least, best)
    generators = [tuple(map(int, digits[vectors[k]])) for k in best[PRODUCT]]
    return TorusFound(
        torus_pair(radix, generators),
        float(least[HOPS] / len(digits)),
        float(4 * len(digits) / least[LOAD]),
        int(count[1]),
    )


def _digits(radix: int, dimensions: int) -> Int64:
    """Return the coordinates of all nodes [k^n, n], the first one varying fastest."""
    return np.arange(radix**dimensions)[:, None] // radix ** np.arange(dimensions) % radix


def _dimensions(dimensions: int) -> int:
    return check_int("dimensions", dimensions, LEAST_DIMENSIONS, MOST_DIMENSIONS)
