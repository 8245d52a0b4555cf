"""Search for a second plane's basis (paper D, sections 2.3 and 3.2): all bases of few dimensions, else annealing.

The search maximises the product of two improvements over two equal planes: of the all-to-all maximum traffic, and of
the mean distance or, with `cables`, of the minimum mean latency. The paper names "the greatest improvement of both"
without saying how it weighs them.

**All bases.** The order of a basis does not matter, and without `cables` neither does that of the coordinates: a
permutation of coordinates is an automorphism of plane 0. So it is enough to complete, in every way, one (n − 2)-subset
of each class under permutations of coordinates. For n = 7 these are about 10^5 classes and 10^8 bases; for n = 8 about
10^6.9 classes of 6 vectors and 10^11 bases, half a day of a core, which is out of reach here. Lengths of cables depend
on the order of coordinates, so with `cables` there are no classes, and n = 6 is the largest (10^8.6 bases).

**Annealing.** Among the bases of each symmetry in turn (`symmetry`) and among all bases. From nine dimensions on,
without `cables`, the symmetric ones are better than those that annealing among all bases finds in many times the time.
The hall has no such symmetry, so with `cables` every second annealing is among all bases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, cycle, islice, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.lib.array_check import check_int
from sim.lib.clock import cpu_s
from sim.lib.progress import report
from sim.topology.bases import kernel
from sim.topology.bases.coordinates import equivalent_generators, shortest_cables
from sim.topology.bases.layout import CABLE_NS_PER_M, END_NS, SWITCH_NS, generator_lengths
from sim.topology.bases.metrics import (
    Generators,
    cost_figures,
    graph_figures,
    mean_latency,
    popcounts,
    unit_basis,
    with_fold,
)
from sim.topology.bases.symmetry import symmetries
from sim.topology.hypercube import hypercube

LEAST, MOST = 2, 12  # dimensions
ALL_DISTANCE, ALL_CABLES = 7, 6  # most dimensions for which all bases are tried
STEPS = 20_000  # steps of one annealing, per orbit of the basis
HOT, COLD = 0.03, 0.0005  # temperatures, relative to the cost
UNIT = 1e6  # lengths of cables are integers, in micrometres
TIE = 2e-4  # share of the cost of the longest cables
SAME = 1e-9  # gains and metres that differ by less count as equal
CHUNK = 4096  # classes between two reports

Int64 = NDArray[np.int64]


class Pair(NamedTuple):
    """A second basis and the figures of its plane together with that of the unit basis.

    Attributes
    ----------
    generators : tuple of int
        Generators of the second plane, that of a folded plane last.
    mean_distance, traffic
        As in `metrics.GraphFigures`.
    cable_m : float
        Mean length of the cables between switches.
    latency_ns : float
        Minimum mean latency.
    gain : float
        Product of the improvements over two equal planes, which is maximised.
    """

    generators: Generators
    mean_distance: float
    traffic: float
    cable_m: float
    latency_ns: float
    gain: float


@dataclass(frozen=True)
class Found:
    """Result of a search.

    Attributes
    ----------
    best : Pair
        Pair of the greatest gain.
    bounds : tuple of float or None
        Least mean distance and greatest traffic of any basis, if all were tried.
    tried : int
        Bases evaluated, repetitions included.
    seconds : float
        CPU time, seconds.
    """

    best: Pair
    bounds: tuple[float, float] | None
    tried: int
    seconds: float


def pair(bits: int, generators: Generators, *, cables: bool) -> Pair:
    """Return the figures of a second basis; `cables` as in `search`."""
    equal = with_fold(unit_basis(bits), len(generators) > bits)
    both = [(graph_figures(bits, each), cost_figures(bits, each).cable_m) for each in (equal, generators)]
    (one, _), (two, cable_m) = both
    latencies = [mean_latency(graph.mean_distance, metres) for graph, metres in both]
    shorter = latencies[0] / latencies[1] if cables else one.mean_distance / two.mean_distance
    return Pair(
        tuple(generators),
        two.mean_distance,
        two.traffic,
        cable_m,
        latencies[1],
        shorter * two.traffic / one.traffic,
    )


def search(
    bits: int,
    *,
    folded: bool = False,
    cables: bool = False,
    seconds: float = 60.0,
    seed: int = 1,
    told: Callable[[Pair], None] | None = None,
) -> Found:
    """Find the second plane's basis.

    Parameters
    ----------
    bits : int
        Dimensions n, 2 to 12.
    folded : bool
        Whether the hypercubes are folded.
    cables : bool
        Minimise the mean latency with cables in racks instead of the mean distance.
    seconds : float
        CPU time of annealing, unless all bases are tried; an annealing that has begun is finished.
    seed : int
        Seed of the annealings, 0 or more.
    told : callable or None
        Called with each basis that is better than all before.

    Raises
    ------
    TsujiError
        If a parameter is out of range.
    """
    check_int("dimensions", bits, LEAST, MOST)
    check_int("seed", seed, 0)
    if not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise TsujiError(f"seconds = {seconds}: must be a number above 0")
    tables = _Tables.of(bits, folded, cables)
    started = cpu_s()
    if all_are_tried(bits, cables=cables):
        parts = _subsets(bits) if cables else coordinate_classes(bits, bits - 2)
        generators, bounds, tried = _try_all(tables, parts)
        best = laid_out(bits, with_fold(generators, folded), cables=cables)
        return Found(best, bounds, tried, cpu_s() - started)
    tried, chosen = 0, None
    for generators, evaluated in _annealings(tables, seed, cables=cables):
        tried += evaluated
        annealed = pair(bits, with_fold(generators, folded), cables=cables)
        if chosen is None or cables or annealed.gain > chosen.gain - SAME:
            new = laid_out(bits, annealed.generators, cables=cables)
            if chosen is None or better(new, chosen):
                chosen = new
                if told:
                    told(chosen)
        spent = cpu_s() - started
        report("annealing", int(spent), int(max(spent, seconds)))
        if spent >= seconds:
            break
    assert chosen is not None
    return Found(chosen, None, tried, cpu_s() - started)


def all_are_tried(bits: int, *, cables: bool) -> bool:
    """Return whether a search tries all bases of `bits` dimensions."""
    return bits <= (ALL_CABLES if cables else ALL_DISTANCE)


def better(one: Pair, other: Pair) -> bool:
    """Return whether `one` is better: of greater gain or, at the same gain, with shorter cables."""
    if abs(one.gain - other.gain) > SAME:
        return one.gain > other.gain
    return one.cable_m < other.cable_m - SAME


def laid_out(bits: int, generators: Generators, *, cables: bool) -> Pair:
    """Return the best known pair that differs from these planes only in its cables."""
    best, *others = (
        pair(bits, shortest_cables(bits, each), cables=cables) for each in equivalent_generators(bits, generators)
    )
    for other in others:
        if better(other, best):
            best = other
    return best


class _Tables(NamedTuple):
    """Tables for the kernel."""

    bits: int
    distance: Int64
    taken: Int64
    length: Int64
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, bits: int, folded: bool, cables: bool) -> _Tables:
        generators = with_fold(unit_basis(bits), folded)
        ways = hypercube(bits, generators).route_values
        taken = np.zeros((len(ways), kernel.WORDS), np.int64)
        for k in range(len(generators)):
            taken[:, k // kernel.FIELDS] |= (ways >> k & 1) << (kernel.FIELD * (k % kernel.FIELDS))
        metres = generator_lengths(bits)
        scale = 1 / len(ways)
        if cables:
            # Hops times half the mean over all generators' cables; those of plane 0 are the same for every basis.
            own = float(metres[list(generators)].sum())
            a_metre = scale * CABLE_NS_PER_M / (2 * len(generators))
            weights = np.array([scale * SWITCH_NS + own * a_metre, a_metre / UNIT, END_NS])
        else:
            # Of equal bases, prefer shorter cables.
            weights = np.array([scale, scale * TIE / (UNIT * len(generators) * float(metres.max())), 0.0])
        return cls(bits, popcounts(ways), taken, np.rint(UNIT * metres).astype(np.int64), weights)


def _annealings(tables: _Tables, seed: int, *, cables: bool) -> Iterator[tuple[Generators, int]]:
    """Yield the best basis of each annealing, and the number evaluated; the seed determines the first."""
    bits = tables.bits
    state = np.array([(seed * 0x9E3779B9 + 0x7F4A7C15) & 0xFFFFFFFF or 1], np.int64)
    found = np.zeros(3)
    best, scratch = np.zeros(bits, np.int64), np.zeros((2, bits), np.int64)
    every = symmetries(bits)
    if cables:
        every = [each for one in every[:-1] for each in (one, every[-1])]
    for image, orbits in islice(cycle(every), seed % len(every), None):
        evaluated = kernel.anneal(
            np.array(unit_basis(bits), np.int64),
            best,
            image,
            orbits,
            tables.distance,
            tables.taken,
            tables.length,
            tables.weights,
            np.array([STEPS * len(orbits), HOT, COLD]),
            state,
            scratch,
            found,
        )
        yield tuple(map(int, best)), int(evaluated)


def _try_all(tables: _Tables, parts: Int64) -> tuple[Generators, tuple[float, float], int]:
    """Return the best basis that completes one of `parts`, least mean distance, greatest traffic, and number tried."""
    bits, size = tables.bits, len(tables.distance)
    found = np.zeros(3)
    least, best = np.full(3, np.inf), np.zeros((3, bits), np.int64)
    tried = 0
    for first in range(0, len(parts), CHUNK):
        report("all bases", first, len(parts))
        tried += int(
            kernel.complete(
                parts[first : first + CHUNK],
                tables.distance,
                tables.taken,
                tables.length,
                tables.weights,
                np.zeros(size, np.int64),
                np.zeros(bits, np.int64),
                found,
                least,
                best,
            )
        )
    return tuple(map(int, best[2])), (float(least[0] / size), float(2 * size / least[1])), tried


def _subsets(bits: int) -> Int64:
    """Return all sets of n − 2 independent vectors [m, n − 2]."""
    listed = list(combinations(range(1, 1 << bits), bits - 2))
    sets = np.array(listed, np.int64).reshape(len(listed), bits - 2)
    return sets[_independent(sets)]


def coordinate_classes(bits: int, size: int) -> Int64:
    """Return one set of independent vectors for each class under permutations of coordinates.

    A set is a matrix of 0 and 1, one row per vector; sets are in one class if permutations of rows and columns convert
    one to the other. For each order of rows, columns are sorted; the least result over all orders names the class.

    Parameters
    ----------
    bits : int
        Coordinates n.
    size : int
        Vectors per set.

    Returns
    -------
    array [classes, size]
    """
    sets = np.zeros((1, 0), np.int64)
    vectors = np.arange(1, 1 << bits)
    for count in range(1, size + 1):
        grown = np.hstack([np.repeat(sets, len(vectors), axis=0), np.tile(vectors, len(sets))[:, None]])
        grown = grown[_independent(grown)]
        columns = (grown[:, :, None] >> np.arange(bits) & 1).astype(np.int64)  # [m, count, n]
        codes = (columns << np.arange(count)[:, None]).sum(axis=1)  # [m, n], one code per column
        names = np.concatenate([_class_names(part, count) for part in np.array_split(codes, 1 + len(codes) // 20_000)])
        chosen = np.unique(names, return_index=True)[1]
        sets = grown[chosen]
    return sets


def _class_names(codes: Int64, rows: int) -> Int64:
    """Return a number for each matrix of column codes [m, n], equal for all matrices of a class."""
    least = np.full(len(codes), np.iinfo(np.int64).max)
    number = np.arange(1 << rows)
    place = rows * np.arange(codes.shape[1])
    for order in permutations(range(rows)):
        moved = sum((number >> row & 1) << to for row, to in enumerate(order))
        least = np.minimum(least, (np.sort(np.asarray(moved)[codes], axis=1) << place).sum(axis=1))
    return least


def _independent(sets: Int64) -> NDArray[np.bool_]:
    """Return whether the vectors of each set [m, k] are independent: no XOR of some of them is 0."""
    good = np.ones(len(sets), np.bool_)
    spans = np.zeros((len(sets), 1), np.int64)
    for k in range(sets.shape[1]):
        more = spans ^ sets[:, k, None]
        good &= (more != 0).all(axis=1)
        spans = np.hstack([spans, more])
    return good
