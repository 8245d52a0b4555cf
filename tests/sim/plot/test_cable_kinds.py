"""Kinds of cables that pictures name."""

import numpy as np

from sim.config import load_network
from sim.plot.cable_kinds import cable_kinds
from sim.plot.topology import COLOURS
from sim.topology.cables import cable_ends
from sim.topology.fat_tree import fat_tree

MOST = len(COLOURS)


def kinds(*settings):
    """Return the names of kinds, the number of cables of each, and the network."""
    network = load_network(None, settings).topologies()[0]
    found = cable_kinds(network, MOST)
    return found.names, np.bincount(found.kind).tolist(), network


def test_a_dragonfly_has_local_and_global_links():
    names, counts, network = kinds("topology.kind=dragonfly")
    assert names == ["local link", "global link"]
    assert counts == [9 * 6, 9 * 8 // 2]
    group = network.coordinates[:, 0][cable_ends(network)]
    assert (cable_kinds(network, MOST).kind == (group[:, 0] != group[:, 1])).all()


def test_a_slim_fly_has_links_in_a_row_and_across():
    names, counts, _ = kinds("topology.kind=slim_fly", "topology.q=5")
    assert names == ["row link", "across link"]
    assert counts == [10 * 5, 5 * 5 * 5]  # 10 rings of 5 switches; a switch of each side has 5 neighbours on the other


def test_latencies_are_named_with_their_kind():
    names, _, _ = kinds("topology.kind=dragonfly", "topology.latencies=[0, 50]")
    assert names == ["local link, 0 more cycles", "global link, 50 more cycles"]


def test_links_of_dimensions_are_named_like_ports():
    names, counts, _ = kinds("topology.radix=[4, 3, 2]")
    assert names == ["±x", "±y", "±z"]
    assert counts == [24, 24, 24]
    names, counts, _ = kinds("topology.kind=hypercube", "topology.dimensions=3", "topology.folded=true")
    assert names == ["±x", "±y", "±z", "several dimensions"]
    assert counts == [4, 4, 4, 4]


def test_more_kinds_than_colours_are_one():
    assert kinds("topology.kind=hypercube", f"topology.dimensions={MOST}")[0] == [
        "±x", "±y", "±z", *(f"±d{dimension}" for dimension in range(3, MOST))
    ]  # fmt: skip
    assert kinds("topology.kind=hypercube", f"topology.dimensions={MOST + 1}")[0] == [""]


def test_other_networks_have_one_kind():
    assert cable_kinds(fat_tree(2, 3), MOST).names == [""]
