"""Cables between nodes and switches: which times they change, and which they do not."""

import numpy as np
import pytest

from models.errors import TsujiError
from models.params import LinkParams, SwitchParams
from sim.analysis.zero_load import lone_latency, zero_load_latency
from sim.config import load
from sim.engine.network import Network
from sim.packets import Packets
from sim.routing.dimension_order import DimensionOrder
from sim.simulation import build, simulate
from sim.topology.torus import grid
from sim.traffic.closed_loop import ClosedLoop

TORUS = grid((4, 3), wrap=True)
SWITCH = SwitchParams(ports=TORUS.ports, vcs=2, depth=3)
CABLE = 7


def network(cable, loop=None):
    link = LinkParams(latency=2, node_latency=cable)
    more = {} if loop is None else {"loop": loop}
    return Network(SWITCH, link, TORUS, DimensionOrder().tables(TORUS, 2), **more)


def some_packets(n=400):
    rng = np.random.default_rng(5)
    source = rng.integers(0, 12, n)
    other = (source + rng.integers(1, 12, n)) % 12
    return Packets(np.sort(rng.integers(0, n, n)), source, other, rng.integers(1, 5, n))


def all_of(net, packets, looks=1):
    """Return the packets delivered, with offering and reading split into parts."""
    found = []
    for part in np.array_split(np.arange(len(packets)), looks):
        net.offer(packets[part])
        found.append(net.advance(int(packets.birth[part[-1]]) - net.cycle))
    found.append(net.advance(5000))
    assert net.idle()
    return type(found[0]).join(found)


@pytest.mark.parametrize("looks", [1, 5])
def test_a_packet_takes_both_cables_and_nothing_else_changes(looks):
    packets = some_packets()
    near, far = all_of(network(0), packets, looks), all_of(network(CABLE), packets, looks)
    for name in ("source", "destination", "size", "birth", "enter", "hops", "origin", "lag"):
        assert (getattr(near, name) == getattr(far, name)).all(), name
    assert (far.eject == near.eject + 2 * CABLE).all()
    assert (lone_latency(SWITCH, far) == lone_latency(SWITCH, near) + 2 * CABLE).all()


def test_the_closed_form_counts_them():
    pairs = np.argwhere(~np.eye(12, dtype=bool))
    n = len(pairs)
    packets = Packets(400 * np.arange(n), *pairs.T, np.full(n, 2))
    for _ in range(2):  # fills the caches
        net = network(CABLE)
        net.offer(Packets(400 * np.arange(2 * n), *np.tile(pairs.T, 2), np.full(2 * n, 2)))
        got = net.advance(800 * n + 400)[n:]
    link = LinkParams(latency=2, node_latency=CABLE)
    assert len(got) == len(packets)
    assert (got.eject - got.enter == zero_load_latency(SWITCH, link, got.hops, got.size)).all()


@pytest.mark.parametrize("cable", [0, CABLE])
def test_replies_are_asked_for_and_sent_by_nodes(cable):
    got = all_of(network(cable, ClosedLoop(reply_size=3, reply_delay=4)), some_packets())
    requests, replies = got[~got.is_reply], got[got.is_reply]
    asked = sorted(zip(requests.origin, requests.source, requests.destination, requests.eject + 4, strict=True))
    assert asked == sorted(zip(replies.origin, replies.destination, replies.source, replies.birth, strict=True))


@pytest.mark.parametrize("cable", [0, CABLE])
def test_a_window_opens_when_the_node_knows(cable):
    got = all_of(network(cable, ClosedLoop(window=1)), some_packets())
    for node in range(12):
        mine = got[got.source == node]
        order = np.lexsort((mine.enter, mine.birth))
        done = np.sort(mine.eject) + 1
        for k, (birth, enter) in enumerate(zip(mine.birth[order], mine.enter[order], strict=True)):
            assert enter == (max(birth, done[k - 1]) if k else birth) + 1


def test_figures_tell():
    keys = ["topology.radix=[4,4]", "switch.routing=dimension_order", "traffic.load=0.05", "measure.period=500"]
    near, far = (simulate(load(None, [*keys, f"link.node_latency={cable}"])).figures for cable in (0, 50))
    assert far.zero_load_latency == pytest.approx(near.zero_load_latency + 100, abs=0.3)
    assert far.packet_latency.mean == pytest.approx(near.packet_latency.mean + 100, abs=0.5)
    assert far.accepted_traffic == pytest.approx(near.accepted_traffic, rel=0.02)


def test_messages_have_overheads_instead():
    from sim.config.workload import WorkloadParams
    from sim.workload.network_executor import NetworkExecutor

    net = build(load(None, ["topology.radix=[4,4]", "switch.routing=dimension_order", "link.node_latency=3"]))
    with pytest.raises(TsujiError, match=r"link.node_latency = 3: .* overheads of \[workload\]; leave it out"):
        NetworkExecutor(net, WorkloadParams(), np.arange(4))
