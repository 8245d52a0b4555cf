"""One ring of each dimension decides whether dimension order can deadlock on a whole torus or mesh."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.routing.deadlock import fixed_routes as deadlock
from sim.routing.deadlock import rings as ring_deadlock
from sim.routing.deadlock.fixed_routes import Channel, DeadlockError
from sim.routing.dimension_order import DimensionOrder, even_rings, with_fixed_classes
from sim.simulation import build
from sim.topology.torus import grid
from tests.sim.routing.graphs import dependency_graph

NETWORKS = [((4,), True), ((2, 3), True), ((4, 4), True), ((5, 4), True), ((3, 4, 2), True), ((4, 3), False)]


def plain(topology, ties="parity", vcs=2):
    return DimensionOrder(ties=ties if even_rings(topology) else "parity").tables(topology, vcs)


def fixed(topology, ties="parity", vcs=3):
    return with_fixed_classes(topology, vcs, ties if even_rings(topology) else "parity")


def without_dateline(topology):
    """Return routes that take any VC on each ring."""
    tables = plain(topology)
    return replace(tables, vc_first=np.zeros_like(tables.vc_first), vc_last=np.ones_like(tables.vc_last))


def one_way_swapped(topology):
    """Return routes whose packets that go + stay in one class all the way round."""
    tables = plain(topology)
    plus = (tables.out % 2 == 0) & (tables.out < topology.first_local)
    narrow = tables.vc_first == tables.vc_last
    first = np.where(plus & narrow, 0, tables.vc_first).astype(np.int8)
    return replace(tables, vc_first=first, vc_last=np.where(plus & narrow, 0, tables.vc_last).astype(np.int8))


RULES = {
    "dateline": plain,
    "dateline, ties drawn": partial(plain, ties="random"),
    "fixed": fixed,
    "fixed, ties drawn": partial(fixed, ties="random"),
    "no dateline": without_dateline,
    "one class": one_way_swapped,
}


def translates(topology, rule, dimension):
    """Return the graph of the ring of a dimension, at all its positions in the torus."""
    ring = ring_deadlock.ring_of(topology, dimension)
    places = np.argwhere(np.ones(topology.radix, np.bool_))
    place = {tuple(each): switch for switch, each in enumerate(topology.coordinates.tolist())}
    edges = set()
    for here, there in dependency_graph(ring, rule(ring)).edges:
        for other in places[places[:, dimension] == 0].tolist():
            pair = []
            for channel in (here, there):
                other[dimension] = channel.switch
                pair.append(channel._replace(switch=place[tuple(other)], port=channel.port + 2 * dimension))
            edges.add(tuple(pair))
    return edges


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("radix", "wrap"), NETWORKS)
def test_rings_are_all_there_is(radix, wrap, rule):
    """Within a dimension, the whole graph is that of its ring at each position; other edges lead to later ones."""
    topology = grid(radix, wrap=wrap)
    rule = RULES[rule]
    within = [set() for _ in radix]
    for here, there in dependency_graph(topology, rule(topology)).edges:
        assert there.port // 2 >= here.port // 2
        if there.port // 2 == here.port // 2:
            within[here.port // 2].add((here, there))
    for dimension, edges in enumerate(within):
        assert edges == translates(topology, rule, dimension)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("radix", "wrap"), NETWORKS)
def test_both_checks_say_the_same(radix, wrap, rule):
    topology = grid(radix, wrap=wrap)
    rule = RULES[rule]
    found = [ring_deadlock.find_cycle(topology, rule, dimension) for dimension in range(len(radix))]
    assert any(found) == bool(deadlock.find_cycle(topology, rule(topology)))
    edges = set(dependency_graph(topology, rule(topology)).edges)
    for cycle in filter(None, found):
        assert set(zip(cycle, [*cycle[1:], cycle[0]], strict=True)) <= edges


def test_without_dateline_rings_of_five_deadlock():
    """One of four does not while ties go by parity: two hops + begin only at even positions."""
    for radix, wrap in NETWORKS:
        cycle = ring_deadlock.find_cycle(grid(radix, wrap=wrap), without_dateline, 0)
        assert bool(cycle) == (wrap and radix[0] >= 5)


def test_what_can_deadlock_is_refused():
    topology = grid((3, 5), wrap=True)
    with pytest.raises(DeadlockError, match=r"3×5 torus: these routes can deadlock; 5 channels form a cycle"):
        ring_deadlock.check(topology, without_dateline)
    ring_deadlock.check(topology, plain)
    cycle = ring_deadlock.find_cycle(topology, without_dateline, 1)
    assert {channel.switch for channel in cycle} == {0, 3, 6, 9, 12}
    assert all(isinstance(channel, Channel) and channel.port in (2, 3) for channel in cycle)


def test_a_network_that_computes_its_routes_is_checked(monkeypatch):
    config = load(None, ["switch.routing=dimension_order", "topology.radix=[4,3]"])
    asked = []
    monkeypatch.setattr(ring_deadlock, "check", lambda topology, rule: asked.append(topology.name))
    build(config)
    assert asked == ["4×3 torus"]
    with pytest.raises(TsujiError, match="vcs = 1: a torus with a ring of 4"):
        load(None, ["switch.routing=dimension_order", "topology.radix=[4,3]", "switch.vcs=1"])
