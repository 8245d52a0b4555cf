"""Symmetries of two hypercubes: transformations that preserve them, and annealing within their bases."""

from itertools import islice

import numpy as np
import pytest

from sim.topology.bases import kernel
from sim.topology.bases import search as module
from sim.topology.bases.metrics import graph_figures, unit_basis, with_fold
from sim.topology.bases.search import _Tables, laid_out
from sim.topology.bases.symmetry import rotation, symmetries


@pytest.mark.parametrize(("bits", "size"), [(4, 1), (4, 2), (4, 4), (5, 2), (6, 3), (7, 3), (5, 4)])
def test_a_rotation_is_linear_and_comes_back(bits, size):
    image, orbits = rotation(bits, size)
    vectors = np.arange(1 << bits)
    assert (image[vectors[:, None] ^ vectors] == image[:, None] ^ image).all()
    at, back = image, 1
    while not (at == vectors).all():
        at, back = image[at], back + 1
    assert back == size
    assert sorted(image[1 << np.arange(bits)]) == [1 << k for k in range(bits)]
    assert [first + k for first, length, _ in orbits for k in range(length)] == list(range(bits))
    assert all(length * terms == size for _, length, terms in orbits)


def test_every_size_of_block_once_and_few_orbits_first():
    every = symmetries(6)
    assert [len(each.orbits) for each in every] == [1, 2, 2, 3, 3, 6]
    assert len({tuple(each.image) for each in every}) == 6


@pytest.mark.parametrize("folded", [False, True])
@pytest.mark.parametrize(("bits", "size"), [(6, 2), (6, 3), (6, 6), (7, 3), (5, 4), (6, 4)])
def test_annealed_bases_are_taken_to_themselves_and_load_an_orbit_the_same(monkeypatch, bits, size, folded):
    monkeypatch.setattr(module, "symmetries", lambda bits: [rotation(bits, size)])
    monkeypatch.setattr(module, "STEPS", 2000)
    one = rotation(bits, size)
    for seed in (1, 2, 3):
        basis, evaluated = next(module._annealings(_Tables.of(bits, folded, False), seed, cables=False))
        assert 2 <= evaluated <= 1 + 2000 * len(one.orbits)
        assert kernel.independent(np.array(basis), np.zeros(bits, np.int64))
        assert {int(one.image[each]) for each in basis} == set(basis)
        assert basis != unit_basis(bits)
        for plane in graph_figures(bits, with_fold(basis, folded)).loads:
            assert all(len(set(plane[first : first + length])) == 1 for first, length, _ in one.orbits)


def annealed(bits, size, wanted, hot, cold, steps=4000):
    """Anneal for a basis of the wanted vectors, whose cables alone cost nothing; return best, last state and count."""
    image, orbits = rotation(bits, size)
    tables = _Tables.of(bits, False, True)
    length = np.ones(1 << bits, np.int64)
    length[list(wanted)] = 0
    basis, best = np.array(unit_basis(bits), np.int64), np.zeros(bits, np.int64)
    count = kernel.anneal(
        basis, best, image, orbits, tables.distance, tables.taken, length, np.array([1.0, 9.0, 0.0]),
        np.array([steps, hot, cold]), np.array([5], np.int64), np.zeros((2, bits), np.int64), np.zeros(3),
    )  # fmt: skip
    return tuple(map(int, best)), tuple(map(int, basis)), count


@pytest.mark.parametrize(
    ("bits", "size", "wanted"),
    [
        (6, 4, (1, 2, 4, 8, 48, 32)),  # two vectors that stay, of which one has a coordinate that stays more
        (6, 4, (1, 2, 4, 8, 32, 31)),
        (5, 5, (7, 14, 28, 25, 19)),
        (6, 2, (5, 10, 4, 8, 33, 18)),
    ],
)
def test_annealing_reaches_every_kind_of_symmetric_basis(bits, size, wanted):
    assert set(annealed(bits, size, wanted, 10.0, 0.01)[0]) == set(wanted)


def test_cold_annealing_never_gets_worse_and_hot_annealing_does():
    """The last state is the best one, or not."""
    wanted = (3, 5, 24, 17, 9)
    best, last, count = annealed(5, 1, wanted, 1e-12, 1e-12)
    assert loss(best, wanted) == loss(last, wanted)
    assert 100 < count < 4001  # some steps change nothing, or give no basis
    best, last, _ = annealed(5, 1, wanted, 1e9, 1e9)
    assert loss(best, wanted) < loss(last, wanted)


def loss(basis, wanted):
    tables = _Tables.of(5, False, False)
    found = np.zeros(3)
    kernel.evaluate(np.array(basis), tables.distance, tables.taken, tables.length, found)
    return found[kernel.HOPS] * (1 + 9 * sum(each not in wanted for each in basis)) * found[kernel.MOST]


def test_a_search_goes_through_all_symmetries_again_and_again(monkeypatch):
    """With cables every second annealing is among all bases; the seed decides where it begins."""
    monkeypatch.setattr(module, "STEPS", 500)
    every = symmetries(6)

    def check(seed, cables, expected):
        found = list(islice(module._annealings(_Tables.of(6, False, cables), seed, cables=cables), len(expected)))
        for (basis, evaluated), one in zip(found, expected, strict=True):
            assert {int(one.image[each]) for each in basis} == set(basis)
            assert evaluated <= 1 + 500 * len(one.orbits)
            assert evaluated > 1000 or len(one.orbits) < 6

    check(6, False, every * 2)
    check(2, False, every[2:] + every)
    check(10, True, [each for one in every[:-1] for each in (one, every[-1])] * 2)


def test_symmetric_bases_are_better_than_what_annealing_among_all_finds(monkeypatch):
    """Ten dimensions, without cables, with the same number of steps."""
    monkeypatch.setattr(module, "STEPS", 4000)
    tables = _Tables.of(10, False, False)

    def best(size, times):
        monkeypatch.setattr(module, "symmetries", lambda bits: [rotation(bits, size)])
        found = module._annealings(tables, 1, cables=False)
        return max(laid_out(10, next(found)[0], cables=False).gain for _ in range(times))

    assert best(5, 5) > 1.01 * best(1, 1)
