"""Fixed ring classes in the simulator: the channel dependencies are those of actual packets, and have no cycle."""

import itertools
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from models.errors import TsujiError
from models.params import LinkParams, SwitchParams
from models.route.dimension_order import BY_PARITY, dimension_order_route, kept_class
from models.state.route_word import route_out, route_vcs, route_word
from sim.config import load
from sim.engine.network import Network
from sim.packets import Packets
from sim.routing.base import Tables
from sim.routing.deadlock import dependency_marks
from sim.routing.deadlock import fixed_routes as deadlock
from sim.routing.deadlock import rings as ring_deadlock
from sim.routing.dimension_order import DimensionOrder, with_fixed_classes
from sim.simulation import build
from sim.topology.torus import grid
from tests.sim.routing.graphs import dependency_graph

RINGS = [((4,), 2), ((5,), 3), ((8,), 4), ((4, 4), 2), ((5, 4), 3), ((3, 5), 2), ((8, 3), 2), ((4, 3, 5), 4)]
FIXED = {"routing": "dimension_order", "wrap": True, "ring_classes": "fixed"}


def mask(topology):
    """Return the mask of the dimensions that are rings."""
    return sum(1 << d for d, ring in enumerate(topology.rings) if ring)


def walked(topology, vcs, ways=(BY_PARITY,)):
    """Return the dependencies of packets between all nodes, from VC to VC, by the switches' own functions."""
    graph = nx.DiGraph()
    radix, rings = np.array(topology.radix), mask(topology)
    for source, ties in itertools.product(topology.node_switch, ways):
        for node, end in enumerate(topology.node_switch):
            here, port, held = int(source), int(topology.node_port[node]), []
            while here != end:
                there = topology.coordinates[end], 0, topology.coordinates[here]
                word = route_word(*dimension_order_route(*there, radix, rings, True, vcs, ties), 0)
                words = {int(kept_class(word, port, v, radix, rings, vcs)) for _, _, v in held} or {int(word)}
                assert len(words) == 1, "VCs of a class go on in one"
                word = words.pop()
                out = int(route_out(word))
                wanted = [(here, out, v) for v in range(vcs) if route_vcs(word) >> v & 1]
                graph.add_nodes_from(wanted)
                graph.add_edges_from((one, other) for one in held for other in wanted)
                held = wanted
                here, port = int(topology.peer_switch[here, out]), int(topology.peer_port[here, out])
    return graph


def by_vc(graph):
    """Return a channel dependency graph from VC to VC."""

    def apart(channel):
        return [(*channel[:2], v) for v in range(channel.vc_first, channel.vc_last + 1)]

    result = nx.DiGraph()
    result.add_nodes_from(vc for channel in graph for vc in apart(channel))
    result.add_edges_from((one, other) for a, b in graph.edges for one in apart(a) for other in apart(b))
    return result


@pytest.mark.parametrize("ties", ["parity", "random"])
@pytest.mark.parametrize(("radix", "vcs"), RINGS)
def test_dependencies_are_those_of_walking_packets(radix, vcs, ties):
    topology = grid(radix, wrap=True)
    tables = with_fixed_classes(topology, vcs, ties)
    found = by_vc(dependency_graph(topology, tables))
    want = walked(topology, vcs, (BY_PARITY,) if ties == "parity" else range(tables.paths))
    assert set(found.nodes) == set(want.nodes)
    assert set(found.edges) == set(want.edges)
    assert nx.is_directed_acyclic_graph(want)


def test_a_few_nodes_at_a_time_have_the_same_graph(monkeypatch):
    topology = grid((5, 4), wrap=True, local_ports=2)
    tables = with_fixed_classes(topology, 2)
    whole = dependency_graph(topology, tables)
    monkeypatch.setattr(dependency_marks, "BLOCK", 60)
    assert set(dependency_graph(topology, tables).edges) == set(whole.edges)


@pytest.mark.parametrize("k", [5, 6, 8])  # on a ring of 4 only half of the paths of two links go +, and none overlap
@pytest.mark.parametrize("mutant", ["all lower", "all upper", "by direction", "any VC", "the long way round"])
def test_other_classes_have_a_cycle(k, mutant):
    topology = grid((k,), wrap=True)
    tables = with_fixed_classes(topology, 2)
    assert not deadlock.find_cycle(topology, tables)
    out, zero = tables.out, np.zeros_like(tables.out)
    vcs = {
        "all lower": (zero, zero),
        "all upper": (zero + 1, zero + 1),
        "by direction": (out & 1, out & 1),
        "any VC": (zero, zero + 1),
        "the long way round": (tables.vc_first, tables.vc_last),
    }[mutant]
    if mutant == "the long way round":
        tables = replace(tables, out=np.where(out == 1, 0, out).astype(np.int8))
    cycle = deadlock.find_cycle(topology, replace(tables, vc_first=vcs[0], vc_last=vcs[1]))
    assert len(cycle) == k
    assert len({channel.port for channel in cycle}) == 1


def test_only_what_keeps_its_vcs_holds_them_further_on():
    """A chain of three links in a row: a packet entering at its start holds VC 0 all along, or each switch's VCs."""
    topology = grid((4,), wrap=False)
    tables = DimensionOrder().tables(topology, 3)
    first = np.broadcast_to(np.arange(4)[:, None] % 3, tables.out.shape).astype(np.int8)
    plain = replace(tables, vc_first=first, vc_last=first)
    held = {(c.switch, c.vc_first) for c in dependency_graph(topology, plain) if c.port == 0}
    assert held == {(0, 0), (1, 1), (2, 2)}
    kept = replace(plain, kept=np.array([0]))
    held = {(c.switch, c.vc_first) for c in dependency_graph(topology, kept) if c.port == 0}
    assert held == {(0, 0), (1, 1), (2, 2), (1, 0), (2, 0), (2, 1)}
    assert {(c.switch, c.vc_first) for c in dependency_graph(topology, kept) if c.port == 1} == {
        (1, 1),
        (2, 2),
        (3, 0),
    }


@pytest.mark.parametrize("radix", [(4,), (5, 4), (8,)])
def test_an_overloaded_torus_delivers_everything(radix):
    topology = grid(radix, wrap=True)
    topology = topology.with_addresses(topology.coordinate_tags)
    params = SwitchParams(ports=topology.ports, vcs=2, depth=2, radix=radix, **FIXED)
    network = Network(params, LinkParams(), topology, None)
    rng = np.random.default_rng(3)
    source = rng.integers(0, topology.nodes, 2000)
    other = (source + rng.integers(1, topology.nodes, 2000)) % topology.nodes
    network.offer(Packets(np.arange(2000) // 10, source, other, rng.integers(1, 9, 2000)))
    assert len(network.advance(50_000)) == 2000
    assert network.dropped == 0


def test_a_configuration_is_checked_with_its_classes(monkeypatch):
    settings = ["topology.radix=[5,4]", "switch.routing=dimension_order", "switch.ring_classes=fixed"]
    checked: list[Tables] = []
    monkeypatch.setattr(ring_deadlock, "check", lambda topology, rule: checked.append(rule(topology)))
    build(load(None, settings))
    build(load(None, settings[:-1]))
    assert checked[0].kept is not None
    assert checked[0].kept.tolist() == [0, 1, 2, 3]
    assert checked[1].kept is None
    with pytest.raises(TsujiError, match="ring_classes"):
        load(None, [*settings, "topology.kind=mesh"])
    with pytest.raises(TsujiError, match="ring_classes"):
        load(None, [settings[0], settings[2]])
