"""Closed forms of paper A, sections 6 and 7: the paper's numbers, and limits."""

import pytest

from models.errors import TsujiError
from sim.analysis.cached_zero_load import (
    CASE_1,
    SwitchTimes,
    conventional_latency,
    destinations,
    greatest_latency,
    hit_rate,
    lookup_power,
    lookup_throughput,
    reduction,
)


def test_destinations_of_figure_10():
    """5-ary 2-cube: 24 from a node, 10 at an x port, 2 at a y port."""
    assert [destinations(5, 2, dimension) for dimension in range(3)] == [24, 10, 2]


def test_figures_11_and_12():
    assert round(100 * reduction(13, 3, 2048)) == 19
    assert round(100 * reduction(31, 3, 2048)) == 13
    assert round(100 * reduction(21, 3, 128)) == 9
    assert round(100 * reduction(21, 3, 9261)) == 19
    assert round(100 * reduction(21, 3, 2048), 2) == 14.96
    assert round(100 * reduction(13, 3, 1024), 2) == 18.42


def test_limits():
    """A cache without hits costs 2 ns per switch, one with hits only saves 23 ns."""
    switches = 1 + 3 * 2
    plain = conventional_latency(5, 3)
    assert greatest_latency(5, 3, [0.0] * 4) == pytest.approx(plain + 2 * switches)
    assert greatest_latency(5, 3, [1.0] * 4) == pytest.approx(plain - 23 * switches)
    assert plain == switches * (100 + CASE_1.cable) + CASE_1.cable
    assert hit_rate(5, 3, 0, 62) == 0.5
    assert greatest_latency(3, 1, [1, 1], SwitchTimes(20, 2, 40, 0)) == 2 * 42


def test_throughput_and_power():
    assert [lookup_throughput(misses) for misses in (1.0, 0.0, 0.1)] == [40e6, 1e9, 400e6]
    assert lookup_throughput(0.04) == 1e9 > lookup_throughput(0.0401)
    assert lookup_throughput(0.0057, 7) == 7e9 > lookup_throughput(0.0058, 7)
    assert lookup_power(1e8, None).total == pytest.approx(4.2 + 0.036)
    assert lookup_power(1e8, 0.01).total == pytest.approx(0.0039 + 0.091 + 0.042 + 0.036)


def test_refusals():
    with pytest.raises(TsujiError, match="must be odd"):
        destinations(4, 3, 1)
    with pytest.raises(TsujiError, match="misses = 2"):
        lookup_throughput(2)
