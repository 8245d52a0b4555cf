"""Messages of ranks on a simulated network: times to the cycle against closed forms, and matching of receives."""

import re

import numpy as np
import pytest

from models.errors import TsujiError
from models.params import LinkParams
from sim.analysis.zero_load import zero_load_latency
from sim.engine.stalls.stall import StalledError
from sim.schedule.job import Job
from sim.schedule.operations import ANY, CALC, RECV, SEND
from sim.workload.replay import replay
from tests.sim.workload.networks import TORUS, config, executor, run, schedule

FLIT = 8  # bytes, as switch.data_width = 64


def lone(hops, flits, *settings):
    """Return the cycles from a message's packet in the source queue to the cycle in which its rank has it."""
    made = config(*settings)
    return 1 + zero_load_latency(made.switch, LinkParams(), hops, flits) + 1


def message(size, distance, tag=0):
    """Return the operations of eight ranks, of which rank 0 sends to the one at `distance`."""
    rows = [[] for _ in range(8)]
    rows[0] = [(SEND, distance, size, tag, [])]
    rows[distance] = [(RECV, 0, size, tag, [])]
    return rows


@pytest.mark.parametrize("distance", [1, 2, 3, 4])
@pytest.mark.parametrize("flits", [1, 2, 5, 16])
def test_one_message(distance, flits):
    result = run(*message(flits * FLIT, distance))
    assert result.ranks.end[distance] == lone(distance + 1, flits)
    assert result.ranks.end[0] == 0
    assert (result.messages, result.packets, result.flits) == (1, 1, flits)
    assert result.flit_hops == flits * distance


@pytest.mark.parametrize("size", [0, 1, 8])
def test_a_message_takes_a_flit_at_least(size):
    result = run(*message(size, 1))
    assert (result.flits, result.ranks.end[1]) == (1, lone(2, 1))


def test_packets_follow_each_other():
    """A message of five packets, the last of one byte, occupies the first link for its number of flits."""
    result = run(*message(4 * 64 + 1, 3), settings=["workload.packet_bytes=64"])
    assert (result.packets, result.flits) == (5, 33)
    assert result.ranks.end[3] == lone(4, 33)


def test_overheads_and_copies():
    settings = ["workload.send_overhead=10", "workload.receive_overhead=20", "workload.copy_cost=0.5"]
    result = run(*message(65, 2), settings=settings)
    assert result.ranks.end[0] == 10 + 32
    assert result.ranks.end[2] == 42 + lone(3, 9) + 20 + 32
    assert result.ranks.overhead.tolist() == [42, 0, 52, 0, 0, 0, 0, 0]
    assert result.ranks.wait[2] == 42 + lone(3, 9)


def test_clock():
    """Nanoseconds of operations become cycles, and cycles nanoseconds."""
    rows = message(8, 1)
    rows[0] = [(CALC, 0, 100, 0, []), (SEND, 1, 8, 0, [0])]
    result = run(*rows, settings=["workload.cycle_ns=2.5", "workload.compute_scale=2"])
    assert result.ranks.compute[0] == 200
    assert result.ranks.end[1] == 2.5 * (80 + lone(2, 1))


def test_zero_copy():
    """A send is complete when the tail has left the node."""
    assert run(*message(80, 1), settings=["workload.zero_copy=true"]).ranks.end[0] == 10
    with pytest.raises(TsujiError, match=r"copy_cost = 1.0: nothing is copied with zero_copy"):
        config("workload.zero_copy=true", "workload.copy_cost=1")


def test_rendezvous():
    """Rendezvous: a request, a grant when there is a receive, then the data; the sender waits meanwhile."""
    settings = ["workload.eager_bytes=79"]
    result = run(*message(80, 2), settings=settings)
    assert result.packets == 3
    request = lone(3, 1)
    assert result.ranks.end[0] == 2 * request + 10
    assert result.ranks.end[2] == 2 * request + lone(3, 10)
    rows = message(80, 2)
    rows[2] = [(CALC, 0, 1000, 0, []), (RECV, 0, 80, 0, [0])]
    late = run(*rows, settings=settings)
    assert late.ranks.end[0] == 1000 + request + 10
    assert late.ranks.end[2] == 1000 + request + lone(3, 10)
    assert run(*message(79, 2), settings=settings).packets == 1


def test_a_rendezvous_copies_at_the_sender_once():
    """The request costs the sender its overhead and the copy, (80 − 1) · 2, the receiver its overhead alone."""
    costs = ["workload.send_overhead=10", "workload.receive_overhead=20", "workload.copy_cost=2"]
    result = run(*message(80, 2), settings=[*costs, "workload.eager_bytes=79"])
    matched = 10 + 158 + lone(3, 1) + 20
    granted = matched + lone(3, 1)
    assert result.ranks.end[[0, 2]].tolist() == [granted + 10, granted + lone(3, 10)]
    assert result.ranks.overhead[[0, 2]].tolist() == [168, 20]
    eager = run(*message(80, 2), settings=[*costs, "workload.eager_bytes=80"])
    assert eager.ranks.end[[0, 2]].tolist() == [168, 168 + lone(3, 10) + 20 + 158]


def test_within_a_node():
    """A message to the own node takes one cycle per flit, without the network; rendezvous likewise."""
    rows = [[(SEND, 1, 80, 0, [])], [(RECV, 0, 80, 0, [])]]
    settings = ["workload.interfaces=2"]
    result = run(*rows, settings=settings, nodes=[3, 3])
    assert result.ranks.end.tolist() == [0, 10]
    assert result.packets == 0
    result = run(*rows, settings=[*settings, "workload.eager_bytes=1"], nodes=[3, 3])
    assert result.ranks.end.tolist() == [12, 12]
    own = run([(RECV, 0, 80, 0, []), (SEND, 0, 80, 0, [])])
    assert own.ranks.end.tolist() == [10]


def test_interfaces_take_turns():
    """Two messages at once: packet by packet if each has an interface; else one after the other."""
    rows = [[(SEND, 1, 160, 0, []), (SEND, 2, 160, 1, [])], [(RECV, 0, 160, 0, [])], [(RECV, 0, 160, 1, [])]]
    settings = ["workload.packet_bytes=16"]
    one = run(*rows, settings=settings, nodes=[0, 1, 7])
    two = run(*rows, settings=[*settings, "workload.interfaces=2"], nodes=[0, 1, 7])
    assert one.ranks.end[1] == lone(2, 20)
    assert one.ranks.end[2] == 20 + lone(2, 20)
    assert two.ranks.end[1] == 18 + lone(2, 20)
    assert two.ranks.end[2] == one.ranks.end[2]
    ports = run(*rows, settings=[*settings, "workload.interfaces=2", "switch.node_ports=2"], nodes=[0, 1, 7])
    # Two ports send at once; the first two packets belong to the first message, which was alone then.
    assert ports.ranks.end[1:].tolist() == [lone(2, 20), 2 + lone(2, 20)]


def test_operations_name_interfaces():
    """Both messages leave by the interface that they name, one after the other, although there are two interfaces."""
    rows = schedule([(SEND, 1, 160, 0, []), (SEND, 2, 160, 1, [])], [(RECV, 0, 160, 0, [])], [(RECV, 0, 160, 1, [])])
    rows.operations[0].nic[:] = 1
    made = config("workload.packet_bytes=16", "workload.interfaces=2")
    result = replay([Job(rows, np.array([0, 1, 7]))], made)
    assert result.ranks.end[1] == lone(2, 20)


def test_broadcast_and_ring():
    """A binomial tree along the ring, and one message around it."""
    ranks = [[] for _ in range(8)]
    for rank in range(1, 8):
        ranks[rank].append((RECV, rank & rank - 1, 8, 0, []))
    for step in (4, 2, 1):
        for rank in range(0, 8, 2 * step):
            ranks[rank].append((SEND, rank + step, 8, 0, [0] if rank else []))
    result = run(*ranks)
    assert result.ranks.end[4] == lone(5, 1)
    assert result.ranks.end[6] == lone(5, 1) + lone(3, 1)
    assert result.ranks.end[7] == lone(5, 1) + lone(3, 1) + lone(2, 1)
    ring = [[(RECV, (rank - 1) % 8, 40, 0, []), (SEND, (rank + 1) % 8, 40, 0, [0])] for rank in range(8)]
    ring[0] = [(SEND, 1, 40, 0, []), (RECV, 7, 40, 0, [])]
    assert run(*ring).ranks.end[0] == 8 * lone(2, 5)


def test_no_message_overtakes():
    """On random paths packets arrive in any order; messages of a pair do not."""
    torus = ["topology.kind=torus", "topology.radix=[4,4]", "routing.kind=valiant", "switch.vcs=8"]
    ranks = executor(16, "workload.packet_bytes=64", network=torus)
    sends = [ranks.post(0, SEND, 10, 8 + 97 * (k * 7 % 5), k % 3) for k in range(200)]
    receives = [ranks.post(10, RECV, ANY, tag=ANY) for _ in range(200)]
    matched = {}
    while done := ranks.run():
        matched |= {each.handle: each.sender for each in done if each.kind == RECV}
    assert [matched[receive] for receive in receives] == sends
    assert ranks.unfinished == 0


def test_posting_goes_on_at_the_same_time():
    """An operation posted when a receive is done starts then."""
    ranks = executor(8)
    ranks.post(0, SEND, 1, 8)
    ranks.post(1, RECV, 0)
    ends = []
    while done := ranks.run():
        for each in done:
            if each.kind == RECV and len(ends) < 5:
                ends.append(each.time)
                ranks.post(each.rank, SEND, each.rank + 1, 8)
                ranks.post(each.rank + 1, RECV, each.rank)
    assert ends == [lone(2, 1) * (k + 1) for k in range(5)]


def test_who_waits_for_whom():
    with pytest.raises(StalledError, match="rank 1 waits for a message from rank 0, tag 4"):
        run([(SEND, 1, 8, 3, [])], [(RECV, 0, 8, 4, [])])
    with pytest.raises(StalledError, match="rank 0 waits for rank 1 to receive 800000 bytes, tag 3"):
        run([(SEND, 1, 800_000, 3, [])], [])
    with pytest.raises(TsujiError, match="rank 1 did not receive 8 bytes from rank 0, tag 3"):
        run([(SEND, 1, 8, 3, [])], [])


def test_mappings_are_checked():
    rows = [[], []]
    for nodes, text in (
        ([0, 8], "rank 1 on node 8: must be 0 to 7"),
        ([3, 3], "node 3 gets 2 ranks (0, 1): it has 1 network interface"),
        ([3], "2 ranks: the mapping has 1"),
    ):
        with pytest.raises(TsujiError, match=re.escape(text)):
            run(*rows, nodes=nodes)
    with pytest.raises(TsujiError, match="9 ranks: there are 8 nodes"):
        run(*[[]] * 9)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        (["planes.count=2"], r"\[planes\]: messages of ranks take one network"),
        (["traffic.window=4"], "traffic.window: messages of ranks have none"),
    ],
)
def test_configurations_that_do_not_go_with_messages(settings, text):
    with pytest.raises(TsujiError, match=text):
        run([], settings=settings)


def random_traffic(ranks, rng):
    """Return rows in which all ranks send to random others, which receive from any source."""
    rows = [[] for _ in range(ranks)]
    counts = [0] * ranks
    for source in range(ranks):
        for k in range(12):
            to = int(rng.integers(ranks))
            counts[to] += 1
            rows[source].append((SEND, to, int(rng.integers(1, 3000)), k, [len(rows[source]) - 1] if k % 3 else []))
    for rank, count in enumerate(counts):
        rows[rank] += [(RECV, ANY, 0, ANY, []) for _ in range(count)]
    return rows


@pytest.mark.parametrize(
    "more", [[], ["lpi.idle=50", "lpi.sleep=20", "lpi.wake=30"], ["switch.vcs=4", "switch.head_delay=1"]]
)
def test_twice_the_same_and_links_add_up(more):
    rows = random_traffic(64, np.random.default_rng(3))
    made = config(*more, "workload.packet_bytes=512", "workload.eager_bytes=1024", network=TORUS)
    results = [replay([Job(schedule(*rows))], made) for _ in range(2)]
    first, second = (result.document() | {"wall_s": 0} for result in results)
    assert first == second
    found = results[0]
    assert found.slow_down is not None
    assert found.slow_down > 1
    links = found.links
    assert links is not None
    assert links["bytes"][links["to_switch"].notna()].sum() == found.flit_hops * FLIT
    assert links["bytes"][links["to_node"].notna()].sum() == found.flits * FLIT
    assert links["busy"].max() <= 1
