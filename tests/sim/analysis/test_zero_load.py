"""Latency of a lone packet, exact to the cycle, between all nodes: simulation against the closed form."""

import numpy as np
import pytest

from models.params import CacheParams, CamParams, LinkParams, SwitchParams
from sim.analysis.zero_load import zero_load_latency
from sim.engine.network import Network
from sim.packets import Packets
from sim.routing.dimension_order import DimensionOrder
from sim.topology.hypercube import hypercube
from sim.topology.torus import grid

NETWORKS = [grid((4, 4), wrap=True), grid((2, 3), wrap=False), grid((5, 2), wrap=True, local_ports=2)]
TWO_LANES = grid((3, 2), wrap=True, local_ports=2).with_node_ports(2)
APART = 800


def network(topology, params, link):
    if params.has_cam:
        return Network(params, link, topology, DimensionOrder().tables(topology, params.vcs))
    return Network(params, link, topology.with_addresses(topology.coordinate_tags), None)


def lone_packets(topology, flits, start):
    """Return a packet from each node to each other node, born so far apart that no two meet."""
    pairs = [(a, b) for a in range(topology.nodes) for b in range(topology.nodes) if a != b]
    source, destination = np.array(pairs).T
    birth = start + APART * np.arange(len(pairs))
    return Packets(birth, source, destination, np.full(len(pairs), flits))


def send(net, packets):
    net.offer(packets)
    got = net.advance(int(packets.birth[-1]) + APART - net.cycle)
    assert net.idle()
    assert len(got) == len(packets)
    return got


def distance(topology, packets):
    switch = topology.node_switch
    return np.array(
        [1 + topology.distances(switch[a])[switch[b]] for a, b in zip(packets.source, packets.destination, strict=True)]
    )


def agree(got, topology, params, link, lookup):
    assert (got.hops == distance(topology, got)).all()
    assert (got.enter == got.birth + 1).all()
    assert (got.eject - got.enter == zero_load_latency(params, link, got.hops, got.size, lookup)).all()


@pytest.mark.parametrize("flits", [1, 4])
@pytest.mark.parametrize("latency", [0, 1, 3])
@pytest.mark.parametrize("topology", NETWORKS, ids=lambda t: t.name)
@pytest.mark.parametrize(
    "routing",
    [
        "hit",
        "no cache",
        "dimension_order",
        "two header flits",
        "stage delay",
        "head delay, VC stage",
        "speculation",
        "speed-up",
        "speed-up, two header flits",
    ],
)
def test_simulation_is_the_closed_form(routing, topology, latency, flits):
    link = LinkParams(latency=latency)
    changes = {
        "hit": {},
        "no cache": {"cache": CacheParams(entries=0)},
        "dimension_order": {"routing": "dimension_order", "radix": topology.radix, "wrap": topology.wrap},
        "two header flits": {"data_width": 8},
        "stage delay": {"stage_delay": 17},
        "head delay, VC stage": {"head_delay": 3, "vc_stage": True},
        "speculation": {"vc_stage": True, "allocator": "ports_first", "speculation": "behind"},
        "speed-up": {"speedup": 3, "stage_delay": 2},
        "speed-up, two header flits": {"data_width": 8, "speedup": 2},
    }[routing]
    params = SwitchParams(ports=topology.ports, depth=6, **changes)
    flits = max(flits, params.header_flits)
    net = network(topology, params, link)
    if params.has_cache:
        send(net, lone_packets(topology, flits, net.cycle))
    agree(send(net, lone_packets(topology, flits, net.cycle)), topology, params, link, "hit")


@pytest.mark.parametrize("stage", [0, 2])
@pytest.mark.parametrize("depth", [4, 5])
@pytest.mark.parametrize(("latency", "credits"), [(0, None), (1, None), (1, 0), (0, 3), (3, 1), (2, 9)])
def test_a_packet_longer_than_the_buffers_goes_round_by_round_of_the_credit_loop(latency, credits, depth, stage):
    topology = grid((5,), wrap=False)
    link = LinkParams(latency=latency, credit_latency=credits)
    params = SwitchParams(
        ports=topology.ports, vcs=1, depth=depth, stage_delay=stage, routing="dimension_order", radix=topology.radix
    )
    loop = 4 + stage + latency + (latency if credits is None else credits)
    flits = 23
    got = send(network(topology, params, link), lone_packets(topology, flits, 0))
    waits = max(loop - depth, 0) * ((flits - 1) // depth)
    over_links = got.hops > 1
    want = zero_load_latency(params, link, got.hops, got.size, "hit") + waits
    assert ((got.eject - got.enter)[over_links] == want[over_links]).all()
    assert {*got.hops[over_links]} == {2, 3, 4, 5}


@pytest.mark.parametrize("computed", [True, False], ids=["computed", "table"])
def test_lanes_take_no_time(computed):
    routing = {"routing": "dimension_order", "radix": (3, 2), "wrap": True} if computed else {"network_ports": 4}
    params = SwitchParams(ports=TWO_LANES.ports, node_ports=2, **routing)
    net = network(TWO_LANES, params, LinkParams())
    if params.has_cache:
        send(net, lone_packets(TWO_LANES, 3, net.cycle))
    agree(send(net, lone_packets(TWO_LANES, 3, net.cycle)), TWO_LANES, params, LinkParams(), "hit")


@pytest.mark.parametrize("cam", [CamParams(), CamParams(latency=7, occupancy=3), CamParams(latency=40, occupancy=1)])
@pytest.mark.parametrize("topology", NETWORKS, ids=lambda t: t.name)
def test_cold_caches_cost_the_cam_s_time(topology, cam):
    link = LinkParams()
    params = SwitchParams(ports=topology.ports, cam=cam)
    packets = lone_packets(topology, 4, 100)
    for number in range(0, len(packets), 7):
        net = network(topology, params, link)
        agree(send(net, packets[[number]]), topology, params, link, "miss")


def test_the_closed_form_is_the_specification_s():
    params, link = SwitchParams(), LinkParams(latency=1)
    assert zero_load_latency(params, link, 5, 4) == 5 * 3 + 4 * 1 + 3
    assert zero_load_latency(params, link, 5, 4, "miss") == 5 * (2 + 25 + 1) + 4 * 1 + 3
    bare = SwitchParams(cache=CacheParams(entries=0))
    assert zero_load_latency(bare, link, 5, 4) == 5 * (25 + 1) + 4 * 1 + 3
    assert zero_load_latency(SwitchParams(stage_delay=75), link, 5, 4) == 5 * (3 + 75) + 4 * 1 + 3
    assert zero_load_latency(SwitchParams(speedup=2), link, 5, 4) == 5 * 3 + 4 * 1 + 3 * 2
    assert zero_load_latency(params, link, np.array([1, 2]), np.array([1, 1])).tolist() == [3, 7]


def test_a_cache_saves_the_cam_s_time_a_hop():
    link = LinkParams()
    saved = zero_load_latency(SwitchParams(cache=CacheParams(entries=0)), link, 1, 1) - zero_load_latency(
        SwitchParams(), link, 1, 1
    )
    assert saved == 25 - 2


@pytest.mark.campaign
@pytest.mark.parametrize("flits", [1, 4])
@pytest.mark.parametrize(
    "build", [lambda: grid((64, 64, 32), wrap=True), lambda: hypercube(17)], ids=["64×64×32 torus", "17-cube"]
)
def test_the_closed_form_holds_with_131_072_nodes(build, flits):
    topology = build()
    link = LinkParams(latency=1)
    params = SwitchParams(
        ports=topology.ports, routing=topology.routing, tag_width=17, vcs=2, **topology.computed_params
    )
    rng = np.random.default_rng(flits)
    ends = rng.choice(topology.nodes, (2, 200), replace=False)
    ends[:, :2] = [0, topology.nodes - 1], [topology.nodes - 1, 0]
    packets = Packets(APART * np.arange(200), *ends, np.full(200, flits))
    net = network(topology, params, link)
    agree(send(net, packets), topology, params, link, "hit")
