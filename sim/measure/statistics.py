"""Summaries of a sample of latencies."""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Summary(NamedTuple):
    """Mean, percentiles and confidence interval of a sample, cycles; None where the sample is too small.

    Attributes
    ----------
    mean, p50, p90, p95, p99, p999, max : float or None
        Mean, median, 90th, 95th, 99th and 99.9th percentile (interpolated), largest.
    ci95 : float or None
        Half-width of the 95 % confidence interval of the mean, by batch means.
    """

    mean: float | None
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    p999: float | None
    max: float | None
    ci95: float | None


def summarise(sample: NDArray[np.int64], batches: int) -> Summary:
    """Return the summary of a sample.

    Parameters
    ----------
    sample : array [n]
        Latencies of packets in order of birth, cycles.
    batches : int
        Batches for the confidence interval.
    """
    if len(sample) == 0:
        return Summary(*(None for _ in Summary._fields))
    p50, p90, p95, p99, p999 = np.percentile(sample, (50, 90, 95, 99, 99.9)).tolist()
    mean, most = float(sample.mean()), float(sample.max())
    return Summary(mean, p50, p90, p95, p99, p999, most, half_width(sample, batches))


def half_width(sample: NDArray[np.int64], batches: int) -> float | None:
    """Return the half-width of the 95 % confidence interval of the mean of a correlated sample.

    The sample is cut into `batches` runs whose means are taken as independent (Law and Kelton, 2000, section 9.5.3).
    None when a batch would have fewer than two values.
    """
    if len(sample) < 2 * batches:
        return None
    means = np.array([batch.mean() for batch in np.array_split(sample, batches)])
    half: float = student_t(0.975, batches - 1) * float(means.std(ddof=1)) / batches**0.5
    return half


def student_t(probability: float, degrees: int) -> float:
    """Return a quantile of Student's t distribution, to 0.1 % from 4 degrees of freedom up.

    The expansion in powers of 1/degrees about the normal quantile (Abramowitz and Stegun, 1964, 26.7.5).
    """
    z = NormalDist().inv_cdf(probability)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    value: float = sum(term / degrees**power for power, term in enumerate(terms))
    return value
