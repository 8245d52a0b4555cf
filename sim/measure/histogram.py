"""Histograms of latencies; bins are the same in every run, so that histograms can be compared and added."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

EXACT_BITS = 6  # below 2 to this power, bins are 1 cycle wide; above it, 1/64 to 1/32 of the latency


class Histogram(NamedTuple):
    """Nonempty bins, in ascending order.

    Attributes
    ----------
    start : list of int
        Lowest latency of each bin, cycles.
    width : list of int
        Width of each bin, cycles, a power of two: 1 below 64 cycles, 2 below 128, 4 below 256, and so on.
    packets : list of int
        Packets with a latency from `start` to `start` + `width` − 1.
    """

    start: list[int]
    width: list[int]
    packets: list[int]


def histogram(sample: NDArray[np.int64]) -> Histogram:
    """Return the histogram of latencies [n], cycles, none negative."""
    shift = _shift(sample)
    start, packets = np.unique(sample >> shift << shift, return_counts=True)
    return Histogram(start.tolist(), (1 << _shift(start)).tolist(), packets.tolist())


def _shift(latency: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the base-2 logarithm of the width of each latency's bin."""
    bits = np.frexp(latency)[1].astype(np.int64)
    return np.maximum(bits - EXACT_BITS, 0)
