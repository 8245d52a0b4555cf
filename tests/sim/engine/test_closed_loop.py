"""Replies and windows in the engine: every birth, and every packet held back, against their definition."""

import numpy as np
import pytest

from models.params import CamParams, LinkParams, PredictionParams, SwitchParams
from sim.analysis.zero_load import zero_load_latency
from sim.engine.network import Network
from sim.packets import Delivered, Packets
from sim.routing.dimension_order import DimensionOrder
from sim.topology.torus import grid
from sim.traffic.closed_loop import ClosedLoop

TORUS = grid((4, 3), wrap=True)
COMPUTED = {"routing": "dimension_order", "radix": (4, 3), "wrap": True}


def network(loop, **options):
    params = SwitchParams(ports=TORUS.ports, **(COMPUTED | options))
    return Network(params, LinkParams(), TORUS.with_addresses(TORUS.coordinate_tags), None, loop=loop)


def random_packets(count, cycles, seed=1):
    rng = np.random.default_rng(seed)
    source = rng.integers(0, 12, count)
    destination = (source + rng.integers(1, 12, count)) % 12
    return Packets(np.sort(rng.integers(0, cycles, count)), source, destination, rng.integers(1, 6, count))


def all_of(net, packets, step=10_000):
    net.offer(packets)
    parts = []
    while not net.idle():
        parts.append(net.advance(step))
    return Delivered.join(parts)


def test_a_lone_request_and_its_reply():
    net = network(ClosedLoop(reply_size=5, reply_delay=17), depth=8)
    got = all_of(net, Packets(np.array([3]), np.array([0]), np.array([6]), np.array([2])))
    request, reply = got[[0]], got[[1]]
    assert (request.source[0], request.destination[0], request.size[0], request.is_reply[0]) == (0, 6, 2, False)
    assert (reply.source[0], reply.destination[0], reply.size[0], reply.is_reply[0]) == (6, 0, 5, True)
    assert reply.birth == request.eject + 17
    assert reply.origin == request.origin == request.birth == 3
    there, back = (zero_load_latency(net.params, LinkParams(), int(request.hops[0]), flits) for flits in (2, 5))
    assert reply.eject - 3 == 1 + there + 17 + 1 + back


@pytest.mark.parametrize("node_ports", [1, 2])
def test_replies_leave_through_all_ports_of_a_node(node_ports):
    """Eleven nodes ask one at once for long replies: its ports send them at a flit per cycle each."""
    topology = TORUS.with_node_ports(node_ports)
    params = SwitchParams(ports=topology.ports, node_ports=node_ports, depth=8, vcs=4, **COMPUTED)
    addressed = topology.with_addresses(topology.coordinate_tags)
    net = Network(params, LinkParams(), addressed, None, loop=ClosedLoop(reply_size=200, reply_delay=1))
    source = np.arange(1, 12)
    got = all_of(net, Packets(np.zeros(11, np.int64), source, np.zeros(11, np.int64), np.ones(11, np.int64)))
    replies = got[got.is_reply]
    assert sorted(replies.destination) == source.tolist()
    assert (replies.source == 0).all()
    span = int(replies.eject.max() - replies.enter.min())
    longest = 200 * -(-11 // node_ports)  # flits through the port that sends most replies
    # Two replies at once may want the same link.
    assert longest <= span <= {1: 1.05, 2: 1.25}[node_ports] * longest


@pytest.mark.parametrize("delay", [1, 40])
@pytest.mark.parametrize(
    "options", [{}, {"speedup": 2, "stage_delay": 3}, {"prediction": PredictionParams(kind="latest")}]
)
def test_every_request_is_answered_in_time(options, delay):
    net = network(ClosedLoop(reply_size=3, reply_delay=delay), **options)
    packets = random_packets(400, 600)
    got = all_of(net, packets)
    requests, replies = got[~got.is_reply], got[got.is_reply]
    assert len(requests) == len(replies) == 400
    assert sorted(requests.birth) == packets.birth.tolist()
    asked = sorted(zip(requests.origin, requests.source, requests.destination, requests.eject + delay, strict=True))
    answered = sorted(zip(replies.origin, replies.destination, replies.source, replies.birth, strict=True))
    assert asked == answered
    assert (replies.size == 3).all()
    assert (got.enter > got.birth).all()


@pytest.mark.parametrize("reply_size", [0, 2])
@pytest.mark.parametrize("window", [1, 3])
def test_a_window_is_never_exceeded_and_never_wasted(window, reply_size):
    net = network(ClosedLoop(reply_size=reply_size, window=window), vcs=3, stage_delay=2)
    packets = random_packets(300, 200)
    got = all_of(net, packets)
    done = got[got.is_reply] if reply_size else got
    first = got[~got.is_reply]
    for node in range(12):
        mine = first[first.source == node]
        order = np.lexsort((mine.enter, mine.birth))
        ends = np.sort(done.eject[(done.destination if reply_size else done.source) == node]) + 1
        for k, (birth, enter) in enumerate(zip(mine.birth[order], mine.enter[order], strict=True)):
            # The k-th packet joins the source queue when it is born and k − window + 1 packets are done.
            joins = max(birth, ends[k - window]) if k >= window else birth
            assert enter > joins
            if window == 1 and not reply_size:
                assert enter == joins + 1


def test_a_window_of_any_size_that_is_never_full_changes_nothing():
    packets = random_packets(300, 500)
    free, wide = (all_of(network(ClosedLoop(reply_size=2, window=window)), packets) for window in (0, 300))
    for name in ("birth", "enter", "eject", "source", "origin"):
        assert (getattr(free, name) == getattr(wide, name)).all()


def test_how_often_one_looks_changes_nothing():
    packets = random_packets(300, 200)
    once, often = (
        all_of(network(ClosedLoop(reply_size=2, reply_delay=30, window=2)), packets, step) for step in (10_000, 7)
    )
    for name in ("birth", "enter", "eject", "source", "origin"):
        assert (getattr(once, name) == getattr(often, name)).all()


@pytest.mark.parametrize("reply_size", [0, 2])
def test_dropped_requests_open_the_window(reply_size):
    tables = DimensionOrder().tables(TORUS, 2)
    tables.found[2, 7] = False
    params = SwitchParams(ports=TORUS.ports, cam=CamParams(entries=16))
    net = Network(params, LinkParams(), TORUS, tables, loop=ClosedLoop(reply_size=reply_size, window=1))
    n = 20
    destination = np.where(np.arange(n) % 2, 7, 3)
    got = all_of(net, Packets(np.full(n, 100), np.full(n, 2), destination, np.full(n, 2)))
    assert net.dropped == n // 2
    assert sorted(net._free[: net._unused]) == list(range(len(net._engine.packets)))  # every place once
    assert len(got) == (n if reply_size else n // 2)


def test_a_delay_without_replies_is_refused():
    with pytest.raises(ValueError, match="reply_delay = 5: only reply_size > 0 uses it"):
        ClosedLoop(reply_delay=5)
