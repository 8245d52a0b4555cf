"""Random paths up a fat tree: shortest, free of deadlock, each root equally often, and their benefit."""

import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.routing.deadlock import fixed_routes as deadlock
from sim.routing.paths import hops
from sim.routing.random_up import RandomUp
from sim.simulation import simulate
from sim.topology.fat_tree import fat_tree

TREES = [(2, 3), (3, 3), (4, 2), (2, 5), (4, 3)]


def way(tree, tables, source, column):
    """Return the switches that a packet of a node passes."""
    switch, found = int(tree.node_switch[source]), []
    while True:
        found.append(switch)
        port = int(tables.out[switch, column])
        if tree.port_node[switch, port] >= 0:
            assert tree.port_node[switch, port] == column // tables.paths
            return found
        switch = int(tree.peer_switch[switch, port])


@pytest.mark.parametrize(("k", "n"), TREES)
def test_each_address_of_a_node_has_a_shortest_way_by_a_root_of_its_own(k, n):
    tree = fat_tree(k, n)
    paths = k ** (n - 1)
    tables = RandomUp(paths=paths).tables(tree, 1)
    deadlock.check(tree, tables)
    node = np.repeat(np.arange(tree.nodes), paths)
    for source in range(0, tree.nodes, 3):
        distance = np.array([tree.distances(int(end))[tree.node_switch[source]] for end in tree.node_switch[node]])
        assert (hops(tree, tables)[tree.node_switch[source]] == 1 + distance).all()
        last = tree.nodes - 1 - source
        tops = [way(tree, tables, source, last * paths + path) for path in range(paths)]
        if last // k ** (n - 1) != source // k ** (n - 1):
            assert len({max(switches, key=lambda s: tree.coordinates[s, 0]) for switches in tops}) == paths


@pytest.mark.parametrize(("paths", "spread"), [(1, 1), (3, 1), (9, 1), (2, 4 / 3)])
def test_ports_up_are_used_alike(paths, spread):
    """Over all pairs and paths; two of three digits cannot be even."""
    tree = fat_tree(3, 3)
    tables = RandomUp(paths=paths).tables(tree, 1)
    used = np.zeros((tree.switches, tree.ports), np.int64)
    for source in range(tree.nodes):
        for column in range(tree.nodes * paths):
            switches = way(tree, tables, source, column)
            np.add.at(used, (switches, tables.out[switches, column]), 1)
    leaves = used[:9, :3]
    assert leaves.max() <= spread * leaves.mean()
    assert leaves.sum() == 27 * 24 * paths


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["topology.kind=torus"], 'routing.kind = "random_up": 8×8 torus is no k-ary n-tree; use "valiant"'),
        (["topology.kind=fat_tree", "topology.levels=1"], "routing.paths = 4: 4-ary 1-tree has 1 ways up; at most as"),
        (["topology.kind=fat_tree", "switch.vcs=4", "adaptive.kind=escape"], "each packet has a way of its own, which"),
    ],
)
def test_what_does_not_fit_is_refused(settings, message):
    with pytest.raises(TsujiError, match=message.replace(".", r"\.")):
        load(None, ["routing.kind=random_up", *settings])


def test_nodes_of_two_lanes():
    settings = ["topology.kind=fat_tree", "topology.arity=2", "routing.kind=random_up", "switch.node_ports=2"]
    settings += ["switch.routing=linear", "traffic.load=0.6"]
    found = simulate(load(None, settings)).figures
    assert found.accepted_traffic > 0.55
    assert found.dropped == 0


def test_two_pairs_do_not_share_a_link_for_ever():
    """A permutation that loads some links three times over is carried whole when paths are drawn."""
    settings = ["topology.kind=fat_tree", "topology.arity=4", "topology.levels=2", "switch.routing=linear"]
    settings += ["switch.vcs=4", "traffic.pattern=random_permutation", "traffic.permutation_seed=3", "traffic.load=0.6"]
    fixed = simulate(load(None, [*settings, "routing.kind=up_down", "routing.spread=hash"])).figures
    drawn = simulate(load(None, [*settings, "routing.kind=random_up", "routing.paths=4"])).figures
    assert fixed.saturated
    assert not drawn.saturated
    assert drawn.utilisation.max < 0.65
