"""A network of BookSim2's routers: all packets arrive, by class, requests are answered, and nothing is lost."""

from dataclasses import replace

import numpy as np
import pytest

from models.booksim.iq_state import READ_REQUEST, WRITE_REQUEST
from models.errors import TsujiError
from sim.booksim.parser import parse
from sim.booksim.router_mapping import plan
from sim.booksim.settings import settings
from sim.packets import Packets

MESH = "topology = mesh; k = 4; n = 2; routing_function = dor;"
NODES, CYCLES = 16, 400
BUSY = "vc_buf_size = 2; num_vcs = 4; packet_size = 3;"


def network(text, seed=1):
    return plan(settings(parse(MESH + text, "net.cfg")), "").network(seed)


def packets(seed, rate=0.2, flits=3):
    rng = np.random.default_rng(seed)
    birth, source = np.nonzero(rng.random((CYCLES, NODES)) < rate)
    return Packets(birth, source, rng.integers(0, NODES, len(birth)), np.full(len(birth), flits))


def rows(batch):
    return sorted(zip(batch.birth.tolist(), batch.source.tolist(), batch.destination.tolist(), strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "input_speedup = 2; output_speedup = 2; output_buffer_size = 1;",
        "internal_speedup = 2.7; credit_delay = 3;",
        "hold_switch_for_packet = 1; input_speedup = 2;",
        "wait_for_tail_credit = 1; vc_busy_when_full = 1;",
        "speculative = 1; internal_speedup = 1.3;",
        "speculative = 1; vc_allocator = piggyback; hold_switch_for_packet = 1; routing_delay = 0;",
        "routing_delay = 3; st_prepare_delay = 2; vc_prioritize_empty = 1; vc_shuffle_requests = 1;",
        "sw_allocator = wavefront; vc_allocator = max_size; input_speedup = 4;",
        "sw_allocator = max_size; input_speedup = 2;",
        "priority = age; sw_allocator = separable_input_first;",
        "st_prepare_delay = 4; st_final_delay = 8; vc_buf_size = 32; packet_size = 8;",
        "priority = sequence; vc_allocator = separable_output_first(matrix);",
    ],
)
def test_every_packet_arrives_once(text):
    """In an overloaded network with small buffers, more packets than it had room for; time goes on in any pieces."""
    found = network(BUSY + text)
    sent = packets(3, rate=0.9)
    found.offer(sent)
    parts = [found.advance(cycles)[0] for cycles in (1, 250, 6000, 20000)]
    assert sorted(row for part in parts for row in rows(part)) == rows(sent)
    assert (found.cycle, found.nodes) == (26251, NODES)
    hops = sum(int((part.size * (part.hops - 1)).sum()) for part in parts)
    assert found.flit_hops == hops


def test_classes_come_back_apart():
    found = network(BUSY + "classes = 2;")
    both = packets(1), packets(2, flits=1)
    for traffic, each in enumerate(both):
        found.offer(each, traffic)
    for got, sent in zip(found.advance(20000), both, strict=True):
        assert rows(got) == rows(sent)
        assert set(got.size) == set(sent.size)


def test_subnets_share_the_traffic():
    """A plain packet takes any network; a node receives a flit from each network at a time."""
    sent = packets(3, rate=0.05)
    sent = replace(sent, destination=np.zeros_like(sent.destination))
    last = []
    for subnets in (1, 3):
        found = network(BUSY + f"subnets = {subnets};")
        found.offer(sent)
        (got,) = found.advance(6000)
        assert rows(got) == rows(sent)
        last.append(int(got.eject.max()))
    assert last[0] > sent.flits > 2 * last[1] - CYCLES


def test_types_of_packets_take_the_network_that_is_theirs():
    """Requests that all go by one network, and replies by another, do not meet: one at a time, each takes its time."""
    found = network("num_vcs = 16; use_read_write = 1; subnets = 2; read_reply_subnet = 1; read_reply_size = 3;")
    sent = Packets(*(np.array(column) for column in ([0], [1], [14], [1])))
    found.offer(sent, 0, np.array([READ_REQUEST]))
    (got,) = found.advance(500)
    assert got.size.tolist() == [1, 3]
    state = found._state
    ports = state.output_vc.tail_sent.reshape(-1, 16).sum(axis=1)
    assert [ports[: 16 * 5].sum() > 0, ports[16 * 5 : 32 * 5].sum() > 0] == [True, True]


def test_requests_are_answered():
    """Each reply goes back with its size; its birth is the arrival of its request, its origin the request's birth."""
    found = network("num_vcs = 16; use_read_write = 1; read_reply_size = 4; write_reply_size = 2;")
    sent = packets(1, rate=0.05, flits=1)
    kinds = np.where(np.arange(len(sent)) % 3 == 0, WRITE_REQUEST, READ_REQUEST)
    found.offer(sent, 0, kinds)
    assert found.requests_under_way(0) == (len(sent), int(sent.birth.sum()))
    (got,) = found.advance(5000)
    assert found.requests_under_way(0) == (0, 0)
    requests, replies = got[~got.is_reply], got[got.is_reply]
    assert rows(requests) == rows(sent)
    assert np.bincount(replies.size).tolist() == [0, 0, sum(kinds == WRITE_REQUEST), 0, sum(kinds == READ_REQUEST)]
    arrived = requests.eject + 2, requests.destination, requests.birth
    answered = replies.birth, replies.source, replies.origin
    assert sorted(zip(*map(list, arrived), strict=True)) == sorted(zip(*map(list, answered), strict=True))


def test_the_same_seed_draws_the_same():
    def latencies(seed):
        found = network("num_vcs = 4; routing_function = valiant;", seed)
        found.offer(packets(1))
        (got,) = found.advance(5000)
        return sorted(zip(got.birth.tolist(), got.source.tolist(), got.eject.tolist(), strict=True))

    assert latencies(1) == latencies(1) != latencies(2)


@pytest.mark.parametrize(
    ("text", "drawn"), [("", False), ("subnets = 2;", True), ("num_vcs = 4; routing_function = valiant;", True)]
)
def test_random_numbers_are_drawn_only_for_a_choice(text, drawn):
    """Between several networks, or between the nodes by which to go."""
    found = network(text)
    before = found._state.random.copy()
    found.offer(packets(1))
    assert len(found.advance(5000)[0]) > 100
    assert (found._state.random != before).any() == drawn


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("num_vcs = 1024; k = 256;", "65536 routers with 5120 VCs of 8 flits: too large to be simulated: "),
        ("k = 64; num_vcs = 1; st_final_delay = 1023; output_speedup = 16;", "4096 routers with 5 VCs"),
        (
            "topology = flatfly; routing_function = ran_min; k = 16; n = 3; x = 4096; y = 4096; num_vcs = 1;",
            "4096 routers with 46 VCs",
        ),
        ("num_vcs = 1024; vc_allocator = separable_input_first(matrix);", "16 routers with 5120 VCs of 8 flits"),
    ],
)
def test_a_network_that_is_too_large_is_refused(text, message):
    """By its buffers, its crossbars, its channels or its arbiters."""
    with pytest.raises(TsujiError, match=message):
        plan(settings(parse(MESH + text, "net.cfg")), "")
