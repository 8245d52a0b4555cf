"""When a network has settled: latency and throughput of one sample period are those of the period before."""

from __future__ import annotations

import numpy as np

from sim.config.measure import MeasureParams
from sim.measure.period import Period


def is_settled(last: Period, period: Period, params: MeasureParams) -> bool:
    """Return whether latency and throughput changed by less than their tolerances, or than their noise.

    The noise is twice the standard error of the difference: of the mean latencies, variance ÷ number of packets; of the
    flits, as if packets left by a Poisson process, whose variance is the sum of their squared sizes.

    Parameters
    ----------
    last, period : Period
        Two periods in a row.
    params : MeasureParams
        The section [measure], with `latency_tolerance` and `throughput_tolerance`.
    """
    if not len(last.delivered) or not len(period.delivered):
        return len(last.delivered) == len(period.delivered)
    a, b = last.latency, period.latency
    noise = 2 * float(np.sqrt(a.var() / len(a) + b.var() / len(b)))
    latency = abs(b.mean() - a.mean()) <= max(params.latency_tolerance * b.mean(), noise)
    c, d = last.delivered.flits, period.delivered.flits
    noise = 2 * float(np.sqrt((last.delivered.size**2).sum() + (period.delivered.size**2).sum()))
    return bool(latency and abs(d - c) <= max(params.throughput_tolerance * d, noise))
