"""Symmetries of two hypercubes: what they leave as it is, and that annealing stays within them."""

from itertools import islice

import numpy as np
import pytest

from sim.topology.isomorphic import kernel
from sim.topology.isomorphic import search as module
from sim.topology.isomorphic.metrics import graph_figures, unit_basis, with_fold
from sim.topology.isomorphic.search import _Tables, laid_out
from sim.topology.isomorphic.symmetry import FIRST, LENGTH, TERMS, rotation, symmetries


@pytest.mark.parametrize(("bits", "size"), [(4, 1), (4, 2), (4, 4), (5, 2), (6, 3), (7, 3), (5, 4)])
def test_a_rotation_is_linear_and_comes_back(bits, size):
    turned, orbits = rotation(bits, size)
    vectors = np.arange(1 << bits)
    assert (turned[vectors[:, None] ^ vectors] == turned[:, None] ^ turned).all()
    at, back = turned, 1
    while not (at == vectors).all():
        at, back = turned[at], back + 1
    assert back == size
    assert sorted(turned[1 << np.arange(bits)]) == [1 << k for k in range(bits)]
    places = [orbit[FIRST] + k for orbit in orbits for k in range(orbit[LENGTH])]
    assert places == list(range(bits))
    assert (orbits[:, LENGTH] * orbits[:, TERMS] == size).all()


def test_every_size_of_block_once_and_few_free_vectors_first():
    every = symmetries(6)
    assert [len(each.orbits) for each in every] == [1, 2, 2, 3, 3, 6]
    assert len({tuple(each.turned) for each in every}) == 6


@pytest.mark.parametrize("folded", [False, True])
@pytest.mark.parametrize(("bits", "size"), [(6, 2), (6, 3), (6, 6), (7, 3), (5, 4)])
def test_annealed_bases_are_taken_to_themselves_and_load_an_orbit_the_same(monkeypatch, bits, size, folded):
    monkeypatch.setattr(module, "symmetries", lambda bits: [rotation(bits, size)])
    monkeypatch.setattr(module, "STEPS", 2000)
    one = rotation(bits, size)
    for seed in (1, 2, 3):
        basis, steps = next(module._annealings(_Tables.of(bits, folded, False), seed))
        assert steps == 2000 * len(one.orbits)
        assert kernel.independent(np.array(basis), np.zeros(bits, np.int64))
        assert {int(one.turned[each]) for each in basis} == set(basis)
        assert basis != unit_basis(bits)
        loads = graph_figures(bits, with_fold(basis, folded)).loads
        for first, length, _ in one.orbits:
            for plane in (0, 1):
                assert len(set(loads[plane][first : first + length])) == 1


def test_a_search_goes_through_all_symmetries_again_and_again(monkeypatch):
    monkeypatch.setattr(module, "STEPS", 500)
    annealed = list(islice(module._annealings(_Tables.of(6, False, False), 1), 12))
    every = symmetries(6)
    assert [steps for _, steps in annealed] == [500 * len(each.orbits) for each in every] * 2
    for (basis, _), one in zip(annealed, [*every, *every], strict=True):
        assert {int(one.turned[each]) for each in basis} == set(basis)


def test_a_search_counts_the_bases_that_it_tried(monkeypatch):
    monkeypatch.setattr(module, "STEPS", 500)
    assert module.search(8, seconds=1e-9).tried == 500  # one annealing, of bases that one vector gives


def test_symmetric_bases_are_better_than_what_annealing_among_all_finds(monkeypatch):
    """Of ten dimensions, both with fewer steps than one annealing of a search has."""
    monkeypatch.setattr(module, "STEPS", 4000)
    tables = _Tables.of(10, False, False)

    def best(size, times):
        monkeypatch.setattr(module, "symmetries", lambda bits: [rotation(bits, size)])
        annealed = module._annealings(tables, 1)
        return max(laid_out(10, next(annealed)[0], cables=False).gain for _ in range(times))

    assert best(5, 5) > 1.01 * best(1, 1)
