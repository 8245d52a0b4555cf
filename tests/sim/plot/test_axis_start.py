"""Axes begin at 0, or say that they do not."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

from sim.plot.axis_start import axis_ticks, begin_axis


def test_an_axis_begins_at_0_unless_that_hides_the_differences():
    ticks = axis_ticks(np.array([10.0, 80.0]), 2)
    assert ticks[0] == 0
    assert ticks[-1] >= 80
    ticks = axis_ticks(np.array([560.0, 630.0]), 2)
    assert 500 <= ticks[0] <= 560
    assert ticks[-1] >= 630
    assert axis_ticks(np.full(4, 81.0), 2) == [0, 81]
    assert axis_ticks(np.zeros(4), 2) == [0]


@pytest.mark.parametrize(("values", "begins"), [([5, 80], 0), ([3, 3], 0), ([0, 0], 0), ([1387, 1407], 1385)])
def test_the_label_says_where_a_cut_axis_begins(values, begins):
    figure, axes = plt.subplots()
    axes.plot(values)
    begin_axis(axes, values, "power, W")
    low, high = axes.get_ylim()
    assert low == begins
    assert high >= max(values)
    assert axes.get_ylabel() == ("power, W" if begins == 0 else "power, W\nthe axis begins at 1385, not at 0")
    plt.close(figure)
