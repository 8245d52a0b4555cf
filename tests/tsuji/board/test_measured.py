import re

import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load
from synth.boards.latency_bin import BINS
from synth.boards.node_words import Word
from tsuji.board.design import plan
from tsuji.board.measured import Readings, document, faults, histogram, run

NETWORK = ('topology.kind="mesh"', "topology.radix=[2]", "switch.data_width=32", 'traffic.draws="hash"')


@pytest.fixture(scope="module")
def planned():
    return plan(load(None, NETWORK))


def _readings(**words):
    good = {"packets_out": 10, "packets_in": 10, "latency_low": 80}
    values = np.zeros((2, len(Word)), np.int64)
    for name, value in (good | words).items():
        values[:, Word[name.upper()]] = value
    bins = np.zeros((2, BINS + 1), np.int64)
    bins[:, 8], bins[:, 12] = 4, 4
    nothing = np.zeros((0, 0, 0), np.int64)
    return Readings(values, bins, nothing, nothing, 20, 100)


def test_figures_are_those_of_the_nodes(planned):
    found = document(planned, _readings())
    assert found["faults"] == []
    assert found["packet_latency"] == {"mean": 10, "p50": 8, "p90": 12, "p95": 12, "p99": 12, "p999": 12, "max": 12}
    assert found["packets"] == 16
    assert found["offered_traffic"] == 2 * 10 * 4 / (2 * 100)
    assert found["accepted_traffic"] == 80 / (2 * 100)
    assert found["packet_histogram"] == {"start": [8, 12], "width": [1, 1], "packets": [8, 8]}
    assert found["config"]["traffic"]["draws"] == "hash"


def test_a_run_without_packets_has_no_latency(planned):
    empty = _readings(latency_low=0)
    empty.histogram[:] = 0
    assert document(planned, empty)["packet_latency"]["mean"] is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"packets_in": 9}, "20 packets were sent and 18 arrived"),
        ({"lost_births": 3}, "6 packets found the queue of their node full: .*; node 0, 1"),
        ({"wrong_size": 1}, "2 packets arrived with another number of flits"),
        ({"wrong_crc": 1}, "2 packets arrived with a changed bit"),
        ({"wrong_destination": 1}, "2 packets arrived at a node to which they were not sent"),
        ({"births_in": 5}, "a packet was lost and another one arrived twice"),
    ],
)
def test_each_fault_is_told(planned, words, message):
    (told,) = faults(planned, _readings(**words))
    assert re.match(message, told)


def test_order_counts_with_one_vc_only(planned):
    disordered = _readings(wrong_sequence=1)
    assert faults(planned, disordered) == []
    single = plan(load(None, [*NETWORK, "switch.vcs=1", 'routing.kind="minimal"']))
    assert faults(single, disordered) == ["2 packets arrived out of order; node 0, 1"]


def test_latencies_beyond_the_bins_are_refused():
    long = _readings()
    long.histogram[0, BINS] = 3
    with pytest.raises(TsujiError, match="3 packets took longer than the histogram's bins reach"):
        histogram(long)


def test_a_run_that_is_too_long_for_the_histograms_is_refused(planned):
    with pytest.raises(TsujiError, match=r"use at most 671,088,600 cycles"):
        run(None, planned, 0, 1 << 30, print)
