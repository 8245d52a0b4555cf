"""Bins of latencies: those of the simulator's histograms."""

import random

import numpy as np
import pytest

from sim.measure.histogram import histogram
from synth.boards.latency_bin import BINS, OVERFLOW, LatencyBin, bin_start
from tests.synth.boards.simulated import run_cycles

DRAW = random.Random(1)
LATENCIES = [*range(1024), *((1 << bit) + more for bit in range(24) for more in (-1, 0, 1))]
LATENCIES += [DRAW.getrandbits(24) >> shift for shift in range(24) for _ in range(40)]


def test_bins_are_those_of_the_simulator():
    seen = run_cycles(
        LatencyBin(24), len(LATENCIES), lambda k: {"latency": LATENCIES[k] & 0xFFFFFF}, ["bin"], clocked=False
    )
    used = set()
    for latency, got in zip(LATENCIES, seen, strict=True):
        latency &= 0xFFFFFF
        if latency >= 1 << 16:
            assert got["bin"] == OVERFLOW
            continue
        (start,) = histogram(np.array([latency])).start
        assert bin_start(got["bin"]) == start
        used.add(got["bin"])
    assert max(used) == BINS - 1 == OVERFLOW - 1


def test_bins_follow_one_another():
    starts = [bin_start(number) for number in range(BINS + 1)]
    assert starts == sorted(set(starts))
    assert starts[:66] == [*range(64), 64, 66]
    assert starts[OVERFLOW] == 1 << 16


@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
def test_a_width_without_overflow_is_refused():
    with pytest.raises(ValueError, match="width = 16: must be above 16"):
        LatencyBin(16)
