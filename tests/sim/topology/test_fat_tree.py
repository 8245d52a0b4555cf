"""k-ary n-trees: wiring by definition, figures by closed form."""

import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.topology.base import NOBODY
from sim.topology.fat_tree import FatTreeFamily, fat_tree
from tests.sim.topology.least_cut import least_cut

TREES = [(2, 1), (2, 2), (2, 4), (3, 3), (4, 2), (4, 3)]


@pytest.mark.parametrize(("k", "n"), TREES)
def test_neighbours_differ_in_the_digit_of_their_level(k, n):
    """<w, l> and <w', l+1> are wired if and only if all digits except the l-th are equal."""
    tree = fat_tree(k, n)
    assert (tree.switches, tree.nodes, tree.ports) == (n * k ** (n - 1), k**n, 2 * k)
    wired = {(switch, peer) for switch, _, peer, _ in tree.links.tolist()}
    assert len(wired) == len(tree.links)
    want = set()
    for low, (level, *digits) in enumerate(tree.coordinates.tolist()):
        for high, (other, *others) in enumerate(tree.coordinates.tolist()):
            if other == level + 1 and all(digits[i] == others[i] for i in range(n - 1) if i != level):
                want |= {(low, high), (high, low)}
    assert wired == want


@pytest.mark.parametrize(("k", "n"), TREES)
def test_ports_lead_up_then_down(k, n):
    tree = fat_tree(k, n)
    level = tree.coordinates[:, 0]
    for switch, port, peer, _ in tree.links.tolist():
        up = port < k
        assert level[peer] - level[switch] == (1 if up else -1)
        digit = tree.coordinates[peer, 1 + level[switch] - (not up)]
        assert digit == port % k
    assert (tree.peer_switch[level == n - 1, :k] == NOBODY).all()
    assert (tree.port_node[level == 0, k:] == np.arange(k**n).reshape(-1, k)).all()
    assert (tree.port_node[level > 0] == NOBODY).all()


@pytest.mark.parametrize(("k", "n"), [tree for tree in TREES if tree[1] > 1])
def test_figures_are_the_closed_forms(k, n):
    """Two nodes whose highest differing digit is the i-th meet at level i: 2i links between their switches."""
    figures = fat_tree(k, n).figures
    assert figures.degree == 2 * k if n > 2 else k
    assert figures.diameter == 2 * (n - 1)
    total = sum(2 * i * (k - 1) * k**i for i in range(n))
    assert figures.mean_distance == pytest.approx(total / (k**n - 1), rel=1e-12)
    assert figures.bisection_channels == (k**n if k % 2 == 0 else None)


@pytest.mark.parametrize(("k", "n"), [(2, 2), (2, 3), (2, 4), (4, 2)])
def test_bisection_is_the_least_cut_of_leaves(k, n):
    tree = fat_tree(k, n)
    assert tree.figures.bisection_channels == least_cut(tree) == tree.nodes


def test_each_level_has_its_cycles():
    tree = FatTreeFamily(arity=2, levels=3, latencies=(3, 8), intervals=(1, 2)).build()
    level = tree.coordinates[:, 0]
    for switch, port, peer, _ in tree.links.tolist():
        lower = min(level[switch], level[peer])
        assert (tree.link_latency[switch, port], tree.link_interval[switch, port]) == ((3, 1), (8, 2))[lower]


def test_lanes_come_behind_the_links_of_inner_switches():
    tree = fat_tree(2, 3).with_node_ports(3)
    assert (tree.ports, tree.network_ports) == (4 + 2 * 3, 4)
    assert tree.port_node[0].tolist() == [NOBODY] * 4 + [0, 0, 0, 1, 1, 1]
    assert (tree.links == fat_tree(2, 3).links).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["arity=1"], r"topology\.arity = 1: .*≥ 2 and ≤ 31"),
        (["arity=31", "levels=5"], r"topology\.levels = 5: 4617605 switches of arity 31; at most 131072"),
        (["latencies=[1]"], r"topology\.latencies = \[1\]: must be none, or 2 values: level 0 to 1, level 1 to 2"),
        (["radix=[4]"], r"topology\.radix = \[4\]: only topology\.kind = .* uses it"),
    ],
)
def test_bad_trees_are_refused_by_name(settings, message):
    with pytest.raises(TsujiError, match=message):
        load(None, ["topology.kind=fat_tree", *(f"topology.{setting}" for setting in settings)])


def test_ports_that_lead_to_nodes_only_at_leaves_are_refused_where_it_matters():
    """VCs that count switches start again at ports of nodes, which lead down at inner switches."""
    settings = ["topology.kind=fat_tree", "routing.kind=minimal", "switch.vcs=8", "adaptive.kind=step"]
    with pytest.raises(
        TsujiError, match=r'adaptive\.kind = "step": a port of 4-ary 3-tree leads to a node at one switch'
    ):
        load(None, settings)
