"""Summaries of latencies."""

import numpy as np
import pytest

from sim.measure.histogram import histogram
from sim.measure.statistics import half_width, student_t, summarise


@pytest.mark.parametrize(
    ("degrees", "table"), [(4, 2.776), (5, 2.571), (9, 2.262), (19, 2.093), (29, 2.045), (99, 1.984), (999, 1.962)]
)
def test_student_t_is_that_of_the_tables(degrees, table):
    assert student_t(0.975, degrees) == pytest.approx(table, rel=1e-3)


def test_the_interval_holds_the_mean_in_95_of_100():
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(2000):
        sample = rng.exponential(10, 400)
        held += abs(sample.mean() - 10) <= half_width(sample, 20)
    assert 0.93 <= held / 2000 <= 0.965


def test_the_interval_by_hand():
    """Five batches with the means 0.5, 2.5 … 8.5: variance 40/4, error √(10/5), Student's t of 4 degrees 2.776."""
    assert half_width(np.arange(10), 5) == pytest.approx(2.776 * 2**0.5, rel=1e-3)


def test_correlation_widens_the_interval():
    rng = np.random.default_rng(1)
    noise = rng.normal(size=20_000)
    walk = np.zeros_like(noise)
    for i in range(1, len(noise)):
        walk[i] = 0.9 * walk[i - 1] + noise[i]
    assert half_width(walk, 20) > 5 * 1.96 * noise.std() / len(noise) ** 0.5


def test_a_small_sample_has_no_interval():
    assert half_width(np.arange(39), 20) is None
    assert half_width(np.arange(40), 20) is not None


def test_summary():
    summary = summarise(np.arange(1, 102), 20)
    assert (summary.mean, summary.p50, summary.p99, summary.max) == (51, 51, 100, 101)
    assert (summary.p90, summary.p95, summary.p999) == pytest.approx((91, 96, 100.9))
    assert summarise(np.empty(0, np.int64), 20) == (None,) * 8


def test_histograms_are_exact_below_64_and_within_a_32nd_above():
    sample = np.concatenate((np.arange(3000), [5, 5, 10**9]))
    found = histogram(sample)
    assert sum(found.packets) == len(sample)
    assert found.packets[5] == 3
    assert found.start[:66] == [*range(64), 64, 66]
    for start, width, packets in zip(*found, strict=True):
        assert width == 1 if start < 64 else start / 64 < width <= start / 32
        assert ((sample >= start) & (sample < start + width)).sum() == packets


def test_no_sample_has_an_empty_histogram():
    assert histogram(np.empty(0, np.int64)) == ([], [], [])
