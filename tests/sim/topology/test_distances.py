"""Distances of all pairs, against a graph library, and against one search per switch."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from models.errors import TsujiError
from sim.topology import distances
from sim.topology.base import NOBODY, Topology
from sim.topology.distances import all_distances
from sim.topology.hypercube import hypercube
from sim.topology.hyperx import hyperx
from sim.topology.torus import grid


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("searches", [4, 4096])
def test_all_pairs_of_random_graphs(seed, searches, monkeypatch):
    monkeypatch.setattr(distances, "SEARCHES", searches)
    graph = nx.connected_watts_strogatz_graph(21, 4, 0.5, seed=seed)
    most = max(degree for _, degree in graph.degree())
    peers = np.array([[*graph[switch], *[NOBODY] * (most - graph.degree(switch))] for switch in sorted(graph)])
    weight = np.random.default_rng(seed).integers(0, 4, 21)
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    total = sum(weight[a] * weight[b] * hops for a, row in lengths.items() for b, hops in row.items())
    assert all_distances(peers, weight) == (nx.diameter(graph), total, None)


def test_searches_agree_with_single_ones():
    topology = grid((5, 3), wrap=False, local_ports=2)
    lengths = np.stack([topology.distances(switch) for switch in range(15)])
    assert topology.figures.diameter == lengths.max()
    assert topology.figures.mean_distance == pytest.approx(4 * lengths.sum() / (30 * 29))


@pytest.mark.parametrize(
    "network",
    [grid((5, 4), wrap=True, local_ports=2), grid((2, 3, 4), wrap=True), hypercube(4, (1, 2, 4, 8, 7)), hyperx((3, 4))],
    ids=lambda network: network.name,
)
def test_one_search_is_enough_where_all_switches_are_alike(network):
    assert network.symmetric
    assert network.figures == replace(network, symmetric=False).figures


def test_a_network_in_two_parts_is_refused():
    peers = np.array([[1], [0], [3], [2]])
    assert all_distances(peers, np.ones(4, np.int64)).apart == (0, 2)
    topology = grid((2,), wrap=False)
    parts = {name: getattr(topology, name) for name in ("node_switch", "node_port", "addresses")}
    cut = Topology(
        name="two islands",
        peer_switch=np.full((2, 3), NOBODY),
        peer_port=np.full((2, 3), NOBODY),
        coordinates=[[0], [1]],
        **parts,
    )
    with pytest.raises(TsujiError, match="two islands: no path from switch 0 to 1"):
        _ = cut.figures
