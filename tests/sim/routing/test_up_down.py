"""Up*/down*: ups before downs on any graph, one VC, and on a tree the shortest paths over all roots."""

import networkx as nx
import numpy as np
import pytest

from models.errors import TsujiError
from sim.routing.deadlock import fixed_routes as deadlock
from sim.routing.paths import hops
from sim.routing.up_down import UpDown, find_roots, upward
from sim.topology.hypercube import hypercube
from sim.topology.torus import grid
from tests.sim.topology.graphs import link_load, network_of, random_regular, tree


def directions(topology, tables, up, source, node):
    """Return the links of a path, U or D each."""
    at, way = int(topology.node_switch[source]), ""
    while at != topology.node_switch[node]:
        port = tables.out[at, node]
        way += "U" if up[at, port] else "D"
        at = int(topology.peer_switch[at, port])
    return way


@pytest.mark.parametrize("seed", range(50))
def test_random_networks_are_free_of_deadlock_with_one_vc(seed):
    rng = np.random.default_rng(seed)
    switches = int(rng.integers(2, 30))
    graph = nx.compose(
        nx.random_labeled_tree(switches, seed=seed), nx.gnm_random_graph(switches, int(rng.integers(0, 40)), seed=seed)
    )
    topology = network_of(graph, int(rng.integers(1, 3)))
    tables = UpDown(spread=("balanced", "hash", "lowest")[seed % 3]).tables(topology, 1)
    assert tables.found.all()
    hops(topology, tables)
    deadlock.check(topology, tables)


@pytest.mark.parametrize("root", [None, 3])
@pytest.mark.parametrize("topology", [grid((4, 4), wrap=True), random_regular(3), hypercube(4)], ids=lambda t: t.name)
def test_ups_come_before_downs(topology, root):
    roots = find_roots(topology) if root is None else np.array([root])
    up = upward(topology, roots)
    tables = UpDown(root=root).tables(topology, 2)
    lengths = hops(topology, tables)
    for source in range(topology.nodes):
        for node in range(topology.nodes):
            way = directions(topology, tables, up, source, node)
            assert "DU" not in way
            assert lengths[topology.node_switch[source], node] == 1 + len(way)
    assert (tables.vc_first == 0).all()
    assert (tables.vc_last == 1).all()


@pytest.mark.parametrize("topology", [tree(2, 3), tree(3, 2), tree(2, 4)], ids=["2,3", "3,2", "2,4"])
def test_a_tree_s_ways_are_shortest_and_use_every_root(topology):
    roots = find_roots(topology)
    leaves = np.unique(topology.node_switch)
    assert len(roots) == len(leaves)
    tables = UpDown().tables(topology, 1)
    deadlock.check(topology, tables)
    count = hops(topology, tables)
    for leaf in leaves:
        assert (count[leaf] == 1 + topology.distances(leaf)[topology.node_switch]).all()
    load = link_load(topology, tables)
    at_roots = load[roots][topology.peer_switch[roots] >= 0]
    assert at_roots.min() > 0
    assert at_roots.max() == at_roots.min()


def test_the_root_is_in_the_middle():
    assert find_roots(network_of(nx.path_graph(7))).tolist() == [3]
    assert find_roots(network_of(nx.star_graph(5))).tolist() == [0]


def test_switches_without_nodes_need_not_be_a_tree_s_top():
    """Two switches without nodes, each above its own pair of switches: no path over them leads from pair to pair."""
    graph = nx.Graph([(0, 4), (1, 4), (2, 5), (3, 5), (1, 2)])
    topology = network_of(graph, 1, range(4))
    assert len(find_roots(topology)) == 1
    tables = UpDown().tables(topology, 1)
    assert (hops(topology, tables)[:4] == [[1, 3, 4, 6], [3, 1, 2, 4], [4, 2, 1, 3], [6, 4, 3, 1]]).all()
    deadlock.check(topology, tables)


def test_a_root_that_does_not_exist_is_refused():
    with pytest.raises(TsujiError, match=r"routing.root = 16: 4×4 torus has switches 0 to 15"):
        UpDown(root=16).check(grid((4, 4), wrap=True), 1)
