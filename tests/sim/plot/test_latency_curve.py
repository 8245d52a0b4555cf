"""Curves of latency: lines end before saturation, and no point is cut off."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

from sim.plot.latency_curve import ABOVE, HEADROOM, SATURATED, LatencyCurve, draw_curve, name_saturated, top_of

KNEE = LatencyCurve.of([0.1, 0.2, 0.3, 0.31, 0.28], [20, 22, 300, 90, 5000], [False, False, False, True, True])


@pytest.fixture
def axes():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def offsets(axes):
    """Return the points of each kind: hollow ones, arrows."""
    return [each.get_offsets().filled().tolist() for each in axes.collections[:2]]


def test_no_line_leads_through_a_saturated_point(axes):
    back = KNEE._replace(saturated=np.array([False, True, False, False, True]))
    for curve in (KNEE, back):
        draw_curve(axes, curve, top_of([curve]), "red", "o", "a")
        (line,) = axes.lines
        assert np.isnan(line.get_ydata()).tolist() == curve.saturated.tolist()
        line.remove()


def test_every_point_is_within_the_axis_or_an_arrow_at_its_top(axes):
    top = top_of([KNEE])
    assert top > 300  # however high, what is not saturated is shown
    draw_curve(axes, KNEE, top, "red", "o", "a")
    assert offsets(axes) == [[[0.31, 90]], [[0.28, top]]]
    assert axes.collections[1].get_clip_on() is False


def test_the_axis_ends_above_saturated_points_that_are_not_far_up():
    near = LatencyCurve.of([0.1, 0.2], [20, 20 * HEADROOM], [False, True])
    far = LatencyCurve.of([0.1, 0.2], [20, 20 * HEADROOM + 1], [False, True])
    assert top_of([near]) > 20 * HEADROOM
    assert 20 < top_of([far]) < 25
    assert top_of([far, near]) == top_of([near])
    assert top_of([far], headroom=HEADROOM + 1) > 20 * HEADROOM


def test_the_legend_says_at_which_traffic_saturated_points_are(axes):
    def named(curve):
        name_saturated(axes, [curve], top_of([curve]))
        labels = axes.get_legend_handles_labels()[1]
        axes.clear()
        return labels

    assert named(KNEE) == [SATURATED, ABOVE]
    assert "accepted" in SATURATED
    assert named(KNEE._replace(saturated=np.zeros(5, bool))) == []
    (only,) = named(LatencyCurve.of([0.1, 0.2], [20, 9000], [False, True]))
    assert "accepted" in only
    assert "above the axis" in only
