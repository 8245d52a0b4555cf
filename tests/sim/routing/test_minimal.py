"""Shortest paths on any graph: shortest, spread over the links, and free of deadlock by their VC classes."""

import networkx as nx
import numpy as np
import pytest

from models.errors import TsujiError
from models.params import CacheParams, LinkParams, SwitchParams
from sim.analysis.zero_load import zero_load_latency
from sim.engine.network import Network
from sim.packets import Packets
from sim.routing import spread
from sim.routing.deadlock import fixed_routes as deadlock
from sim.routing.dragonfly import direct_ways
from sim.routing.minimal import Minimal, longest_way
from sim.routing.paths import hops
from sim.routing.up_down import UpDown
from sim.topology.dragonfly import dragonfly
from sim.topology.hyper_crossbar import hyper_crossbar
from sim.topology.hypercube import hypercube
from sim.topology.torus import grid
from tests.sim.topology.graphs import link_load, network_of, random_regular, tree

NETWORKS = [
    grid((4, 4), wrap=True),
    grid((3, 5), wrap=False, local_ports=2),
    hypercube(4),
    hyper_crossbar((3, 4)),
    tree(2, 3),
    network_of(nx.petersen_graph(), 3),
    random_regular(1),
    grid((3, 3), wrap=True).with_node_ports(2),
]


def each(name):
    return pytest.mark.parametrize("topology", NETWORKS, ids=[f"{t.name} {k}" for k, t in enumerate(NETWORKS)])(name)


@each
@pytest.mark.parametrize("how", ["balanced", "hash", "lowest"])
def test_every_way_is_a_shortest_one(topology, how):
    tables = Minimal(spread=how).tables(topology, 8)
    assert tables.found.all()
    count = hops(topology, tables)
    for switch in range(topology.switches):
        assert (count[switch] == 1 + topology.distances(switch)[topology.node_switch]).all()


@each
@pytest.mark.parametrize("more", [0, 1, 5])
def test_classes_grow_by_one_a_link_and_split_all_vcs(topology, more):
    classes = longest_way(topology)
    vcs = classes + more
    tables = Minimal().tables(topology, vcs)
    deadlock.check(topology, tables)
    left = hops(topology, tables) - 1
    ranges = {(0, vcs - 1)} if classes == 0 else set()
    for number in range(classes):
        here = left == classes - number
        found = set(zip(tables.vc_first[here].tolist(), tables.vc_last[here].tolist(), strict=True))
        assert len(found) == 1
        ranges |= found
    assert sorted(vc for first, last in ranges for vc in range(first, last + 1)) == list(range(vcs))
    assert (tables.vc_first[left == 0] == 0).all()
    assert (tables.vc_last[left == 0] == vcs - 1).all()


def test_too_few_vcs_are_refused():
    with pytest.raises(TsujiError, match=r'3 VCs: routing.kind = "minimal" .* needs 4 on 4×4 torus.*"up_down" needs 1'):
        Minimal().check(NETWORKS[0], 3)
    Minimal().check(NETWORKS[0], 4)
    Minimal(vc_classes="none").check(NETWORKS[0], 1)
    assert Minimal().least_vcs(NETWORKS[0]) == 4
    assert Minimal(vc_classes="none").least_vcs(NETWORKS[0]) == 1


def test_without_classes_a_torus_deadlocks_and_a_tree_does_not():
    torus, fat = grid((5, 5), wrap=True), tree(2, 3)
    plain = Minimal(vc_classes="none")
    with pytest.raises(TsujiError, match="can deadlock"):
        deadlock.check(torus, plain.tables(torus, 4))
    deadlock.check(fat, plain.tables(fat, 1))


def test_a_tree_is_loaded_evenly():
    """Every link up from a leaf, and every link down to one, carries the same number of pairs."""
    topology = tree(2, 3)
    load = link_load(topology, Minimal(vc_classes="none").tables(topology, 1))
    leaves = np.unique(topology.node_switch)
    up = load[leaves][topology.peer_switch[leaves] >= 0]
    assert up.sum() == topology.nodes * (topology.nodes - 2)
    assert up.max() == up.min()


@pytest.mark.parametrize("topology", [grid((8, 8), wrap=True), random_regular(2, 5, 32, 2), hypercube(5)])
def test_balanced_loads_links_more_evenly_than_a_hash(topology):
    peak = {}
    for how in ("balanced", "hash"):
        load = link_load(topology, Minimal(spread=how, vc_classes="none").tables(topology, 1))
        peak[how] = load.max() / load[load >= 0].mean()
    assert peak["balanced"] < 1.6
    assert peak["balanced"] < peak["hash"]


def test_a_network_in_two_parts_is_refused():
    topology = network_of(nx.disjoint_union(nx.complete_graph(3), nx.complete_graph(3)))
    with pytest.raises(TsujiError, match="no way from node 3 to the nodes of switch 0"):
        Minimal(vc_classes="none").tables(topology, 1)


@pytest.mark.parametrize("algorithm", [Minimal(), Minimal(spread="hash"), UpDown()])
@pytest.mark.parametrize("topology", [network_of(nx.petersen_graph()), tree(2, 3)], ids=lambda t: t.name)
def test_lone_packets_take_the_closed_form_s_time(topology, algorithm):
    params, link = SwitchParams(ports=topology.ports, vcs=4, depth=6, cache=CacheParams(entries=0)), LinkParams()
    tables = algorithm.tables(topology, 4)
    network = Network(params, link, topology, tables)
    pairs = np.array([(a, b) for a in range(topology.nodes) for b in range(topology.nodes) if a != b])
    network.offer(Packets(300 * np.arange(len(pairs)), *pairs.T, np.full(len(pairs), 4)))
    got = network.advance(300 * len(pairs) + 300)
    assert len(got) == len(pairs)
    assert (got.hops == hops(topology, tables)[topology.node_switch[got.source], got.destination]).all()
    assert (got.eject - got.enter == zero_load_latency(params, link, got.hops, got.size)).all()


class Counted:
    """Counts calls of a function."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *arguments):
        self.calls += 1
        return self.function(*arguments)


@pytest.mark.parametrize(("groups", "choices"), [(None, 0), (5, spread.ROUNDS)], ids=["one cable", "two cables"])
def test_destinations_choose_only_where_paths_are_equally_good(groups, choices, monkeypatch):
    """Groups with one cable between them leave no choice: the time is that of finding the paths."""
    topology = dragonfly(4, 2, groups)
    ways = Counted(direct_ways(topology))
    chosen = Counted(spread._choose_again)
    monkeypatch.setattr(spread, "_choose_again", chosen)
    out, found = spread.spread(topology, ways, "balanced")
    assert chosen.calls == choices * topology.nodes
    assert ways.calls == topology.switches * (2 if choices else 1)
    assert found.all()
    assert (out.dtype, out.T.flags.c_contiguous) == (np.int8, True)
