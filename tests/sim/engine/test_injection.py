"""Nodes that send several packets at once, and that pause between packets (think time)."""

import numpy as np
import pytest

from cocotb_tests.cases.tiers import tiered
from models.errors import TsujiError
from models.params import AdaptiveParams, LinkParams, SwitchParams
from sim.config import load
from sim.engine.links import INJECTED
from sim.engine.network import Network
from sim.packets import Packets
from sim.topology.hyper_crossbar import hyper_crossbar
from sim.topology.torus import grid
from sim.traffic.injection import ONE_A_PORT, Injection
from tests.sim.engine.everywhere import everywhere

TORUS = {"routing": "dimension_order", "radix": (4, 3), "wrap": True, "vcs": 4}
EXCHANGERS = {"routing": "hyper_crossbar", "radix": (4, 3), "adaptive": AdaptiveParams(kind="step", lookahead=True)}
BATCHES = {"allocator": "output_first", "vc_stage": True, "hold_packets": False}
SWITCHES = {
    "torus": TORUS,
    "torus, cut-through, speed-up": TORUS | {"buffering": "static", "max_packet": 5, "depth": 7, "speedup": 2},
    "torus, three local ports": TORUS | {"node_ports": 3},
    "torus, two local ports, speed-up": TORUS | {"node_ports": 2, "speedup": 2, "depth": 3},
    "in batches": TORUS | BATCHES,
    "in batches, one step": TORUS,
    "in batches, two local ports": TORUS | BATCHES | {"node_ports": 2, "ring_classes": "fixed"},
    "hyper-crossbar": EXCHANGERS | {"vcs": 2, "node_ports": 2, "depth": 6},
    "hyper-crossbar, the route alone": EXCHANGERS
    | {"vcs": 3, "adaptive": AdaptiveParams(kind="step", lookahead=True, selection="route")},
}
INJECTIONS = {
    "one": Injection(packets_at_once=1),
    "three": Injection(packets_at_once=3),
    "thinks": Injection(think_time=23),
    "two, thinks": Injection(packets_at_once=2, think_time=7),
}


def network_of(options, injection=ONE_A_PORT, log=0, latency=1, batches=False):
    plain = hyper_crossbar((4, 3)) if options["routing"] == "hyper_crossbar" else grid((4, 3), wrap=True)
    topology = plain.with_node_ports(options.get("node_ports", 1))
    topology = topology.with_addresses(topology.coordinate_tags)
    params = SwitchParams(ports=getattr(topology, "exchanger_ports", topology.ports), **options)
    return Network(params, LinkParams(latency=latency), topology, None, injection=injection, log=log, simd=batches)


def some_packets(nodes, count, until, seed=3):
    rng = np.random.default_rng(seed)
    source = rng.integers(0, nodes, count)
    destination = (source + rng.integers(1, nodes, count)) % nodes
    return Packets(np.sort(rng.integers(0, until, count)), source, destination, rng.integers(1, 9, count))


EVERY = [(name, how) for name in SWITCHES for how in INJECTIONS]
# All switches, each with one of them, and all of these with batches.
USUAL = [(name, list(INJECTIONS)[number % len(INJECTIONS)]) for number, name in enumerate(SWITCHES)]


@pytest.mark.parametrize(("name", "how"), tiered(EVERY, {*USUAL, *(("in batches", how) for how in INJECTIONS)}))
def test_sleeping_changes_nothing(name, how):
    injection = INJECTIONS[how]
    batches = name.startswith("in batches")
    network = network_of(SWITCHES[name], injection, 100_000, batches=batches)
    assert network._engine.switches.k.batched == batches
    packets = some_packets(12, 600, 400)
    cycles = 800
    network.offer(packets)
    log, state = everywhere(network, LinkParams(latency=1), packets, cycles, injection)
    network.advance(cycles)
    got = sorted(tuple(row) for row in network.log.tolist() if row[1] < cycles)
    assert got == sorted(tuple(int(x) for x in row) for row in log if row[1] < cycles)
    assert len(got) > 1500
    assert (network.counters() == state.counters).all()


def sent_by_node(network, node_ports):
    """Return the flits that nodes sent, in order: node, cycle, packet, whether it is the tail."""
    log = network.log[network.log[:, 0] == INJECTED]
    rows = np.column_stack([log[:, 2] // node_ports, log[:, 1], log[:, 4], log[:, 3] & 1])
    return rows[np.lexsort((rows[:, 1], rows[:, 0]))]


@pytest.mark.parametrize("injection", INJECTIONS.values(), ids=INJECTIONS)
@pytest.mark.parametrize("node_ports", [1, 2])
def test_no_more_than_at_once_and_no_sooner(node_ports, injection):
    """From heads and tails as sent: a packet is under way before its first flit if other packets go first."""
    network = network_of(TORUS | {"node_ports": node_ports}, injection, 100_000)
    network.offer(some_packets(12, 1500, 1))
    network.advance(1000)
    sent = sent_by_node(network, node_ports)
    most = 0
    for node in range(12):
        mine = sent[sent[:, 0] == node]
        heads = mine[np.unique(mine[:, 2], return_index=True)[1]]
        assert len(heads) > 10
        starts = np.sort(heads[:, 1])
        # A head may be sent later than its packet was taken, by one cycle for each turn of another packet of its port.
        assert (np.diff(starts) >= injection.think_time - (injection.packets_at_once or 1) + 1).all()
        under_way = set()
        for _, _, packet, tail in mine:
            under_way.add(packet)
            most = max(most, len(under_way))
            if tail:
                under_way.discard(packet)
    if injection.think_time < 10:
        assert most == (injection.packets_at_once or node_ports)


def test_a_blocked_packet_does_not_block_its_node():
    """The first packet of node 4 waits for a link that two others share; its second packet goes elsewhere."""
    options = TORUS | {"radix": (4, 3), "depth": 2}
    arrived = []
    for injection in (ONE_A_PORT, Injection(packets_at_once=2)):
        network = network_of(options, injection)
        source = [0, 1, 2, 4, 4]
        destination = [5, 5, 5, 5, 8]
        network.offer(Packets(np.array([0, 0, 0, 30, 31]), *map(np.array, (source, destination, [90, 90, 90, 60, 5]))))
        gone = network.advance(2000)
        assert len(gone) == 5
        arrived.append(int(gone.eject[gone.destination == 8][0]))
    assert arrived[1] < arrived[0] - 40


def test_a_node_is_idle_until_all_of_a_packet_is_in_its_switch():
    """Figure 3 of paper E, also with two local ports; and the default."""
    network = network_of(TORUS | {"node_ports": 2}, Injection(packets_at_once=1), 100_000)
    network.offer(some_packets(12, 800, 1))
    network.advance(800)
    sent = sent_by_node(network, 2)
    for node in range(12):
        packets = sent[sent[:, 0] == node][:, 2]
        assert (np.diff(np.flatnonzero(np.diff(packets))) >= 0).all()
        changes = packets[np.insert(np.diff(packets) != 0, 0, True)]
        assert len(changes) == len(set(changes.tolist()))  # no packet is interrupted by another


def test_configuration(tmp_path):
    config = load(None, ["switch.vcs=3", "traffic.packets_at_once=3", "traffic.think_time=50"])
    assert config.injection == Injection(packets_at_once=3, think_time=50)
    assert {"packets_at_once": 3, "think_time": 50}.items() <= config.document()["traffic"].items()
    assert load(None, []).injection == ONE_A_PORT
    with pytest.raises(TsujiError, match=r"traffic\.packets_at_once = 3: .* at most .* 1 · 2"):
        load(None, ["switch.vcs=2", "traffic.packets_at_once=3"])
    assert load(None, ["switch.node_ports=2", "traffic.packets_at_once=3"]).injection.packets_at_once == 3
    for refused in ("packets_at_once=0", "think_time=-1", "packets_at_once=many"):
        with pytest.raises(TsujiError, match=r"traffic\." + refused.partition("=")[0]):
            load(None, [f"traffic.{refused}"])
    with pytest.raises(TsujiError, match=r"traffic\.think_time = 5: with \[planes\]"):
        load(None, ["planes.count=2", "traffic.think_time=5"])
    with pytest.raises(TsujiError, match=r"traffic\.packets_at_once = 5"):
        network_of(TORUS, Injection(packets_at_once=5))
