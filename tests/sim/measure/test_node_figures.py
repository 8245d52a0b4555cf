"""Fairness, and flits sent and received per node."""

import numpy as np
import pytest

from sim.config import load
from sim.measure.node_figures import fairness_figures, node_figures
from sim.measure.period import Period
from sim.packets import Delivered
from sim.simulation import simulate


def period(packets, born_at, born_for):
    """Return a period in which packets (source, destination, size) left."""
    source, destination, size = np.array(packets, np.int64).reshape(-1, 3).T
    nothing = np.zeros(len(source), np.int64)
    left = Delivered(**{
        name: {"source": source, "destination": destination, "size": size}.get(name, nothing)
        for name in Delivered.__dataclass_fields__
    })  # fmt: skip
    return Period(left, np.array(born_at), np.array(born_for), 0, 0)


def test_flits_are_counted_by_source_and_destination():
    periods = [
        period([(0, 1, 4), (0, 2, 1)], [2, 0, 0, 0], [0, 1, 1, 0]),
        period([(2, 1, 4)], [0, 0, 1, 0], [0, 1, 0, 0]),
    ]
    assert node_figures(periods, 4) == ([5, 0, 4, 0], [0, 8, 1, 0])


def test_fairness_is_over_nodes_that_have_packets():
    periods = [period([(0, 3, 6), (1, 3, 2)], [1, 1, 1, 0], [0, 0, 1, 2])]
    found = fairness_figures(periods, node_figures(periods, 4), 10)
    assert (found.source_min, found.source_max, found.source_ratio) == (0, 0.6, 0)
    assert found.source_jain == pytest.approx(8**2 / (3 * (36 + 4)))
    assert found.destination_jain == pytest.approx(0.5)  # one of two gets everything: 1/n


def test_nobody_is_served_by_nothing():
    periods = [period([], [0, 0], [0, 0])]
    assert fairness_figures(periods, node_figures(periods, 2), 10) == (None,) * 8
    starving = [period([], [1, 0], [0, 1])]
    assert fairness_figures(starving, node_figures(starving, 2), 10) == (0, 0, None, None) * 2


def test_below_saturation_nodes_are_served_as_they_offer():
    settings = ["topology.kind=mesh", "topology.radix=[2,3]", "measure.period=300", "traffic.pattern=hotspot"]
    figures = simulate(load(None, [*settings, "traffic.load=0.2", "traffic.hotspot_fraction=0.5"])).figures
    window = figures.phases.measure
    assert sum(figures.nodes.sent) == sum(figures.nodes.received) == round(figures.accepted_traffic * window * 6)
    assert figures.fairness.source_jain > 0.98
    assert figures.fairness.destination_jain < 0.8
    assert figures.nodes.received[0] == max(figures.nodes.received)
    assert figures.fairness.destination_max == pytest.approx(figures.nodes.received[0] / window)
