"""A node of a board alone: what it counts of lost, doubled and overtaken packets, and of a full queue."""

import pytest

from models.errors import TsujiError
from models.node.traffic_hash import draw_destination, traffic_hash
from models.params import SwitchParams
from synth.boards import node
from synth.boards.node import Node
from synth.boards.node_words import Table, Word, number_of
from synth.boards.packet_format import PacketFormat
from tests.synth.boards.golden_packet import packet_flits
from tests.synth.boards.simulated import run_cycles

NODES, SIZE, QUEUE = 4, 2, 8
PARAMS = SwitchParams(routing="dimension_order", radix=(2, 2), data_width=64, tag_width=16, vcs=1)
FORM = PacketFormat(PARAMS, NODES, SIZE)
RESET = 512
READ = {word.name: number_of(Table.WORDS, word) for word in Word}
READ |= {f"sent {n}": number_of(Table.SENT, n) for n in range(NODES)}
READ |= {f"received {n}": number_of(Table.RECEIVED, n) for n in range(NODES)}
READ |= {f"bin {n}": number_of(Table.HISTOGRAM, n) for n in (98, 384)}


def read_after(flits: list[int], threshold: int = 0, stop: int = 0) -> dict[str, int]:
    """Return what node 1 counts of flits that arrive, the last of each `SIZE` as a tail; and of its own packets."""
    lasts = max(len(flits), stop + 4) + 8
    names = list(READ)

    def stimulus(cycle: int) -> dict[str, int]:
        at, ahead = cycle - RESET, cycle - RESET + 4
        arrives = 0 <= at < len(flits)
        reading = min(max(at - lasts, 0), len(names) - 1)
        return {
            "rst": cycle < RESET,
            "node": 1,
            "seed": 5,
            "threshold": threshold,
            "draw": 0 <= ahead < stop,
            "ahead": max(ahead, 0),
            "now": max(at, 0),
            "clear": at == 0,
            "link_in.flit.valid": arrives,
            "link_in.flit.payload.data": flits[at] if arrives else 0,
            "link_in.flit.payload.tail": arrives and at % SIZE == SIZE - 1,
            "number": READ[names[reading]],
        }

    design = Node(PARAMS, list(range(NODES)), SIZE, queue=QUEUE)
    seen = run_cycles(design, RESET + lasts + len(names) + 1, stimulus, ["data", "idle"])
    data = [row["data"] for row in seen[RESET + lasts + 1 :]]
    return dict(zip(names, data, strict=True)) | {"idle": seen[RESET + lasts]["idle"]}


def sent(source: int, sequence: int, birth: int = 0, measured: int = 1) -> list[int]:
    """Return the flits of a packet to node 1."""
    fields = {"destination": 1, "source": source, "measured": measured, "sequence": sequence, "birth": birth}
    return packet_flits(FORM, 1, fields)


def test_packets_of_two_sources_in_order():
    flits = [flit for k in range(5) for flit in (*sent(0, k, k), *sent(3, k, k + 1))]
    found = read_after(flits)
    assert [found[f"received {n}"] for n in range(NODES)] == [5, 0, 0, 5]
    assert (found["PACKETS_IN"], found["BIRTHS_IN"]) == (10, sum(range(5)) + sum(range(1, 6)))
    assert found["WRONG_SEQUENCE"] == 0
    assert found["LATENCY_LOW"] == sum(4 * k + 1 - k for k in range(5)) + sum(4 * k + 3 - k - 1 for k in range(5))


@pytest.mark.parametrize(
    ("order", "received", "births", "out_of_order"),
    [
        ((0, 1, 2, 3), 4, 6, 0),
        ((0, 1, 3), 3, 4, 1),  # lost: those behind it are out of order
        ((0, 1, 1, 2, 3), 5, 7, 3),  # doubled
        ((0, 2, 1, 3), 4, 6, 2),  # overtaken: nothing is missing
        ((0, 1, 1, 3), 4, 5, 1),  # one lost, one doubled: the sum of births tells
    ],
)
def test_lost_and_doubled_packets(order, received, births, out_of_order):
    """Of four packets with births 0 to 3, sum 6: number received, sum of births, and those out of order."""
    found = read_after([flit for k in order for flit in sent(2, k, k)])
    assert (found["received 2"], found["BIRTHS_IN"], found["WRONG_SEQUENCE"]) == (received, births, out_of_order)
    assert (received, births) == (4, 6) or out_of_order > 0


def test_latencies_of_measured_packets_only():
    late = (1 << 24) - 70_000
    found = read_after([*sent(0, 0, late, 1), *sent(0, 1, late, 0), *sent(0, 2, (1 << 24) - 131, 1)])
    assert (found["bin 384"], found["bin 98"]) == (1, 1)  # 136 cycles, in steps of 4: 32 · 2 + 136 // 4
    assert found["LATENCY_HIGH"] == 0


def test_a_full_queue_is_reported():
    """Without credits only the packets that fit the VC are sent; the next ones fill the queue, all others are lost."""
    born = [cycle for cycle in range(60) if traffic_hash(5, 1, cycle)[0] < 1 << 23]
    found = read_after([], 1 << 23, 60)
    taken = -(-PARAMS.depth // SIZE)
    assert found["LOST_BIRTHS"] == len(born) - taken - QUEUE
    to = [int(draw_destination(traffic_hash(5, 1, cycle)[1], 1, NODES)) for cycle in born[:taken]]
    assert [found[f"sent {n}"] for n in range(NODES)] == [to.count(n) for n in range(NODES)]
    assert found["PACKETS_OUT"] == PARAMS.depth // SIZE
    assert not found["idle"]


def test_a_counter_of_errors_stops_at_its_highest_count(monkeypatch):
    """Of 2 bits instead of 16: ten packets out of order are as many as three."""
    monkeypatch.setattr(node, "ERROR_BITS", 2)
    found = read_after([flit for k in range(10) for flit in sent(2, k + 1, k)])
    assert (found["received 2"], found["WRONG_SEQUENCE"]) == (10, 3)


@pytest.mark.parametrize(
    ("more", "nodes", "message"),
    [
        ({"speedup": 2}, 4, r"switch.speedup = 2: must be 1 for the nodes of a board"),
        ({}, 1025, r"1025 nodes: a board has at most 1024"),
        ({"data_width": 8}, 4, r"switch.data_width = 8: nodes of a board need flits of at least 16 bits"),
    ],
)
@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
def test_what_a_node_cannot_do_is_refused(more, nodes, message):
    with pytest.raises(TsujiError, match=message):
        Node(SwitchParams.model_validate(PARAMS.model_dump() | more), list(range(nodes)), SIZE)
