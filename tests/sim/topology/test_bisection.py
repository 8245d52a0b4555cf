"""Closed forms of the bisection of grids against all splits of small ones; other families: in their own tests."""

import pytest

from sim.topology.hyper_crossbar import hyper_crossbar
from sim.topology.torus import grid
from tests.sim.topology.least_cut import least_cut


@pytest.mark.parametrize("radix", [(4,), (6,), (2, 2), (4, 2), (4, 3), (3, 4), (6, 2), (2, 2, 2), (10,)])
@pytest.mark.parametrize("wrap", [True, False])
def test_grids(radix, wrap):
    network = grid(radix, wrap=wrap)
    assert network.figures.bisection_channels == least_cut(network)


@pytest.mark.parametrize("radix", [(4,), (8,), (2, 2), (4, 2), (2, 6), (2, 2, 2)])
def test_hyper_crossbars(radix):
    network = hyper_crossbar(radix)
    assert network.figures.bisection_channels == least_cut(network)


def test_an_odd_dimension_makes_a_hyper_crossbar_narrower():
    network = hyper_crossbar((3, 4))
    assert least_cut(network) == 10 < 12
    assert network.figures.bisection_channels is None


@pytest.mark.parametrize("wrap", [True, False])
def test_no_closed_form_where_the_longest_dimension_is_odd(wrap):
    assert grid((5, 2), wrap=wrap).figures.bisection_channels is None
