"""Links with their own latency and interval: against the model stepped everywhere, and against the closed form."""

from dataclasses import replace

import numpy as np
import pytest

from models.errors import TsujiError
from models.params import AdaptiveParams, CacheParams, CamParams, LinkParams, LpiParams, PredictionParams, SwitchParams
from sim.analysis.zero_load import lone_latency, zero_load_latency
from sim.engine.network import Network
from sim.packets import Packets
from sim.routing.dimension_order import DimensionOrder
from sim.topology.base import NOBODY
from sim.topology.hyper_crossbar import hyper_crossbar
from sim.topology.torus import grid
from tests.sim.engine.everywhere import everywhere

TORUS = grid((4, 3), wrap=True)
COMPUTED = {"routing": "dimension_order", "radix": (4, 3), "wrap": True}
SWITCHES = {
    "computed": COMPUTED,
    "cached": {"cache": CacheParams(entries=8, ways=2), "cam": CamParams(latency=9, occupancy=4, entries=16)},
    "predicted": COMPUTED | {"prediction": PredictionParams(kind="latest"), "stage_delay": 2},
    "speed-up": {"speedup": 2, "depth": 6, "vcs": 4, "cam": CamParams(entries=16)},
}
LOOKAHEAD = AdaptiveParams(kind="step", lookahead=True)
RESERVED = AdaptiveParams(kind="step", lookahead=True, reservation=True)


def uneven(topology, seed, slowest=5):
    """Return the network with links of 0 to 6 more cycles, some of which are slow."""
    rng = np.random.default_rng(seed)
    latency, interval = np.zeros_like(topology.peer_switch), np.ones_like(topology.peer_switch)
    for s, p, t, q in topology.links:
        if (s, p) < (t, q):
            latency[s, p] = latency[t, q] = rng.integers(0, 7)
            interval[s, p] = interval[t, q] = rng.choice([1, 1, 2, slowest])
    return replace(topology, link_latency=latency, link_interval=interval)


def network(params, link, topology, log=0):
    if params.has_cam:
        return Network(params, link, topology, DimensionOrder().tables(topology, 2), log)
    return Network(params, link, topology.with_addresses(topology.coordinate_tags), None, log)


def random_packets(count, cycles, seed, longest=6):
    rng = np.random.default_rng(seed)
    source = rng.integers(0, 12, count)
    destination = (source + rng.integers(1, 12, count)) % 12
    return Packets(np.sort(rng.integers(0, cycles, count)), source, destination, rng.integers(1, longest + 1, count))


@pytest.mark.parametrize("case", SWITCHES)
@pytest.mark.parametrize("link", [LinkParams(latency=0), LinkParams(latency=2, interval=3)], ids=["own", "all slow"])
def test_as_if_every_link_were_stepped(case, link):
    topology = uneven(TORUS, 5)
    net = network(SwitchParams(ports=TORUS.ports, **SWITCHES[case]), link, topology, log=50_000)
    packets = random_packets(300, 400, 1)
    net.offer(packets)
    log, state = everywhere(net, link, packets, 500)
    net.advance(500)
    got = sorted(tuple(row) for row in net.log.tolist() if row[1] < 500)
    assert got == sorted(tuple(int(x) for x in row) for row in log if row[1] < 500)
    assert len(got) > 1000
    assert (net.counters()[..., :5] == state.counters[..., :5]).all()


def walk(topology, source, destination):
    """Return the ports [links, 2] through which a packet leaves switches, on its way to the last switch."""
    tables = DimensionOrder().tables(topology, 2)
    at, ways = topology.node_switch[source], []
    while topology.peer_switch[at, tables.out[at, destination]] != NOBODY:
        ways.append((at, tables.out[at, destination]))
        at = topology.peer_switch[ways[-1]]
    return np.array(ways).reshape(-1, 2)


@pytest.mark.parametrize("flits", [1, 5])
@pytest.mark.parametrize("case", ["computed", "cached", "two header flits", "speed-up"])
def test_lone_packets_take_what_their_links_say(case, flits):
    topology = uneven(TORUS, 2, slowest=9)
    options = {
        "computed": COMPUTED,
        "cached": {"cam": CamParams(entries=16)},
        "two header flits": {"cam": CamParams(entries=16), "data_width": 8},
        "speed-up": {"cam": CamParams(entries=16), "speedup": 2},
    }
    params = SwitchParams(ports=TORUS.ports, depth=12, **options[case])
    net = network(params, LinkParams(latency=1), topology)
    source, destination = np.array([(a, b) for a in range(12) for b in range(12) if a != b]).T
    size = np.full(len(source), max(flits, params.header_flits))
    for _ in range(2 if params.has_cache else 1):
        net.offer(Packets(net.cycle + 200 * np.arange(len(source)), source, destination, size))
        got = net.advance(200 * len(source))
    assert (got.eject - got.enter == lone_latency(params, got)).all()
    slowest = np.ones_like(got.size)
    for k, (a, b) in enumerate(zip(got.source, got.destination, strict=True)):
        switch, port = walk(topology, a, b).T
        interval = np.maximum(topology.link_interval[switch, port], params.speedup)
        header = (params.header_flits - 1) * (interval - params.speedup)
        assert got.flight[k] == (1 + topology.link_latency[switch, port] + header).sum()
        slowest[k] = interval.max()
    assert (got.lag <= (got.size - 1) * slowest).all()
    if case == "computed":
        # Without lookups body flits cannot catch up with the head: only the slowest link matters.
        assert (got.lag == (got.size - 1) * slowest).all()
        assert (slowest > 2).any()


@pytest.mark.parametrize("flits", [4, 9])
@pytest.mark.parametrize("adaptive", [LOOKAHEAD, RESERVED], ids=["look-ahead", "reserved"])
def test_what_a_head_waits_for_flits_behind_it_catch_up_with(adaptive, flits):
    plain = hyper_crossbar((3, 4))
    interval = uneven(plain, 4, slowest=9).link_interval
    topology = replace(plain, link_interval=interval)
    params = SwitchParams(routing="hyper_crossbar", radix=(3, 4), ports=3, depth=12, adaptive=adaptive)
    net = network(params, LinkParams(latency=2), topology)
    source, destination = np.array([(a, b) for a in range(12) for b in range(12) if a != b]).T
    net.offer(Packets(300 * np.arange(len(source)), source, destination, np.full(len(source), flits)))
    got = net.advance(300 * len(source))
    assert (got.eject - got.enter == lone_latency(params, got)).all()
    assert len(np.unique(got.lag)) > 3


@pytest.mark.parametrize("lookup", ["hit", "miss"])
@pytest.mark.parametrize("header", [1, 2])
@pytest.mark.parametrize("flits", [2, 6])
def test_slow_links_that_are_alike(lookup, header, flits):
    link = LinkParams(latency=2, interval=7)
    cam = CamParams(latency=11, entries=16)
    params = SwitchParams(ports=TORUS.ports, depth=12, cam=cam, data_width=64 if header == 1 else 8)
    net = network(params, link, TORUS)
    net.advance(100)  # caches are flushed meanwhile
    for destination in (1, 2, 7):
        for _ in range(1 if lookup == "miss" else 2):
            birth = np.array([net.cycle])
            net.offer(Packets(birth, np.array([0]), np.array([destination]), np.array([flits])))
            got = net.advance(300)
        assert got.eject - got.enter == zero_load_latency(params, link, got.hops, got.size, lookup)
        assert zero_load_latency(params, link, int(got.hops[0]), flits) == lone_latency(params, got)[0]


def test_a_slow_link_carries_its_share():
    net = network(SwitchParams(ports=TORUS.ports, depth=12, **COMPUTED), LinkParams(interval=3), TORUS)
    n = 100
    net.offer(Packets(np.zeros(n, int), np.zeros(n, int), np.ones(n, int), np.full(n, 4)))
    got = net.advance(2000)
    assert len(got) == n
    assert (np.diff(got.eject) == 4 * 3).all()


def test_slow_links_do_not_sleep():
    params = SwitchParams(ports=TORUS.ports, lpi=LpiParams(idle=5, sleep=3, wake=2), **COMPUTED)
    with pytest.raises(TsujiError, match=r"link\.interval = 4: links of .* in 4 cycles .*\[lpi\]"):
        network(params, LinkParams(interval=4), TORUS)
    network(params, LinkParams(latency=4), replace(uneven(TORUS, 5), link_interval=np.array(1)))


def test_exchangers_look_ahead_over_equal_links():
    topology = hyper_crossbar((4, 3))
    params = SwitchParams(
        ports=topology.exchanger_ports,
        routing="hyper_crossbar",
        radix=(4, 3),
        adaptive=AdaptiveParams(kind="step", lookahead=True),
    )
    with pytest.raises(TsujiError, match=r"adaptive\.lookahead = true: .* links of 1 to 7 cycles"):
        network(params, LinkParams(), uneven(topology, 1))
    network(params, LinkParams(), replace(topology, link_latency=np.full_like(topology.peer_switch, 4)))
