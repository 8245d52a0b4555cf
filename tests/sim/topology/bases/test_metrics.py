"""Graph metrics, cables and costs of two hypercubes against a packet-by-packet count and the paper's printed "
"figures."""

from collections import Counter

import numpy as np
import pytest

from models.errors import TsujiError
from sim.topology.bases.layout import Floor, bought, floor, run_between
from sim.topology.bases.metrics import cost_figures, graph_figures, mean_latency, unit_basis, with_fold
from sim.topology.hypercube import hypercube

PAIRS = [(3, (3, 5, 7)), (3, (1, 2, 5, 6)), (4, (3, 12, 7, 13)), (5, (1, 14, 22, 3, 29)), (4, (3, 5, 7, 10, 11))]


@pytest.mark.parametrize(("bits", "second"), PAIRS)
def test_metrics_count_packets(bits, second):
    """Each node sends two packets to every node, link by link; the busiest link gives the traffic."""
    planes = [hypercube(bits, with_fold(unit_basis(bits), len(second) > bits)), hypercube(bits, second)]
    load = Counter()
    hops = 0
    for source in range(1 << bits):
        for destination in range(1 << bits):
            ways = [int(plane.route_values[source ^ destination]) for plane in planes]
            lengths = [way.bit_count() for way in ways]
            hops += min(lengths)
            for plane, way in enumerate(ways):
                packets = 2 if lengths[plane] < lengths[1 - plane] else lengths[0] == lengths[1]
                at = source
                for k, generator in enumerate(planes[plane].generators):
                    if way >> k & 1:
                        load[plane, at, k] += packets
                        at ^= generator
                assert at == destination
    figures = graph_figures(bits, second)
    assert figures.mean_distance == hops / 4**bits
    assert figures.traffic == 2 * 2**bits / max(load.values())


def test_equal_planes_are_the_closed_form():
    for bits in range(2, 11):
        assert graph_figures(bits, unit_basis(bits))[:2] == (bits / 2, 4.0)


@pytest.mark.parametrize(
    ("bits", "folded", "metres", "latency"),
    [(8, False, 5.50, 601.0), (8, True, 6.73, 535.3), (12, False, 11.17, 1006.0), (12, True, 15.52, 974.7)],
)
def test_printed_lengths_and_latencies_come_out(bits, folded, metres, latency):
    second = with_fold(unit_basis(bits), folded)
    cable_m = cost_figures(bits, second).cable_m
    assert round(cable_m, 2) == metres
    assert round(mean_latency(graph_figures(bits, second).mean_distance, cable_m), 1) == latency


def test_figure_4_of_the_paper():
    """Eight racks, 4×2: switches 8 and 12 are 2.8 m apart, 0 and 31 are 6.9 m, which takes a cable of 10 m."""
    assert floor(5) == Floor(4, 2)
    metres = run_between(5, np.array([8, 0, 5]), np.array([12, 31, 6]))
    assert metres.tolist() == pytest.approx([2.8, 6.9, 1.0])
    assert bought(np.array([2.8, 6.9])).tolist() == [2, 5]


def test_floors():
    assert [floor(bits) for bits in (2, 3, 4, 8, 12)] == [(1, 1), (2, 1), (4, 1), (16, 4), (64, 16)]
    with pytest.raises(TsujiError, match="at least 2"):
        floor(1)
    with pytest.raises(TsujiError, match="longest"):
        bought(np.array([100.1]))


def test_a_basis_that_is_none_is_refused():
    with pytest.raises(ValueError, match="no basis"):
        graph_figures(3, (1, 2, 3))
