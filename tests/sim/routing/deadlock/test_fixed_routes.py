"""Deadlock check: routes known to deadlock are found, routes known to be free of it pass, and runs can be forced."""

import re
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from models.errors import TsujiError
from models.params import AdaptiveParams, LinkParams, SwitchParams
from sim.config import load
from sim.engine.network import Network
from sim.engine.stalls.stall import StalledError
from sim.packets import Packets
from sim.routing.adaptive import choices, with_choices
from sim.routing.deadlock import adaptive_routes as adaptive_deadlock
from sim.routing.deadlock import dependency_marks
from sim.routing.deadlock import fixed_routes as deadlock
from sim.routing.dimension_order import DimensionOrder
from sim.routing.minimal import Minimal
from sim.routing.paths import used
from sim.routing.up_down import UpDown
from sim.routing.valiant import Valiant
from sim.simulation import DeadlockWarning, build
from sim.topology.base import NOBODY
from sim.topology.hypercube import hypercube
from sim.topology.torus import grid
from tests.sim.routing.graphs import dependency_graph
from tests.sim.topology.graphs import network_of, random_regular, tree

STORED = {"buffering": "static", "max_packet": 4, "u_turn": True}


def adaptive(topology, algorithm, escape_vcs, **changes):
    """Return a switch and tables with adaptive choices."""
    params = SwitchParams(
        ports=topology.ports, vcs=escape_vcs + 1, adaptive=AdaptiveParams(escape_vcs=escape_vcs), **changes
    )
    return params, with_choices(topology, algorithm.tables(topology, escape_vcs), params)


def extended_graph(topology, tables):
    """Return Duato's extended channel dependency graph, each pair of channels written out."""
    graph = nx.DiGraph()
    for node in range(topology.nodes):
        end = topology.node_switch[node]

        def escape(switch, node=node):
            vcs = range(tables.vc_first[switch, node], tables.vc_last[switch, node] + 1)
            return [(switch, int(tables.out[switch, node]), vc) for vc in vcs]

        ways = nx.DiGraph()
        for switch in range(topology.switches):
            ports = [p for p in range(topology.ports) if tables.choices[switch, node] >> p & 1]
            ways.add_node(switch)
            ways.add_edges_from((switch, int(topology.peer_switch[switch, port])) for port in ports)
        for switch in set(range(topology.switches)) - {end}:
            after = int(topology.peer_switch[switch, tables.out[switch, node]])
            for there in ({after} | nx.descendants(ways, after)) - {end}:
                graph.add_edges_from((held, wanted) for held in escape(switch) for wanted in escape(there))
    return graph


def random_routes(topology, seed):
    """Return random loop-free routes of one VC range each."""
    rng = np.random.default_rng(seed)
    tables = Minimal(vc_classes="none").tables(topology, 3)
    out = tables.out.copy()
    for node in range(topology.nodes):
        distance = topology.distances(topology.node_switch[node])
        for switch in np.flatnonzero(distance):
            peers = topology.peer_switch[switch]
            out[switch, node] = rng.choice(np.flatnonzero((peers != NOBODY) & (distance[peers] < distance[switch])))
    first = rng.integers(0, 3, out.shape).astype(np.int8)
    return replace(tables, out=out, vc_first=first, vc_last=np.maximum(first, rng.integers(0, 3, out.shape, np.int8)))


@pytest.mark.parametrize("seed", range(12))
def test_cycles_are_those_of_the_graph_written_out(seed):
    topology = [grid((3, 2), wrap=False), random_regular(seed, 3, 6), tree(2, 2)][seed % 3]
    tables = random_routes(topology, seed)
    params = SwitchParams(ports=topology.ports, vcs=4, adaptive=AdaptiveParams(escape_vcs=3))
    tables = with_choices(topology, tables, params)
    graph = extended_graph(topology, tables)
    cycle = adaptive_deadlock.find_extended_cycle(topology, tables)
    assert bool(cycle) == (not nx.is_directed_acyclic_graph(graph))
    for held, wanted in zip(cycle, cycle[1:] + cycle[:1], strict=True):
        held_vcs = [(*held[:2], vc) for vc in range(held.vc_first, held.vc_last + 1)]
        assert all(graph.has_edge(vc, (*wanted[:2], wanted.vc_first)) for vc in held_vcs)


@pytest.mark.parametrize("paths", [1, 2])
def test_a_few_nodes_at_a_time_have_the_same_graph(paths, monkeypatch):
    topology = grid((4, 3), wrap=True, local_ports=2)
    routing = Valiant(base="dimension_order", paths=paths) if paths > 1 else DimensionOrder()
    tables = routing.tables(topology, 4)
    whole = dependency_graph(topology, tables)
    monkeypatch.setattr(dependency_marks, "BLOCK", 40)
    assert len(list(tables.parts(dependency_marks.BLOCK // topology.switches))) > 5
    parts = dependency_graph(topology, tables)
    assert set(parts.nodes) == set(whole.nodes)
    assert set(parts.edges) == set(whole.edges)


def test_both_outcomes_are_among_those_graphs():
    """A check with a constant answer would pass the test above on only half of its graphs."""
    topology = grid((3, 2), wrap=False)
    params = SwitchParams(ports=topology.ports, vcs=4, adaptive=AdaptiveParams(escape_vcs=3))
    found = {
        bool(adaptive_deadlock.find_extended_cycle(topology, with_choices(topology, tables, params)))
        for tables in (random_routes(topology, 0), DimensionOrder().tables(topology, 3))
    }
    assert found == {True, False}


@pytest.mark.parametrize("buffering", [{}, STORED], ids=["wormhole", "stored"])
@pytest.mark.parametrize(
    ("topology", "algorithm", "escape_vcs"),
    [
        (grid((5, 4), wrap=True), DimensionOrder(), 2),
        (grid((4, 4), wrap=False), DimensionOrder(), 1),
        (hypercube(4), DimensionOrder(), 1),
        (grid((4, 4), wrap=True), Minimal(), 4),
        (random_regular(5), Minimal(), 4),
        (tree(2, 3), UpDown(), 1),
    ],
    ids=lambda value: getattr(value, "name", None) or getattr(value, "kind", None),
)
def test_escapes_that_are_free(topology, algorithm, escape_vcs, buffering):
    params, tables = adaptive(topology, algorithm, escape_vcs, **buffering)
    adaptive_deadlock.check(topology, tables, params)


@pytest.mark.parametrize("topology", [grid((4, 4), wrap=True), random_regular(5)], ids=lambda t: t.name)
def test_up_down_is_an_escape_only_where_packets_are_stored_whole(topology):
    """Choices lead a wormhole from a link down to a place where it requests a link up."""
    params, tables = adaptive(topology, UpDown(), 1, u_turn=True)
    assert not deadlock.find_cycle(topology, tables)
    with pytest.raises(deadlock.DeadlockError, match="can deadlock"):
        adaptive_deadlock.check(topology, tables, params)
    params, tables = adaptive(topology, UpDown(), 1, **STORED)
    adaptive_deadlock.check(topology, tables, params)


@pytest.mark.parametrize(("algorithm", "vcs", "buffering"), [(UpDown(), 1, STORED), (Minimal(), 4, {})])
def test_an_overloaded_network_with_such_escapes_delivers_everything(algorithm, vcs, buffering):
    topology = random_regular(5)
    params, tables = adaptive(topology, algorithm, vcs, **buffering)
    adaptive_deadlock.check(topology, tables, params)
    network = Network(params, LinkParams(), topology, tables)
    rng = np.random.default_rng(2)
    source = rng.integers(0, 16, 800)
    packets = Packets(np.arange(800) // 8, source, (source + rng.integers(1, 16, 800)) % 16, rng.integers(1, 5, 800))
    network.offer(packets)
    assert len(network.advance(20_000)) == 800
    assert network.dropped == 0


def test_a_route_back_to_where_a_choice_came_from_needs_u_turns():
    topology = random_regular(5)
    params, tables = adaptive(topology, UpDown(), 1, **STORED | {"u_turn": False})
    with pytest.raises(deadlock.DeadlockError, match=r"leads back; .* use switch.u_turn = true") as error:
        adaptive_deadlock.check(topology, tables, params)
    switch, node, peer = (int(word) for word in re.findall(r"(?:switch|node) (\d+)", str(error.value)))
    assert tables.choices[switch, node] >> int(np.flatnonzero(topology.peer_switch[switch] == peer)[0]) & 1
    assert topology.peer_switch[peer, tables.out[peer, node]] == switch


def test_an_escape_without_a_dateline_is_found_wherever_choices_lead():
    topology = grid((5, 4), wrap=True)
    params, tables = adaptive(topology, DimensionOrder(), 2, **STORED)
    plain = replace(tables, vc_first=np.zeros_like(tables.out), vc_last=np.full_like(tables.out, 1))
    with pytest.raises(deadlock.DeadlockError, match="form a cycle in the channel dependency graph"):
        adaptive_deadlock.check(topology, plain, params)


def test_routes_that_only_choices_reach_are_met():
    topology = network_of(nx.cycle_graph(4), 1, [0, 2])
    tables = Minimal(spread="lowest", vc_classes="none").tables(topology, 1)
    met = [used(topology, replace(tables, choices=ways))[:, 1].tolist() for ways in (None, choices(topology))]
    assert met == [[True, True, True, False], [True, True, True, True]]


def test_steps_need_a_vc_for_each_link():
    topology = random_regular(7)
    step = AdaptiveParams(kind="step")
    longest = topology.figures.diameter
    for algorithm, vcs, message in [
        (Minimal(vc_classes="none"), longest, None),
        (Minimal(vc_classes="none"), longest - 1, f"after {longest - 1}, where they would be dropped"),
        (UpDown(), longest, f"after {longest}, where they would be dropped"),
    ]:
        params = SwitchParams(ports=topology.ports, vcs=vcs, network_ports=4, adaptive=step)
        tables = with_choices(topology, algorithm.tables(topology, vcs), params)
        if message is None:
            adaptive_deadlock.check(topology, tables, params)
        else:
            with pytest.raises(deadlock.DeadlockError, match=message):
                adaptive_deadlock.check(topology, tables, params)


def test_what_is_refused_does_stand_still():
    """Every node of a ring sends to the opposite one, all in one direction: with one class no packet arrives."""
    topology = grid((4,), wrap=True)
    tables = DimensionOrder().tables(topology, 2)
    out = np.where(tables.out == 1, 0, tables.out).astype(np.int8)
    every = np.arange(4)
    packets = Packets(np.zeros(4, np.int64), every, (every + 2) % 4, np.full(4, 20))
    for name, first, last in [("one class", np.zeros_like(out), np.zeros_like(out)), ("dateline", *dateline(out))]:
        routes = replace(tables, out=out, vc_first=first, vc_last=last)
        network = Network(SwitchParams(ports=topology.ports, depth=4), LinkParams(), topology, routes)
        network.offer(packets)
        if name == "one class":
            assert deadlock.find_cycle(topology, routes)
            with pytest.raises(StalledError, match="form a cycle of waits"):
                network.advance(5000)
        else:
            assert not deadlock.find_cycle(topology, routes)
            network.advance(5000)
        assert network.in_flight == (4 if name == "one class" else 0)


def dateline(out):
    """Return the VCs of routes that all go + round a ring of 4: 0 while the wrap-around link is ahead, then 1."""
    switch, node = np.indices(out.shape)
    vc = (switch <= node).astype(np.int8)
    return vc, vc


def test_a_run_can_be_forced():
    settings = ["topology.radix=[4,4]", "routing.kind=minimal", "routing.vc_classes=none"]
    with pytest.raises(TsujiError, match=r"form a cycle in the channel dependency graph \(run.force = true simulates"):
        build(load(None, settings))
    with pytest.warns(DeadlockWarning, match="4×4 torus: these routes can deadlock"):
        build(load(None, [*settings, "run.force=true"]))


def test_computed_routes_are_dimension_order():
    with pytest.raises(TsujiError, match=r'routing.kind = "minimal": switch.routing = "dimension_order" computes'):
        load(None, ["switch.routing=dimension_order", "routing.kind=minimal", "switch.vcs=8"])


def test_escape_vcs_follow_the_routing():
    settings = ["topology.radix=[4,4]", "routing.kind=minimal", "switch.vcs=6", "adaptive.kind=escape"]
    assert load(None, settings).switch.escape_vcs == 4
    with pytest.raises(TsujiError, match=r"adaptive.escape_vcs = 3: 4×4 torus needs 4"):
        load(None, [*settings, "adaptive.escape_vcs=3"])
