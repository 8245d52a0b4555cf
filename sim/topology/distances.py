"""Distances between all switches: parallel breadth-first searches, one bit each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.lib.progress import steps

Int64 = NDArray[np.int64]

SEARCHES = 1024  # parallel searches: 128 bytes per switch
ONES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)  # of each byte


class Distances(NamedTuple):
    """Figures of the distances of all searches.

    Attributes
    ----------
    longest : int
        Largest distance, links.
    total : int
        Sum over starts and all switches of distance × the weights of both.
    apart : tuple of int or None
        A pair of switches without a path; None if there is none.
    """

    longest: int
    total: int
    apart: tuple[int, int] | None


def all_distances(peer_switch: Int64, weight: Int64, starts: Int64 | None = None) -> Distances:
    """Search from every switch, or from some.

    Parameters
    ----------
    peer_switch : array [S, P]
        Switch at the far end of each port; -1 without a switch.
    weight : array [S]
        Weight of each switch in the sum, such as the nodes on it.
    starts : array or None
        Switches to search from; None: all.
    """
    starts = np.arange(len(peer_switch)) if starts is None else starts
    longest = total = 0
    for first in steps("distances", range(0, len(starts), SEARCHES)):
        found = _search(peer_switch, weight, starts[first : first + SEARCHES])
        if found.apart:
            return found
        longest, total = max(longest, found.longest), total + found.total
    return Distances(longest, total, None)


def _search(peer_switch: Int64, weight: Int64, starts: Int64) -> Distances:
    """Search from some switches: bit b of row s says whether the search from the b-th start has reached switch s."""
    numbers = np.arange(len(peer_switch))
    ways = [np.where(peer < 0, numbers, peer) for peer in peer_switch.T if (peer >= 0).any()]
    here = np.zeros((len(numbers), len(starts)), np.bool_)
    here[starts, np.arange(len(starts))] = True
    met = np.packbits(here, axis=1)
    everything = np.packbits(np.ones(len(starts), np.bool_))
    weights = {int(value): np.packbits(weight[starts] == value) for value in np.unique(weight[starts]) if value}
    longest = total = 0
    while (met != everything).any():
        inside = sum(
            value * int(weight @ np.take(ONES, met & mask).sum(axis=1, dtype=np.int64))
            for value, mask in weights.items()
        )
        total += int(weight.sum() * weight[starts].sum()) - inside
        wider = met.copy()
        for way in ways:
            wider |= met[way]
        if (wider == met).all():
            start, lost = np.argwhere(np.unpackbits(met, axis=1, count=len(starts)).T == 0)[0]
            return Distances(longest, total, (int(starts[start]), int(lost)))
        met, longest = wider, longest + 1
    return Distances(longest, total, None)
