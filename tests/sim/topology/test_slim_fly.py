"""Slim Flies: McKay-Miller-Širáň graphs by definition, and their finite fields."""

import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.topology.finite_field import FiniteField, prime_power
from sim.topology.slim_fly import SlimFlyFamily, slim_fly

# q, degree: (3q - δ) / 2 of q = 4w + δ
GRAPHS = [(3, 5), (4, 6), (5, 7), (7, 11), (8, 12), (9, 13), (11, 17), (13, 19)]


@pytest.mark.parametrize(("q", "degree"), GRAPHS)
def test_figures_are_the_closed_forms(q, degree):
    """Every switch has that degree, so the mean distance of a graph of diameter 2 follows."""
    network = slim_fly(q, 1)
    switches = 2 * q * q
    assert network.switches == switches
    assert ((network.peer_switch >= 0).sum(axis=1) == degree).all()
    assert len(np.unique(network.links[:, [0, 2]], axis=0)) == len(network.links) == switches * degree
    figures = network.figures
    assert figures[:2] == (degree, 2)
    assert figures.mean_distance == pytest.approx((2 * (switches - 1) - degree) / (switches - 1), rel=1e-12)
    assert slim_fly(q).nodes == switches * ((degree + 1) // 2)


def test_of_five_it_is_the_graph_of_hoffman_and_singleton():
    """The only graph of degree 7 and diameter 2 that meets the Moore bound: A² + A - 6I = J."""
    network = slim_fly(5)
    adjacent = np.zeros((50, 50), np.int64)
    adjacent[network.links[:, 0], network.links[:, 2]] = 1
    assert (adjacent @ adjacent + adjacent - 6 * np.eye(50, dtype=np.int64) == 1).all()


@pytest.mark.parametrize("q", [5, 7])
def test_links_are_those_of_the_equations(q):
    """For primes, with generator sets worked out by hand: roots 2 of 5 and 3 of 7."""
    even, odd = {5: ({1, 4}, {2, 3}), 7: ({1, 2, 6, 5}, {3, 6, 4, 1})}[q]
    network = slim_fly(q)
    wired = {(a, b) for a, _, b, _ in network.links.tolist()}
    place = network.coordinates.tolist()
    for one, (s, a, b) in enumerate(place):
        for other, (t, c, d) in enumerate(place):
            if s == t:
                want = a == c and (b - d) % q in (odd if s else even)
            else:
                x, y, m, e = (a, b, c, d) if s == 0 else (c, d, a, b)
                want = y == (m * x + e) % q
            assert ((one, other) in wired) == want


def test_rows_and_the_rest_have_their_cycles():
    network = SlimFlyFamily(q=3, latencies=(1, 9), intervals=(1, 2)).build()
    for switch, port, peer, _ in network.links.tolist():
        same = (network.coordinates[switch, :2] == network.coordinates[peer, :2]).all()
        assert network.link_latency[switch, port] == (1 if same else 9)
        assert network.link_interval[switch, port] == (1 if same else 2)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            ["q=6"],
            r"topology\.q = 6: must be a power of a prime; allowed: 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25",
        ),
        (["q=2"], r"topology\.q = 2: .*≥ 3"),
        (["q=101"], r"topology\.q = 101: must be a power of a prime; allowed: 3, "),
        (["q=25", "locals=40"], r"topology\.locals = 40: switches of 77 ports; at most 62"),
    ],
)
def test_bad_networks_are_refused_by_name(settings, message):
    with pytest.raises(TsujiError, match=message):
        load(None, ["topology.kind=slim_fly", *(f"topology.{setting}" for setting in settings)])


@pytest.mark.parametrize("order", [2, 3, 4, 5, 8, 9, 16, 27])
def test_fields_keep_the_axioms(order):
    field = FiniteField(*prime_power(order))
    every = np.arange(order)
    for table in (field.sum, field.product):
        assert (table == table.T).all()
        assert (table[table] == table[:, table]).all()  # associative: (a b) c = a (b c)
    left = field.product[:, field.sum]
    assert (left == field.sum[field.product[:, :, None], field.product[:, None, :]]).all()  # distributive
    assert (field.sum[0] == every).all()
    assert (field.product[1] == every).all()
    assert (np.sort(field.sum, axis=1) == every).all()  # every element has a negative
    assert (np.sort(field.product[1:, 1:], axis=1) == every[1:]).all()  # and an inverse
    assert sorted(field.powers) == every[1:].tolist()


def test_prime_powers():
    found = [number for number in range(33) if prime_power(number)]
    assert found == [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32]
    assert prime_power(27) == (3, 3)
