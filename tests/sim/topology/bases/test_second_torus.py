"""Second torus beside the first: figures against a count packet by packet, the search against all bases."""

from fractions import Fraction
from itertools import combinations, product
from math import factorial

import networkx as nx
import numpy as np
import pytest

from models.errors import TsujiError
from sim.topology.bases.metrics import graph_figures
from sim.topology.bases.second_torus import equal_tori, search_tori, torus_pair
from sim.topology.bases.store import read_bases


def plain(radix, generators):
    """Send two packets from every node to every node; return mean distance and traffic, or None if it is no basis."""
    n = len(generators)
    nodes = list(product(range(radix), repeat=n))
    units = np.eye(n, dtype=int)

    def ways(basis):
        """Return the coordinates of each node in a basis."""
        found = {}
        for steps in nodes:
            found[tuple(int(value) for value in np.array(steps) @ basis % radix)] = steps
        return found

    def add(node, generator, sign):
        return tuple((a + sign * int(b)) % radix for a, b in zip(node, generator, strict=True))

    planes = [(units, ways(units)), (np.array(generators), ways(np.array(generators)))]
    if any(len(found) < len(nodes) for _, found in planes):
        return None
    load, total = {}, 0
    for source, target in product(nodes, repeat=2):
        apart = tuple((b - a) % radix for a, b in zip(source, target, strict=True))
        steps = [found[apart] for _, found in planes]
        length = [sum(min(step, radix - step) for step in each) for each in steps]
        total += min(length)
        taken = [k for k in (0, 1) if length[k] == min(length)]
        for plane in taken:
            for k, step in enumerate(steps[plane]):
                sides = [1, -1] if 2 * step == radix else [1] if 2 * step < radix else [-1]
                for sign in sides:  # half of the packets in each direction of a ring in a tie
                    at = source
                    for other in range(k):
                        at = add(at, planes[plane][0][other] * steps[plane][other], 1)
                    for _ in range(min(step, radix - step)):
                        link = plane, k, sign, at
                        load[link] = load.get(link, 0) + Fraction(2, len(taken) * len(sides))
                        at = add(at, planes[plane][0][k], sign)
    return Fraction(total, len(nodes) ** 2), Fraction(2 * len(nodes)) / max(load.values())


@pytest.mark.parametrize(
    ("radix", "generators"),
    [
        (3, [(1, 1), (2, 1)]),
        (4, [(1, 1), (2, 1)]),
        (5, [(1, 2), (0, 1)]),
        (5, [(0, 1), (2, 1)]),  # the second plane's links are the most loaded
        (6, [(1, 1), (2, 3)]),  # the first plane's
        (6, [(2, 1), (5, 2)]),
        (4, [(1, 0), (0, 1)]),
        (3, [(1, 1, 0), (1, 0, 1), (1, 1, 1)]),
    ],
)
def test_figures_against_a_count_packet_by_packet(radix, generators):
    found = torus_pair(radix, generators)
    distance, traffic = plain(radix, generators)
    assert found.mean_distance == pytest.approx(float(distance))
    assert found.traffic == pytest.approx(float(traffic))
    equal_distance, equal_traffic = plain(radix, np.eye(len(generators), dtype=int))
    assert found.gain == pytest.approx(float(equal_distance / distance * traffic / equal_traffic))


@pytest.mark.parametrize("radix", [3, 4, 5])
def test_search_against_every_basis(radix):
    """Pairs in any order and with any sign. With five per dimension the least distance is not always the best."""
    vectors = list(product(range(radix), repeat=2))
    every = [each for each in (plain(radix, pair) for pair in product(vectors, repeat=2)) if each is not None]
    found = search_tori(radix, 2)
    assert found.tried == len(every) / 8  # two orders, two signs each
    assert found.least_mean_distance == pytest.approx(float(min(distance for distance, _ in every)))
    assert found.greatest_traffic == pytest.approx(float(max(traffic for _, traffic in every)))
    gain = max(traffic / distance for distance, traffic in every)
    assert found.best.traffic / found.best.mean_distance == pytest.approx(float(gain))
    assert found.best == torus_pair(radix, found.best.generators)


@pytest.mark.parametrize("radix", [4, 5, 6])
def test_the_second_plane_is_a_torus(radix):
    """Its graph is that of the first torus, with other numbers of nodes."""
    generators = search_tori(radix, 2).best.generators
    graph = nx.Graph()
    for node in product(range(radix), repeat=2):
        for step in generators:
            graph.add_edge(node, tuple((a + b) % radix for a, b in zip(node, step, strict=True)))
    assert nx.is_isomorphic(graph, nx.grid_2d_graph(radix, radix, periodic=True))


def test_equal_planes_are_a_torus_twice():
    for radix in (4, 8):
        equal = equal_tori(radix, 2)
        assert (equal.mean_distance, equal.traffic, equal.gain) == (radix / 2, 16 / radix, 1)


def general_linear(dimensions, radix):
    """Return how many invertible matrices there are modulo a number (Jordan's totient of each prime power)."""
    size = radix ** (dimensions * dimensions)
    for prime in (p for p in range(2, radix + 1) if radix % p == 0 and all(p % q for q in range(2, p))):
        for k in range(1, dimensions + 1):
            size = size * (prime**k - 1) // prime**k
    return size


@pytest.mark.parametrize(("radix", "dimensions"), [(5, 2), (6, 2), (8, 2), (9, 2), (12, 2), (3, 3), (4, 3), (5, 3)])
def test_all_bases_are_tried(radix, dimensions):
    """One order and one sign per generator."""
    alike = 2**dimensions * factorial(dimensions)
    assert search_tori(radix, dimensions).tried == general_linear(dimensions, radix) // alike


def test_three_dimensions_against_every_basis():
    vectors = [each for each in product(range(3), repeat=3) if any(each)]
    bases = (each for each in combinations(vectors, 3) if round(np.linalg.det(np.array(each))) % 3)
    every = [torus_pair(3, each) for each in bases]
    found = search_tori(3, 3)
    assert found.best.gain == pytest.approx(max(each.gain for each in every))
    assert found.least_mean_distance == pytest.approx(min(each.mean_distance for each in every))
    assert found.greatest_traffic == pytest.approx(max(each.traffic for each in every))


def test_what_is_sought_is_the_product():
    """With six per dimension many bases have the greatest traffic; the first of them has a longer distance."""
    assert search_tori(6, 3).best.gain >= torus_pair(6, [(2, 1, 0), (3, 0, 2), (2, 2, 3)]).gain


def test_a_product_of_7_a_dimension_trades_one_for_the_other():
    found = search_tori(7, 3)
    assert found.best.mean_distance > found.least_mean_distance
    assert found.best.traffic == pytest.approx(found.greatest_traffic)


def test_four_a_dimension_is_a_hypercube():
    """A ring of four is a square: bases modulo 4 give the results of those of GF(2), and more with 256 switches."""
    kept = read_bases()
    for dimensions in (2, 3):
        cube = graph_figures(2 * dimensions, kept[2 * dimensions, False, False].generators)
        found = search_tori(4, dimensions).best
        assert (found.mean_distance, found.traffic) == pytest.approx((cube.mean_distance, cube.traffic))
    cube = graph_figures(8, kept[8, False, False].generators)
    found = torus_pair(4, [(1, 1, 1, 0), (3, 1, 0, 1), (0, 3, 1, 1), (1, 0, 3, 1)])
    assert found.mean_distance < cube.mean_distance
    assert found.traffic > cube.traffic


def test_small_numpy_numbers_are_whole_numbers():
    assert equal_tori(np.uint8(17), 2) == equal_tori(17, 2)
    assert search_tori(np.int8(7), np.int8(2)) == search_tori(7, 2)
    assert torus_pair(np.int8(16), np.array([(1, 1), (2, 1)], np.int8)) == torus_pair(16, [(1, 1), (2, 1)])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: search_tori(2, 2), "radix, of 2 dimensions = 2: must be a whole number, 3 to 32"),
        (lambda: search_tori(4, 1), "dimensions = 1: must be a whole number, 2 to 4"),
        (lambda: search_tori(16, 3), "radix, of 3 dimensions = 16: must be a whole number, 3 to 10"),
        (lambda: search_tori(8.0, 2), "radix, of 2 dimensions = 8.0: must be a whole number"),
        (lambda: equal_tori(4, "a"), "dimensions = 'a': must be a whole number"),
        (lambda: equal_tori(4, 10**6), "dimensions = 1000000: must be a whole number, 2 to 4"),
        (lambda: torus_pair(4, [(1, 0), (2, 0)]), "do not reach every node; must be a basis modulo 4"),
        (lambda: torus_pair(4, [(1, 0, 0), (0, 1, 0)]), "generators: 2 of 3 coordinates; must be of 2"),
        (lambda: torus_pair(4, [(1, 0), (0, 1, 0)]), "generators"),
        (lambda: torus_pair(4, [(1, 0), (0, 4)]), r"generators\[1, 1\] = 4"),
        (lambda: torus_pair(4, [(1, 0), (0, 1.5)]), "generators"),
        (lambda: torus_pair(4, 5), "generators"),
        (lambda: torus_pair(4, None), "generators"),
        (lambda: torus_pair(4, [1, 2]), "generators"),
    ],
)
def test_wrong_values_are_refused(call, message):
    with pytest.raises(TsujiError, match=message):
        call()
