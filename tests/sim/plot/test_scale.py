"""Scales of colours: of what changes, and of a constant."""

import numpy as np

from sim.plot.scale import Scale
from sim.plot.view_figures import FIGURES


def test_a_scale_of_shares_begins_at_nothing_and_one_of_watts_at_the_least():
    values = np.array([[0.25, 0.5]], np.float32)
    assert FIGURES["lpi"].scale(values) == (0, 0.5)
    assert FIGURES["power"].scale(values) == (0.25, 0.5)


def test_rounding_makes_no_scale():
    values = np.array([3, 3.0001, 2.9999], np.float32)
    assert FIGURES["power"].scale(values).constant
    assert not FIGURES["power"].scale(np.array([3, 3.001], np.float32)).constant


def test_shares_of_a_scale():
    assert Scale(1, 3).shares([0, 1, 2, 3, 4]).tolist() == [0, 0, 0.5, 1, 1]
    assert Scale(2, 2).shares([[2, 2]]).tolist() == [[1, 1]]
    assert Scale(0, 0).shares([0]).tolist() == [0]


def test_nothing_has_no_scale_but_0():
    assert FIGURES["lpi"].scale(np.zeros((0, 0), np.float32)) == (0, 0)
