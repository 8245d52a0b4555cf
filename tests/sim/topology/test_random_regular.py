"""Random regular graphs."""

import networkx as nx
import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.topology.random_regular import RandomRegularFamily, random_regular


@pytest.mark.parametrize(
    ("switches", "degree", "local_ports"), [(8, 3, 1), (15, 4, 2), (64, 6, 1), (10, 2, 1), (6, 5, 1)]
)
def test_every_switch_has_the_degree_and_reaches_all(switches, degree, local_ports):
    network = random_regular(switches, degree, 3, local_ports)
    assert ((network.peer_switch >= 0).sum(axis=1) == degree).all()
    assert network.figures.degree == degree
    graph = nx.Graph(network.links[:, [0, 2]].tolist())
    assert graph.number_of_edges() == switches * degree // 2  # no cables in parallel, none from a switch to itself
    assert network.figures.diameter == nx.diameter(graph)
    assert (np.diff(network.peer_switch[:, :degree], axis=1) > 0).all()
    assert (network.port_node[:, degree:] == np.arange(network.nodes).reshape(switches, -1)).all()


def test_the_seed_is_the_graph():
    one, same, other = (random_regular(20, 3, seed) for seed in (5, 5, 6))
    assert (one.peer_switch == same.peer_switch).all()
    assert (one.peer_switch != other.peer_switch).any()


def test_a_graph_in_parts_is_drawn_anew():
    """Degree 2 gives one ring; the first graph of this seed is several."""
    first = [nx.is_connected(nx.random_regular_graph(2, 12, seed)) for seed in range(10)]
    assert not all(first)
    for seed in range(10):
        assert random_regular(12, 2, seed).figures.diameter == 6


def test_a_graph_that_is_never_connected_is_refused():
    with pytest.raises(TsujiError, match=r"topology\.degree = 1: none of 1000 random graphs of 4 switches"):
        random_regular(4, 1)


def test_all_cables_have_the_cycles():
    network = RandomRegularFamily(switches=6, degree=3, latencies=(7,), intervals=(2,)).build()
    assert network.link_latency.tolist() == [[7, 7, 7, 0]] * 6
    assert network.link_interval.tolist() == [[2, 2, 2, 1]] * 6


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["switches=5", "degree=3"], r"topology\.degree = 3: must be even, as switches = 5 is odd"),
        (["switches=5", "degree=6"], r"topology\.degree = 6: must be below switches = 5"),
        (["switches=100", "degree=60", "locals=8"], r"topology\.degree = 60: switches of 68 ports; at most 62"),
    ],
)
def test_bad_networks_are_refused_by_name(settings, message):
    with pytest.raises(TsujiError, match=message):
        load(None, ["topology.kind=random_regular", *(f"topology.{setting}" for setting in settings)])
