"""BookSim2's traffic patterns: destinations by node number; a packet's own node may be one.

Source: traffic.cpp of https://github.com/booksim/booksim2. Random patterns have the same distribution, but another
generator of random numbers. `matrix` and `permutation` are those of derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import numpy as np

from models.errors import TsujiError
from sim.booksim.parser import call, elements
from sim.topology.base import Int64, Topology
from sim.traffic.pattern import Chooser, Pattern, permutation
from sim.traffic.table_file import read_table

MOST_DIGITS = 64  # of a node number


class BookSimPattern(Pattern):
    """A traffic pattern with BookSim2's name.

    Parameters
    ----------
    traffic : str
        BookSim2's `traffic`, such as uniform or hotspot({{0,9},{1,3}}).
    k, n, xr : int
        BookSim2's keys of these names.
    perm_seed : int
        Seed of randperm.
    order : tuple of int
        Our node number of each of BookSim2's nodes; empty: the same.
    """

    kind: ClassVar[str] = "booksim"
    to_itself: ClassVar[bool] = True
    traffic: str
    k: int
    n: int
    xr: int
    perm_seed: int
    order: tuple[int, ...] = ()

    def chooser(self, topology: Topology) -> Chooser:
        """Return the chooser of destinations.

        Raises
        ------
        TsujiError
            If there is no such pattern, or it does not fit the number of nodes.
        """
        name, arguments = call(self.traffic)
        if name not in _PATTERNS:
            raise self.unfit(f"must be one of {', '.join(sorted(_PATTERNS))}")
        try:
            chosen = _PATTERNS[name](self, topology.nodes, arguments)
        except (ValueError, OverflowError):
            raise self.unfit("arguments must be numbers") from None
        if not self.order:
            return chosen
        ours, theirs = np.array(self.order), np.argsort(self.order)
        return lambda rng, sources: ours[chosen(rng, theirs[sources])]

    def unfit(self, why: str) -> TsujiError:
        """Return the error for a pattern that does not fit."""
        return TsujiError(f"traffic = {self.traffic}: {why}")

    def digits(self, arguments: list[str], nodes: int) -> tuple[int, int]:
        """Return radix and number of the digits of a node number, from arguments k, n, xr or the keys."""
        k, n, xr = [*map(int, arguments), *(self.k, self.n, self.xr)[len(arguments) :]][:3]
        if len(arguments) > 3 or min(k, n, xr) < 1 or n > MOST_DIGITS:
            raise self.unfit(f"takes k, n and xr, of at least 1, and n at most {MOST_DIGITS}")
        if (k * xr) ** n != nodes:
            raise self.unfit(f"{n} digits of {k} · {xr} do not number {nodes} nodes")
        return k * xr, n


Maker = Callable[[BookSimPattern, int, list[str]], Chooser]


def _uniform(pattern: BookSimPattern, nodes: int, arguments: list[str]) -> Chooser:
    return lambda rng, sources: rng.integers(0, nodes, len(sources))


def _bits(pattern: BookSimPattern, nodes: int) -> int:
    if nodes & (nodes - 1):
        raise pattern.unfit(f"{nodes} nodes are not a power of two")
    return nodes.bit_length() - 1


def _bitcomp(pattern: BookSimPattern, nodes: int, arguments: list[str]) -> Chooser:
    _bits(pattern, nodes)
    return permutation(nodes - 1 - np.arange(nodes))


def _transpose(pattern: BookSimPattern, nodes: int, arguments: list[str]) -> Chooser:
    half, odd = divmod(_bits(pattern, nodes), 2)
    if odd:
        raise pattern.unfit(f"{nodes} nodes are not an even power of two")
    return permutation(np.arange(nodes).reshape(1 << half, 1 << half).T.ravel())


def _bitrev(pattern: BookSimPattern, nodes: int, arguments: list[str]) -> Chooser:
    bits, words = _bits(pattern, nodes), np.arange(nodes)
    return permutation(sum(((words >> bit & 1) << (bits - 1 - bit) for bit in range(bits)), np.zeros_like(words)))


def _shuffle(pattern: BookSimPattern, nodes: int, arguments: list[str]) -> Chooser:
    bits, words = _bits(pattern, nodes), np.arange(nodes)
    return permutation(words << 1 & (nodes - 1) | words >> max(0, bits - 1))


def _moved(pattern: BookSimPattern, nodes: int, arguments: list[str], offset: Callable[[int], int]) -> Chooser:
    size, count = pattern.digits(arguments, nodes)
    words, found = np.arange(nodes), np.zeros(nodes, np.int64)
    for place in (size**digit for digit in range(count)):
        found += place * ((words // place % size + offset(size)) % size)
    return permutation(found)


def _tornado(pattern: BookSimPattern, nodes: int, arguments: list[str]) -> Chooser:
    return _moved(pattern, nodes, arguments, lambda size: (size + 1) // 2 - 1)


def _neighbor(pattern: BookSimPattern, nodes: int, arguments: list[str]) -> Chooser:
    return _moved(pattern, nodes, arguments, lambda size: 1)


def _badperm_yarc(pattern: BookSimPattern, nodes: int, arguments: list[str]) -> Chooser:
    size, count = pattern.digits(arguments, nodes)
    if count != 2:
        raise pattern.unfit(f"needs node numbers of two digits, not {count}")
    return lambda rng, sources: rng.integers(0, size, len(sources)) * size + sources // size


def _randperm(pattern: BookSimPattern, nodes: int, arguments: list[str]) -> Chooser:
    seed = int(arguments[0]) if arguments else pattern.perm_seed
    return permutation(np.random.default_rng(seed).permutation(nodes))


def _diagonal(pattern: BookSimPattern, nodes: int, arguments: list[str]) -> Chooser:
    """Draw the next node with probability 1/3, else the node itself."""
    return lambda rng, sources: np.where(rng.integers(0, 3, len(sources)) == 0, (sources + 1) % nodes, sources)


def _asymmetric(pattern: BookSimPattern, nodes: int, arguments: list[str]) -> Chooser:
    half = nodes // 2
    return lambda rng, sources: sources % half + half * rng.integers(0, 2, len(sources))


def _taper64(pattern: BookSimPattern, nodes: int, arguments: list[str]) -> Chooser:
    """Draw a node of the 3×3 square around the source with probability 1/2, else any node."""
    if nodes != 64:
        raise pattern.unfit(f"needs 64 nodes, not {nodes}")

    def taper64_destinations(rng: np.random.Generator, sources: Int64) -> Int64:
        rows, columns = rng.integers(-1, 2, (2, len(sources)))
        near = (sources + 8 * rows + columns) % 64
        return np.where(rng.integers(0, 2, len(sources)) == 1, near, rng.integers(0, 64, len(sources)))

    return taper64_destinations


def _background(pattern: BookSimPattern, nodes: int, arguments: list[str]) -> Chooser:
    """Draw any node except those named."""
    excluded = [int(node) for node in elements(arguments[0])] if arguments else []
    left = np.setdiff1d(np.arange(nodes), excluded)
    if not excluded or not len(left) or not set(excluded) <= set(range(nodes)):
        raise pattern.unfit(f"names nodes to leave out, some of 0 to {nodes - 1}: background({{{{0,1}}}})")
    return lambda rng, sources: left[rng.integers(0, len(left), len(sources))]


def _hotspot(pattern: BookSimPattern, nodes: int, arguments: list[str]) -> Chooser:
    """Draw a node of a list in proportion to its rate; −1 is a node drawn once, the same for all packets."""
    spots = np.array([int(node) for node in elements(arguments[0])] if arguments else [-1], np.int64)
    rates = [int(rate) for rate in elements(arguments[1])] if len(arguments) > 1 else [1]
    rates = (rates + rates[-1:] * len(spots))[: len(spots)]
    if (spots >= nodes).any() or min(rates) <= 0:
        raise pattern.unfit(f"needs nodes of 0 to {nodes - 1} and rates above 0: hotspot({{{{0,9}},{{1,3}}}})")
    spots = np.where(spots < 0, np.random.default_rng(pattern.perm_seed).integers(0, nodes, len(spots)), spots)
    shares = np.array(rates, np.int64) / sum(rates)
    return lambda rng, sources: spots[rng.choice(len(spots), len(sources), p=shares)]


def _bad_dragon(pattern: BookSimPattern, nodes: int, arguments: list[str]) -> Chooser:
    """Draw a node of the next group of a dragonfly with k nodes per router."""
    k = int(arguments[0]) if arguments else pattern.k
    group = 2 * k * k
    if k < 1 or nodes % group:
        raise pattern.unfit(f"{nodes} nodes are not groups of {group}")
    return lambda rng, sources: (rng.integers(0, group, len(sources)) + (sources // group + 1) * group) % nodes


def _permutation(pattern: BookSimPattern, nodes: int, arguments: list[str]) -> Chooser:
    """Send from each node to the one that a list has for it: permutation({1,2,3,0})."""
    destinations = np.array([int(node) for node in arguments], np.int64)
    if sorted(destinations.tolist()) != list(range(nodes)):
        raise pattern.unfit(f"must name each of the nodes 0 to {nodes - 1} once: permutation({{1,2,…}})")
    return permutation(destinations)


def _matrix(pattern: BookSimPattern, nodes: int, arguments: list[str]) -> Chooser:
    """Draw a destination by the weights of a row: of a file, or of the list matrix({{0,1},{1,0}})."""
    if len(arguments) == 1 and not arguments[0].startswith("{"):
        weights = read_table(Path(arguments[0]), nodes).weights(nodes)
    else:
        rows = [[float(weight) for weight in elements(row)] for row in arguments]
        if len(rows) != nodes or any(len(row) != nodes for row in rows):
            raise pattern.unfit(f"must be a file, or {nodes} lists of {nodes} weights: matrix({{{{0,1}},{{1,0}}}})")
        weights = np.array(rows)
    greatest = weights.max(axis=1, keepdims=True)
    if not (np.isfinite(weights) & (weights >= 0)).all() or not greatest.all():
        raise pattern.unfit("must have a weight above 0 in each row, and none below 0")
    shares = np.cumsum(weights / greatest, axis=1)
    limits = (shares / shares[:, -1:] + 2.0 * np.arange(nodes)[:, None]).ravel()

    def matrix_destinations(rng: np.random.Generator, sources: Int64) -> Int64:
        place = np.searchsorted(limits, rng.random(len(sources)) + 2.0 * sources, side="right")
        found: Int64 = np.minimum(place - sources * nodes, nodes - 1)
        return found

    return matrix_destinations


_PATTERNS: dict[str, Maker] = {
    "asymmetric": _asymmetric,
    "background": _background,
    "bad_dragon": _bad_dragon,
    "badperm_yarc": _badperm_yarc,
    "bitcomp": _bitcomp,
    "bitrev": _bitrev,
    "diagonal": _diagonal,
    "hotspot": _hotspot,
    "matrix": _matrix,
    "neighbor": _neighbor,
    "permutation": _permutation,
    "randperm": _randperm,
    "shuffle": _shuffle,
    "taper64": _taper64,
    "tornado": _tornado,
    "transpose": _transpose,
    "uniform": _uniform,
}

NAMES = tuple(_PATTERNS)
