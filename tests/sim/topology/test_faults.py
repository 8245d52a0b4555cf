"""Networks with failed cables and switches."""

import networkx as nx
import numpy as np
import pytest

from models.errors import TsujiError
from sim.topology.cables import cable_links
from sim.topology.fat_tree import fat_tree
from sim.topology.faults import cables_between, with_faults
from sim.topology.graph import GraphFamily
from sim.topology.torus import grid

NONE = np.zeros(0, np.int64)


def graph_of(network):
    """Return the switches, by their coordinates, and their cables."""
    names = [tuple(each) for each in network.coordinates.tolist()]
    graph = nx.MultiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from((names[one], names[other]) for one, _, other, _ in cable_links(network).tolist())
    return graph


def test_cables_and_switches_are_gone_and_nothing_else():
    torus = grid((4, 3), wrap=True, local_ports=2)
    left = with_faults(torus, cables_between(torus, [(0, 1), (8, 11)]), np.array([6]))
    expected = graph_of(torus)
    expected.remove_edges_from([((0, 0), (1, 0)), ((0, 2), (3, 2))])
    expected.remove_node((2, 1))
    assert nx.utils.graphs_equal(graph_of(left), expected)
    assert left.nodes == 22
    assert left.ports == torus.ports
    assert left.name == "4×3 torus without 2 cables and 1 switch"


def test_nodes_keep_their_switches():
    torus = grid((4, 3), wrap=True, local_ports=2)
    left = with_faults(torus, NONE, np.array([6]))
    assert (
        left.coordinates[left.node_switch].tolist()
        == np.delete(torus.coordinates[torus.node_switch], [12, 13], axis=0).tolist()
    )
    assert left.addresses.tolist() == list(range(22))


def test_latencies_stay_with_their_cables():
    network = GraphFamily(edges=((0, 1, 4, 2), (1, 2, 5), (2, 0, 6))).build()
    left = with_faults(network, cables_between(network, [(1, 2)]), NONE)
    assert left.link_latency[left.peer_switch >= 0].tolist() == [4, 6, 4, 6]
    assert left.link_interval[left.peer_switch >= 0].tolist() == [2, 1, 2, 1]


def test_parallel_cables_fail_one_by_one():
    network = GraphFamily(edges=((0, 1), (0, 1), (1, 2))).build()
    assert cables_between(network, [(1, 0), (0, 1)]).tolist() == [0, 1]
    with pytest.raises(TsujiError, match=r"faults.links: \[0, 1\]: graph of 3 has 2 cables between these switches"):
        cables_between(network, [(0, 1)] * 3)


def test_switches_without_nodes_that_nothing_reaches_are_left_out():
    tree = fat_tree(2, 2)
    top = [switch for switch in range(tree.switches) if not (tree.node_switch == switch).any()]
    cut = [(top[0], other) for other in range(tree.switches) if other not in top]
    left = with_faults(tree, cables_between(tree, cut), NONE)
    assert left.switches == tree.switches - 1
    assert left.nodes == tree.nodes
    assert left.figures.diameter == 2


def test_a_network_that_is_cut_names_pairs():
    torus = grid((4, 4), wrap=True)
    around = [(0, other) for other in (1, 3, 4, 12)]
    with pytest.raises(TsujiError, match=r"4×4 torus is cut: no path between nodes 1, 2, .* and node 0 \(15 pairs\)"):
        with_faults(torus, cables_between(torus, around), NONE)


def test_a_network_without_nodes_is_refused():
    with pytest.raises(TsujiError, match="all switches of 2 mesh that have nodes failed"):
        with_faults(grid((2,), wrap=False), NONE, np.array([0, 1]))
