"""A second torus beside the first: figures against a count packet by packet, the search against all bases."""

from fractions import Fraction
from itertools import product

import networkx as nx
import numpy as np
import pytest

from models.errors import TsujiError
from sim.topology.isomorphic.metrics import graph_figures
from sim.topology.isomorphic.second_torus import equal_tori, search_tori, torus_pair
from sim.topology.isomorphic.store import read_bases


def plain(radix, generators):
    """Send two packets from every node to every node; return mean distance and traffic, or None if it is no basis."""
    n = len(generators)
    nodes = list(product(range(radix), repeat=n))
    units = np.eye(n, dtype=int)

    def ways(basis):
        """Coordinates of each node in a basis."""
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
                for sign in sides:  # half of the packets by each side of the ring where both are as long
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


@pytest.mark.parametrize("radix", [3, 4])
def test_search_against_every_basis(radix):
    """Of pairs in any order and with any sign."""
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
    """Its graph is that of the first, on other nodes."""
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


def test_four_a_dimension_is_a_hypercube():
    """A ring of four nodes is a square: with as many switches two planes gain no less than with bases of GF(2)."""
    kept = read_bases()
    for dimensions in (2, 3):
        cube = graph_figures(2 * dimensions, kept[2 * dimensions, False, False].generators)
        found = search_tori(4, dimensions).best
        assert (found.mean_distance, found.traffic) == pytest.approx((cube.mean_distance, cube.traffic))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: search_tori(2, 2), "radix = 2: must be a whole number, 3 to 32"),
        (lambda: search_tori(4, 1), "dimensions = 1: must be a whole number, 2 to 4"),
        (lambda: search_tori(16, 3), r"radix = 16: in 3 dimensions .* bases times nodes are too many; must be at most"),
        (lambda: search_tori(8.0, 2), "radix = 8.0: must be a whole number"),
        (lambda: torus_pair(4, [(1, 0), (2, 0)]), "do not reach every node; must be a basis modulo 4"),
        (lambda: torus_pair(4, [(1, 0), (0, 1, 0)]), "must be 2 times 2 coordinates"),
        (lambda: torus_pair(4, [(1, 0), (0, 4)]), "generators: a coordinate = 4: must be a whole number, 0 to 3"),
        (lambda: torus_pair(4, [(1, 0), (0, 1.5)]), "generators: a coordinate = 1.5: must be a whole number"),
    ],
)
def test_wrong_values_are_refused(call, message):
    with pytest.raises(TsujiError, match=message):
        call()
