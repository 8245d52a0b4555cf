"""Compiled loop of the search for a second torus: every basis of Z_k^n that begins with a given generator."""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled

HOPS, LOAD, PRODUCT = range(3)  # places in `figures` and `least`
AT, SEEN = range(2)  # rows of `scratch`


@compiled
def reach(chosen: np.ndarray, moved: np.ndarray, ways: np.ndarray, scratch: np.ndarray, stamp: int) -> bool:
    """Find the node that each path in the second plane reaches; return whether all are distinct.

    Parameters
    ----------
    chosen, moved, ways, scratch : numpy.ndarray
        As in `try_all`; scratch[0] holds the nodes.
    stamp : int
        Above 0, different in each call.
    """
    scratch[AT, 0] = 0
    scratch[SEEN, 0] = stamp
    for way in range(1, len(ways)):
        node = moved[chosen[ways[way, 0]], scratch[AT, ways[way, 1]]]
        if scratch[SEEN, node] == stamp:
            return False
        scratch[SEEN, node] = stamp
        scratch[AT, way] = node
    return True


@compiled
def weigh(links: np.ndarray, hops: np.ndarray, scratch: np.ndarray, loads: np.ndarray, figures: np.ndarray) -> None:
    """Write to `figures` the sum of hops, twice the packets on the most loaded link, and the product of both.

    Parameters
    ----------
    links, hops, scratch, loads, figures : numpy.ndarray
        As in `try_all`.
    """
    n = links.shape[1]
    for plane in range(2):
        for k in range(n):
            loads[plane, k] = 0
    total = 0
    for way in range(len(hops)):
        node = scratch[AT, way]
        first, second = hops[node], hops[way]
        total += min(first, second)
        packets = 1 + (first < second) - (second < first)
        for k in range(n):
            loads[0, k] += packets * links[node, k]
            loads[1, k] += (2 - packets) * links[way, k]
    most = 0
    for plane in range(2):
        for k in range(n):
            most = max(most, loads[plane, k])
    figures[HOPS] = total
    figures[LOAD] = most
    figures[PRODUCT] = float(total) * most


@compiled
def try_all(
    first: int,
    moved: np.ndarray,
    ways: np.ndarray,
    links: np.ndarray,
    hops: np.ndarray,
    chosen: np.ndarray,
    scratch: np.ndarray,
    loads: np.ndarray,
    figures: np.ndarray,
    count: np.ndarray,
    least: np.ndarray,
    best: np.ndarray,
) -> None:
    """Evaluate every basis of the vector `first` and later ones.

    Parameters
    ----------
    first : int
        Number of a vector.
    moved : numpy.ndarray
        int64 [vectors, k^n]: node that a vector reaches from each node.
    ways : numpy.ndarray
        int64 [k^n, 2]: for each path in coordinates of the second plane, a dimension in which it has a hop, and the
        path without that hop, which has a lower number.
    links : numpy.ndarray
        int64 [k^n, n]: links of a path in each dimension, in the shorter direction of the ring.
    hops : numpy.ndarray
        int64 [k^n]: sum of `links`.
    chosen, scratch, loads, figures : numpy.ndarray
        int64 [n], [2, k^n] (zeros at first), [2, n] and float64 [3], scratch.
    count : numpy.ndarray
        int64 [2], in and out: sets of vectors tried, and those that are bases.
    least : numpy.ndarray
        float64 [3], in and out: least figure of each kind.
    best : numpy.ndarray
        int64 [3, n], in and out: vectors with each of these.
    """
    n = len(chosen)
    for k in range(n):
        chosen[k] = first + k
    while True:
        count[0] += 1
        if reach(chosen, moved, ways, scratch, count[0]):
            count[1] += 1
            weigh(links, hops, scratch, loads, figures)
            for kind in range(3):
                if figures[kind] < least[kind]:
                    least[kind] = figures[kind]
                    for k in range(n):
                        best[kind, k] = chosen[k]
        last = n - 1
        while last > 0 and chosen[last] == len(moved) - n + last:
            last -= 1
        if last == 0:
            return
        chosen[last] += 1
        for k in range(last + 1, n):
            chosen[k] = chosen[k - 1] + 1
