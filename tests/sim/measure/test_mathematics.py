"""The simulator against mathematics: identities hold exactly, expectations within their confidence intervals."""

from dataclasses import replace

import numpy as np
import pytest

from models.errors import TsujiError
from models.formats import Counter
from models.params import LinkParams, SwitchParams
from sim.analysis.channel_load import channel_loads, throughput_bound
from sim.analysis.zero_load import zero_load_latency
from sim.config import load
from sim.engine.network import Network
from sim.packets import Delivered, Packets
from sim.simulation import build
from sim.traffic.stream import Stream
from sim.traffic.uniform import uniform_demand

QUICK = ("cache.entries=0", "cam.latency=4", "cam.occupancy=1")
NETWORKS = {
    "torus": ("topology.radix=[4, 4]", "switch.routing=dimension_order"),
    "mesh of two nodes per switch": ("topology.kind=mesh", "topology.radix=[2, 3]", "topology.locals=2", *QUICK),
    "hypercube": ("topology.kind=hypercube", "topology.dimensions=3", *QUICK),
    "hyper-crossbar": ("topology.kind=hyper_crossbar", "topology.radix=[3, 3]", *QUICK),
    "fat tree": ("topology.kind=fat_tree", "topology.arity=2", "topology.levels=3", "routing.kind=up_down", *QUICK),
    "HyperX": ("topology.kind=hyperx", "topology.radix=[3, 3]", "routing.kind=minimal", *QUICK),
    "dragonfly": (
        "topology.kind=dragonfly",
        "topology.group_switches=2",
        "topology.global_links=1",
        "routing.kind=minimal",
        "switch.vcs=3",
        *QUICK,
    ),
    "Slim Fly": ("topology.kind=slim_fly", "topology.q=3", "topology.locals=1", "routing.kind=minimal", *QUICK),
    "random graph": (
        "topology.kind=random_regular",
        "topology.switches=12",
        "topology.degree=3",
        "routing.kind=up_down",
        *QUICK,
    ),
    "Valiant": ("topology.radix=[3, 3]", "routing.kind=valiant", "routing.base=up_down", *QUICK),
}
DRAWN = {"Valiant"}  # which of several addresses a packet takes is drawn


@pytest.fixture(params=NETWORKS, scope="module")
def config(request):
    return load(None, NETWORKS[request.param])


def random_packets(config, cycles, rate=None):
    topology = config.topology.build()
    rate = config.load.load if rate is None else rate
    return Stream(topology, config.pattern, config.arrivals, config.sizes, rate, 7).until(cycles)


def test_littles_law(config):
    """Σ over cycles of packets in the system = Σ over packets of their latency, if the system is empty at both ends."""
    network, packets = build(config), random_packets(config, 300, 0.2)
    present, latency, offered = 0, 0, 0
    while offered < len(packets) or not network.idle():
        born = int(np.searchsorted(packets.birth, network.cycle, side="right"))
        network.offer(packets[offered:born])
        offered = born
        done = network.advance(1)
        latency += int((done.eject - done.birth).sum())
        present += network.in_flight + int((done.eject - (network.cycle - 1)).sum())
    assert present == latency > 0


def test_flits_are_conserved(config):
    """Flits into a switch equal flits out; flits sent by nodes equal flits received; flits sent on a link arrive."""
    network, packets = build(config), random_packets(config, 500, 0.2)
    network.offer(packets)
    done = network.advance(3000)
    assert network.idle()
    assert network.dropped == 0
    order = [np.lexsort((each.size, each.destination, each.source, each.birth)) for each in (packets, done)]
    for name in ("source", "destination", "size", "birth"):
        assert np.array_equal(getattr(packets, name)[order[0]], getattr(done, name)[order[1]])
    counters, topology = network.counters(), network.topology
    flits_in, flits_out = counters[:, :, Counter.FLITS_IN], counters[:, :, Counter.FLITS_OUT]
    assert np.array_equal(flits_in.sum(axis=1), flits_out.sum(axis=1))
    assert np.array_equal(flits_out, network.flits_sent().sum(axis=2))
    switch, port, peer, peer_port = topology.links.T
    assert np.array_equal(flits_out[switch, port], flits_in[peer, peer_port])
    assert np.array_equal(flits_in[topology.local_ends], np.bincount(packets.source, packets.size, topology.nodes))
    assert np.array_equal(
        flits_out[topology.local_ends], np.bincount(packets.destination, packets.size, topology.nodes)
    )


def all_pairs(nodes, size, apart):
    """Return a packet from each node to each other node, each alone in the network."""
    source, destination = np.nonzero(~np.eye(nodes, dtype=bool))
    return Packets(np.arange(len(source)) * apart, source, destination, np.full(len(source), size))


@pytest.mark.parametrize("config", sorted(NETWORKS.keys() - DRAWN), indirect=True)
def test_every_link_carries_what_its_routes_say(config):
    topology = config.topology.build().with_node_ports(config.switch.node_ports)
    tables = config.routing.tables(topology, config.switch.escape_vcs)
    assert tables.paths == 1
    network = build(config)
    network.offer(all_pairs(topology.nodes, 3, 60))
    while not network.idle():
        network.advance(1000)
    loads = channel_loads(topology, tables, 1 - np.eye(topology.nodes))
    assert np.array_equal(network.flits_sent().sum(axis=2), 3 * loads)


def test_zero_load_latency_is_the_closed_form(config):
    network = build(config)
    network.offer(all_pairs(network.topology.nodes, 3, 100))
    done = Delivered.join([network.advance(20_000) for _ in range(8)])
    assert network.idle()
    formula = zero_load_latency(config.switch, config.link, done.hops, done.size)
    assert np.array_equal(done.eject - done.enter, formula)


@pytest.mark.parametrize("name", ["torus", "fat tree", "hypercube"])
def test_no_more_is_accepted_than_the_most_loaded_link_carries(name):
    config = load(None, [*NETWORKS[name], "switch.vcs=4", "switch.depth=8"])
    topology = config.topology.build()
    bound = throughput_bound(topology, channel_loads(topology, config.routing.tables(topology, 4)))
    network = build(config)
    network.offer(random_packets(config, 6000, min(1.0, 1.5 * bound.load)))
    network.advance(2000)
    accepted = network.advance(4000).flits / 4000 / topology.nodes
    assert 0.5 * bound.load < accepted < bound.load * 1.02


def test_bounds_of_rings_and_cubes():
    """Uniform traffic to other nodes: k/8 · N/(N − 1) per link of a ring of even k, N/2/(N − 1) per link of a cube."""
    ring = load(None, ["topology.radix=[8]"])
    topology = ring.topology.build()
    loads = channel_loads(topology, ring.routing.tables(topology, 2))
    assert loads[:, :2].mean() == pytest.approx(8 / 8 * 8 / 7)
    assert np.allclose(loads[topology.local_ends], 1)
    cube = load(None, ["topology.kind=hypercube", "topology.dimensions=4"])
    topology = cube.topology.build()
    loads = channel_loads(topology, cube.routing.tables(topology, 1))
    assert np.allclose(loads[:, :4], 8 / 15)
    assert throughput_bound(topology, loads) == (pytest.approx(1.0), 0, 4)
    slow = replace(topology, link_interval=np.full(topology.peer_switch.shape, 4))
    assert throughput_bound(slow, loads).load == pytest.approx(min(1 / 4, 15 / 32))


def test_loads_of_chosen_ways_are_refused():
    config = load(None, ["topology.radix=[3, 3]", "routing.kind=ugal", "switch.vcs=4"])
    topology = config.topology.build()
    with pytest.raises(TsujiError, match="without choices"):
        channel_loads(topology, config.routing.tables(topology, 4))
    with pytest.raises(TsujiError, match=r"demand of shape \(2, 2\); must be \(9, 9\)"):
        channel_loads(topology, load(None, ["topology.radix=[3, 3]"]).routing.tables(topology, 2), uniform_demand(2))


@pytest.mark.parametrize(("size", "rho"), [(1, 0.6), (4, 0.5), (8, 0.3)])
def test_a_single_link_is_an_m_d_1_queue(size, rho):
    """Packets born at random wait L·ρ / 2(1 − ρ) on average for a link that takes L cycles per packet."""
    config = load(
        None, ["topology.kind=mesh", "topology.radix=[2]", "switch.routing=dimension_order", "switch.depth=16"]
    )
    network = build(config)
    rng = np.random.default_rng(3)
    cycles = 400_000
    birth = np.repeat(np.arange(cycles), rng.poisson(rho / size, cycles))
    zeros = np.zeros(len(birth), np.int64)
    network.offer(Packets(birth, zeros, zeros + 1, zeros + size))
    done = network.advance(cycles + 5000)
    assert network.idle()
    waited = done.enter - done.birth - 1  # a packet that finds the link free is on it in the next cycle
    batches = np.array([part.mean() for part in np.array_split(waited[len(waited) // 20 :], 40)])
    error = batches.std(ddof=1) / np.sqrt(len(batches))
    assert waited.min() == 0
    assert abs(batches.mean() - size * rho / (2 * (1 - rho))) < 4 * error


@pytest.mark.parametrize("shift", [1, 5, 7])
def test_translations_of_a_hypercube_change_nothing(shift):
    """x → x ⊕ shift maps links to links of the same ports: the same packets from there take exactly as long."""
    config = load(None, [*NETWORKS["hypercube"], "traffic.packet_size=3"])
    packets = random_packets(config, 800, 0.5)
    moved = replace(packets, source=packets.source ^ shift, destination=packets.destination ^ shift)
    times = []
    for each, back in ((packets, 0), (moved, shift)):
        network = build(config)
        network.offer(each)
        done = network.advance(4000)
        rows = np.column_stack((done.birth, done.source ^ back, done.destination ^ back, done.enter, done.eject))
        times.append(rows[np.lexsort(rows.T)])
    assert len(times[0]) == len(packets)
    assert np.array_equal(*times)


def test_rotations_of_a_torus_without_datelines_change_nothing():
    params = SwitchParams(routing="dimension_order", radix=(3, 3), wrap=True)
    config = load(None, ["topology.radix=[3, 3]", "switch.routing=dimension_order"])
    packets = random_packets(config, 800, 0.5)
    topology = config.topology.build()
    place = topology.coordinates
    rotated = np.array([np.flatnonzero((place == (place[n] + (1, 2)) % 3).all(axis=1))[0] for n in range(9)])
    times = []
    for renamed in (np.arange(9), rotated):
        network = Network(params, LinkParams(), topology.with_addresses(topology.coordinate_tags), None)
        network.offer(replace(packets, source=renamed[packets.source], destination=renamed[packets.destination]))
        done = network.advance(4000)
        back = np.argsort(renamed)
        rows = np.column_stack((done.birth, back[done.source], back[done.destination], done.enter, done.eject))
        times.append(rows[np.lexsort(rows.T)])
    assert len(times[0]) == len(packets)
    assert np.array_equal(*times)
