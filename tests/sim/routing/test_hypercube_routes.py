"""Computed routes of hypercube switches equal those of tables, and only the latency changes."""

import numpy as np
import pytest
from hypothesis import given, settings

from models.errors import TsujiError
from models.formats import Counter
from models.params import AdaptiveParams, LinkParams, SwitchParams
from models.params.planes import PlaneParams
from models.power_up import new_state
from models.route.route_unit import route_at_once
from models.state.route_word import route_choices, route_drop, route_out, route_vcs
from sim.config import load
from sim.engine.network import Network
from sim.engine.planes import PlaneNetwork
from sim.routing.dimension_order import DimensionOrder
from sim.simulation import build, simulate
from sim.topology.hypercube import hypercube
from sim.topology.torus import grid
from tests.sim.analysis.test_zero_load import agree, lone_packets, network, send
from tests.sim.engine.test_planes import random_packets
from tests.sim.topology.test_hypercube import cubes

LINK = LinkParams(latency=1)
NETWORKS = [
    hypercube(3),
    hypercube(3, (3, 5, 7), 2),
    hypercube(4, (1, 2, 4, 8, 15)),
    hypercube(4, (8, 12, 14, 15, 5)),
]


def switch(topology, **changes):
    """Return a switch that computes its routes."""
    return SwitchParams(ports=topology.ports, routing=topology.routing, **topology.computed_params | changes)


def words(topology, params):
    """Return the route word of each switch for each node [S, N]."""
    state = new_state(params, topology.switches)
    state.position[:] = topology.own_coordinates
    tags = topology.coordinate_tags.tolist()
    return [[int(route_at_once(state, s, tag, False)) for tag in tags] for s in range(topology.switches)]


@settings(deadline=None, max_examples=60)
@given(cubes())
def test_computed_routes_are_the_tables(topology):
    for changes in ({}, {"vcs": 8, "adaptive": AdaptiveParams(escape_vcs=3)}):
        params = switch(topology, **changes)
        tables = DimensionOrder().tables(topology, params.escape_vcs)
        assert len(set(topology.coordinate_tags)) == topology.nodes
        for here, row in enumerate(words(topology, params)):
            for node, word in enumerate(row):
                there = topology.node_switch[node]
                assert not route_drop(word)
                assert route_out(word) == tables.out[here, node]
                vcs = params.vcs if here == there else params.escape_vcs
                assert route_vcs(word) == (1 << vcs) - 1
                assert route_choices(word) == (topology.route_values[here ^ there] if params.selects else 0)


@settings(deadline=None, max_examples=60)
@given(cubes())
def test_the_longest_path_is_the_diameter(topology):
    assert switch(topology).longest_path == topology.figures.diameter


def test_a_local_number_out_of_range_is_dropped():
    topology = hypercube(3, (), 3)
    params = switch(topology)
    state = new_state(params, topology.switches)
    state.position[:] = topology.own_coordinates
    dropped = [bool(route_drop(int(route_at_once(state, 5, tag, False)))) for tag in range(32)]
    assert dropped == [False] * 24 + [True] * 8


@pytest.mark.parametrize("flits", [1, 4])
@pytest.mark.parametrize("topology", NETWORKS, ids=lambda t: t.name)
def test_zero_load_latency_is_the_closed_form(topology, flits):
    params = switch(topology, depth=6)
    net = network(topology, params, LINK)
    agree(send(net, lone_packets(topology, flits, net.cycle)), topology, params, LINK, "hit")


def test_a_6_cube_is_the_one_by_tables_but_for_the_latency_of_routes():
    topology = hypercube(6, (1, 2, 4, 8, 16, 32, 63))
    by_table = SwitchParams(ports=topology.ports)
    delivered, counters = [], []
    packets = random_packets(topology.nodes, cycles=1000, load=0.4)
    for params in (switch(topology), by_table):
        net = network(topology, params, LINK)
        net.offer(packets)
        got = net.advance(40_000)
        assert net.idle()
        assert not net.dropped
        rows = np.column_stack([got.source, got.destination, got.birth, got.size, got.hops])
        delivered.append(rows[np.lexsort(rows.T)])
        counters.append(net.counters())
    assert (delivered[0] == delivered[1]).all()
    for counter in (Counter.FLITS_IN, Counter.PACKETS_IN, Counter.FLITS_OUT, Counter.PACKETS_OUT):
        assert (counters[0][:, :, counter] == counters[1][:, :, counter]).all(), counter.name


def test_planes_of_other_generators_take_the_ways_of_tables():
    params = PlaneParams(bits=4, planes=((), (9, 3, 7, 2, 15)), tie="hash")
    planes = [hypercube(params.bits, params.generators(plane), 2) for plane in range(2)]
    packets = random_packets(planes[0].nodes)
    rows = []
    for computed in (True, False):
        switches = [switch(cube) if computed else SwitchParams(ports=cube.ports) for cube in planes]
        together = PlaneNetwork(params, [network(cube, one, LINK) for cube, one in zip(planes, switches, strict=True)])
        together.offer(packets)
        got = together.advance(20_000)
        assert together.idle()
        taken = np.column_stack([got.source, got.destination, got.birth, got.size, got.hops])
        rows.append((taken[np.lexsort(taken.T)], together.counters()[:, :, Counter.FLITS_OUT]))
    for one, other in zip(*rows, strict=True):
        assert (one == other).all()


@pytest.mark.parametrize("adaptive", ["escape", "step"])
def test_adaptive_ways_are_shortest_too(adaptive):
    topology = hypercube(4, (8, 12, 14, 15, 5))
    net = network(topology, switch(topology, vcs=4, adaptive=AdaptiveParams(kind=adaptive)), LINK)
    packets = random_packets(topology.nodes, load=1.0)
    net.offer(packets)
    got = net.advance(20_000)
    assert net.idle()
    assert not net.dropped
    assert len(got) == len(packets)
    distances = np.stack([topology.distances(s) for s in range(topology.switches)])
    assert (got.hops == 1 + distances[got.source, got.destination]).all()


def test_a_configuration_computes_routes():
    settings = ["topology.kind=hypercube", "topology.dimensions=4", "topology.generators=[8,12,14,15,6]"]
    settings += ["topology.locals=2", "switch.routing=hypercube", "traffic.load=0.2"]
    config = load(None, settings)
    assert (config.switch.radix, config.switch.fold) == ((2, 2, 2, 2), 0b0101)  # 6 = 8 ⊕ 14, generators 0 and 2
    found = simulate(config).figures
    assert found.converged
    assert found.cache.hit_rate is None
    assert found.hops == pytest.approx(1 + config.topology.build().figures.mean_distance, rel=0.02)


def test_large_cubes_need_no_tables(monkeypatch):
    monkeypatch.setattr(DimensionOrder, "tables", None)
    config = load(
        None,
        ["topology.kind=hypercube", "topology.dimensions=8", "switch.routing=hypercube", "switch.counter_width=0"],
    )
    net = build(config)
    packets = random_packets(256, cycles=20)
    net.offer(packets)
    assert len(net.advance(500)) == len(packets)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["switch.fold=7"], "switch.fold = 7: 3-cube needs none; leave it out"),
        (["topology.generators=[1,2,4,7]", "switch.fold=3"], "switch.fold = 3: folded 3-cube needs 7; leave it out"),
        (["switch.radix=[2,2]"], r"switch.radix = \[2, 2\]: 3-cube needs \[2, 2, 2\]; leave it out"),
        (["prediction.kind=static"], "no ports of a hypercube are opposite"),
        (["adaptive.kind=step"], 'vcs = 2: adaptive.kind = "step" needs 3'),
    ],
)
def test_a_configuration_that_does_not_fit_is_refused(given, message):
    with pytest.raises(TsujiError, match=message):
        load(None, ["topology.kind=hypercube", "topology.dimensions=3", "switch.routing=hypercube", *given])


def test_networks_refuse_switches_that_reckon_otherwise():
    folded = hypercube(3, (1, 2, 4, 7))
    plain = SwitchParams(ports=folded.ports, routing="hypercube", radix=(2, 2, 2))
    with pytest.raises(TsujiError, match=r"switch.fold = None: folded 3-cube needs 7"):
        Network(plain, LINK, folded, None)
    with pytest.raises(TsujiError, match=r'switch.routing = "hypercube": no such routes on 2×3 mesh'):
        Network(plain, LINK, grid((2, 3), wrap=False), None)
