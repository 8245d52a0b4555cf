"""Adaptive routing in networks: exact to the cycle for a lone packet, around busy outputs, and live under overload."""

from dataclasses import replace

import numpy as np
import pytest

from models.errors import TsujiError
from models.params import AdaptiveParams, CacheParams, LinkParams, SwitchParams
from sim.analysis.zero_load import zero_load_latency
from sim.config import load
from sim.engine.network import Network
from sim.packets import Packets
from sim.routing.adaptive import choices, with_choices
from sim.routing.deadlock.fixed_routes import find_cycle
from sim.routing.dimension_order import DimensionOrder
from sim.routing.paths import hops
from sim.simulation import simulate
from sim.topology.hyper_crossbar import hyper_crossbar
from sim.topology.torus import grid
from tests.sim.routing.graphs import dependency_graph

APART = 400
COMPUTED = {"routing": "dimension_order", "radix": (4, 4), "wrap": True, "vcs": 4, "adaptive": AdaptiveParams()}
STEP = AdaptiveParams(kind="step")
LOOKAHEAD = AdaptiveParams(kind="step", lookahead=True)
RESERVED = AdaptiveParams(kind="step", lookahead=True, reservation=True)
HYPER = {"routing": "hyper_crossbar", "radix": (3, 4), "ports": 3}

NETWORKS = {
    "torus, computed": (grid((4, 4), wrap=True), COMPUTED),
    "torus, no cache": (
        grid((4, 4), wrap=True),
        {"vcs": 3, "adaptive": AdaptiveParams(escape_vcs=2), "cache": CacheParams(entries=0)},
    ),
    "mesh, by steps": (grid((3, 2), wrap=False), {"vcs": 3, "network_ports": 4, "adaptive": STEP}),
    "hyper-crossbar, fixed": (hyper_crossbar((3, 4)), HYPER),
    "hyper-crossbar, by steps": (hyper_crossbar((3, 4)), HYPER | {"adaptive": STEP}),
    "hyper-crossbar, look-ahead": (hyper_crossbar((3, 4)), HYPER | {"adaptive": LOOKAHEAD}),
    "hyper-crossbar, reserved": (hyper_crossbar((3, 4)), HYPER | {"adaptive": RESERVED}),
    "hyper-crossbar, reserved, three header flits": (
        hyper_crossbar((3, 4)),
        HYPER | {"adaptive": RESERVED, "data_width": 8, "tag_width": 20},
    ),
}


def network(topology, params, link):
    if params.computed:
        return Network(params, link, topology.with_addresses(topology.coordinate_tags), None)
    tables = DimensionOrder().tables(topology, params.escape_vcs)
    return Network(params, link, topology, with_choices(topology, tables, params))


def lone_packets(topology, start):
    pairs = [(a, b) for a in range(topology.nodes) for b in range(topology.nodes) if a != b]
    source, destination = np.array(pairs).T
    return Packets(start + APART * np.arange(len(pairs)), source, destination, np.full(len(pairs), 4))


@pytest.mark.parametrize("latency", [0, 2])
@pytest.mark.parametrize("name", NETWORKS)
def test_a_lone_packet_takes_a_shortest_path_in_the_closed_form_s_time(name, latency):
    topology, changes = NETWORKS[name]
    params, link = SwitchParams(depth=8, **changes), LinkParams(latency=latency)
    net = network(topology, params, link)
    rounds = 2 if params.has_cache else 1
    for _ in range(rounds):  # the first round fills the caches
        net.offer(lone_packets(topology, net.cycle))
        got = net.advance(APART * topology.nodes * (topology.nodes - 1) + APART)
    assert net.idle()
    assert len(got) == topology.nodes * (topology.nodes - 1)
    at = topology.node_switch
    distance = [1 + topology.distances(at[a])[at[b]] for a, b in zip(got.source, got.destination, strict=True)]
    assert got.hops.tolist() == distance
    assert (got.eject - got.enter == zero_load_latency(params, link, got.hops, got.size)).all()


@pytest.mark.parametrize("name", NETWORKS)
def test_an_overloaded_network_delivers_everything(name):
    topology, changes = NETWORKS[name]
    params = SwitchParams(depth=4, **changes)
    net = network(topology, params, LinkParams())
    rng = np.random.default_rng(5)
    birth = np.sort(rng.integers(0, 2000, 4000))
    source = rng.integers(0, topology.nodes, len(birth))
    destination = (source + rng.integers(1, topology.nodes, len(birth))) % topology.nodes
    net.offer(Packets(birth, source, destination, rng.integers(params.header_flits, 12, len(birth))))
    got = net.advance(40_000)
    assert net.idle()
    assert len(got) == len(birth)
    assert net.dropped == 0


def test_a_crossbar_may_have_more_ports_than_a_route_has_choices():
    topology = hyper_crossbar((52, 2))
    params = SwitchParams(routing="hyper_crossbar", radix=(52, 2), ports=3, adaptive=STEP)
    assert params.crossbar_of(0).ports == 52
    net = network(topology, params, LinkParams())
    source = np.arange(topology.nodes)
    destination = (source + 1) % topology.nodes
    net.offer(Packets(np.zeros(len(source), np.int64), source, destination, np.full(len(source), 3)))
    assert len(net.advance(1000)) == len(source)
    assert net.dropped == 0


def test_packets_go_around_what_is_busy():
    """With dimension order a transpose loads few links; half of its saturation load is lost without choices."""
    common = ["topology.radix=[8, 8]", "switch.routing=dimension_order", "switch.vcs=4", "traffic.pattern=transpose"]
    common += ["traffic.load=0.5"]
    fixed, adaptive = (
        simulate(load(None, common + more)).figures.accepted_traffic for more in ([], ["adaptive.kind=escape"])
    )
    assert adaptive > 1.2 * fixed


@pytest.mark.parametrize("topology", [grid((4, 3), wrap=True), hyper_crossbar((3, 4, 2))], ids=lambda t: t.name)
def test_choices_are_the_ports_nearer_to_the_destination(topology):
    masks = choices(topology)
    for node in range(topology.nodes):
        distance = topology.distances(topology.node_switch[node])
        for switch in range(topology.switches):
            nearer = {
                port
                for port, peer in enumerate(topology.peer_switch[switch])
                if peer >= 0 and distance[peer] < distance[switch]
            }
            assert nearer == {port for port in range(topology.ports) if masks[switch, node] >> port & 1}


def test_a_hyper_crossbar_has_the_paper_s_distances():
    topology = hyper_crossbar((3, 4, 2), 2)
    assert topology.switches == 24 + 8 + 6 + 12
    assert topology.figures.diameter == 6
    tables = DimensionOrder().tables(topology, 1)
    assert not find_cycle(topology, tables)
    assert len(dependency_graph(topology, tables))
    differing = (topology.coordinates[:24, None] != topology.coordinates[None, :24]).sum(axis=2)
    assert (hops(topology, tables)[:24, ::2] == 1 + 2 * differing).all()


@pytest.mark.parametrize(
    ("radix", "wrap", "vcs", "depth"), [((8, 8), False, 2, 3), ((8, 8), True, 3, 4)], ids=["mesh", "torus"]
)
def test_no_head_waits_where_it_cannot_ask_for_the_escape(radix, wrap, vcs, depth):
    """Wormhole with few VCs and short buffers deadlocked when heads could queue behind other packets."""
    topology = grid(radix, wrap=wrap)
    options = {"routing": "dimension_order", "radix": radix, "wrap": wrap, "vcs": vcs, "depth": depth}
    params = SwitchParams(**options, adaptive=AdaptiveParams())
    rng = np.random.default_rng(1)
    for _ in range(4):
        net = network(topology, params, LinkParams())
        birth = np.sort(rng.integers(0, 3000, 48_000))
        source = rng.integers(0, topology.nodes, len(birth))
        destination = (source + rng.integers(1, topology.nodes, len(birth))) % topology.nodes
        net.offer(Packets(birth, source, destination, rng.integers(2, 7, len(birth))))
        while not net.idle():
            assert len(net.advance(1500)), f"{net.in_flight} packets stand still in cycle {net.cycle}"


@pytest.mark.parametrize("field", ["out", "choices"])
def test_routes_through_ports_that_lead_nowhere_are_refused(field):
    """A corner of a mesh has ports without links."""
    topology = grid((3, 3), wrap=False)
    params = SwitchParams(vcs=3, adaptive=AdaptiveParams(escape_vcs=1))
    tables = with_choices(topology, DimensionOrder().tables(topology, params.escape_vcs), params)
    Network(params, LinkParams(), topology, tables)
    wrong = getattr(tables, field).copy()
    wrong[0, 4] = 1 if field == "out" else 0b110
    with pytest.raises(TsujiError, match="at switch 0 to node 4: port 1 is not connected"):
        Network(params, LinkParams(), topology, replace(tables, **{field: wrong}))
