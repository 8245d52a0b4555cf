"""Packets drawn by the hash of a board's nodes."""

import numpy as np
import pytest

from models.errors import TsujiError
from models.node.traffic_hash import traffic_hash
from sim.config import load
from sim.packets import Packets
from sim.topology.base import Topology
from sim.topology.torus import grid
from sim.traffic.arrivals import ARRIVALS
from sim.traffic.hash_stream import HashStream
from sim.traffic.pattern import PATTERNS
from sim.traffic.sizes import Sizes

TORUS = grid((4, 4), wrap=True)
HASH = ["topology.radix=[4, 4]", "traffic.draws=hash"]


def stream(
    pattern: str = "uniform", load_: float = 0.4, size: int = 4, seed: int = 1, topology: Topology = TORUS
) -> HashStream:
    return HashStream(
        topology, PATTERNS.get(pattern)(), ARRIVALS.get("bernoulli")(), Sizes(packet_size=size), load_, seed
    )


def rows(packets: Packets) -> list[list[int]]:
    return np.column_stack((packets.birth, packets.source, packets.destination, packets.size)).tolist()


@pytest.mark.parametrize(("load_", "size", "seed"), [(0.4, 4, 1), (1.0, 1, 2), (0.01, 2, (1 << 32) - 1)])
def test_packets_are_those_of_the_definition(load_, size, seed):
    """A packet where the first word, as a fraction of 2^24, is below the rate; 16 bits of the second, scaled, say to
    which of the other nodes."""
    expected = []
    for cycle in range(700):
        for node in range(16):
            first, second = traffic_hash(seed, node, cycle)
            if first / (1 << 24) < round(load_ / size * (1 << 24)) / (1 << 24):
                others = [other for other in range(16) if other != node]
                expected.append([cycle, node, others[(second // 256) * 15 // 65536], size])
    assert len(expected) > 20
    assert rows(stream(load_=load_, size=size, seed=seed).until(700)) == expected


def test_the_first_packet_worked_out():
    """Words 0x43D608 and 0x61587A of node 0 in cycle 0: below 2^24/2, and 0x6158 · 15 / 2^16 = 5.7: the sixth other."""
    assert traffic_hash(1, 0, 0) == (0x43D608, 0x61587A)
    assert rows(stream(load_=0.5, size=1).until(1))[0] == [0, 0, 6, 1]


def test_packets_do_not_depend_on_how_many_are_read_at_a_time():
    whole = rows(stream().until(1000))
    for steps in ([1000], [1, 2, 300, 999, 1000], [512, 512, 1000], range(1, 1001)):
        read = stream()
        assert [row for cycle in steps for row in rows(read.until(cycle))] == whole


@pytest.mark.parametrize("pattern", ["tornado", "transpose", "bit_complement", "random_permutation"])
def test_permutations_are_those_of_the_pattern(pattern):
    packets = stream(pattern, load_=1.0).until(300)
    chosen = PATTERNS.get(pattern)().chooser(TORUS)(np.random.default_rng(5), packets.source)
    assert (packets.destination == chosen).all()
    sends = set(packets.source.tolist())
    assert sends == {n for n in range(16) if PATTERNS.get(pattern)().demand(TORUS)[n].any()}
    # In the cycles in which uniform traffic is born, but for nodes that send to themselves.
    born = [row[:2] for row in rows(stream(load_=1.0).until(300)) if row[1] in sends]
    assert [row[:2] for row in rows(packets)] == born


def test_every_fixed_pattern_sends_each_node_s_packets_to_one_destination():
    for name in PATTERNS.names():
        kind = PATTERNS.get(name)
        if kind.fixed:
            choose = kind().chooser(TORUS)
            nodes = np.arange(16)
            assert (choose(np.random.default_rng(1), nodes) == choose(np.random.default_rng(2), nodes)).all(), name


def test_other_measurements_offer_the_same_packets():
    for more in ([], ["measure.period=500"], ["measure.warmup_periods=7", "run.stall_cycles=0"]):
        config = load(None, [*HASH, *more])
        seed, _ = config.draws.seeds(config.run.seed)
        parts = config.pattern, config.arrivals, config.sizes, config.load.load, seed
        packets = config.draws.stream(config.topology.build(), *parts).until(500)
        assert rows(packets) == rows(stream(load_=0.1).until(500))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["arrivals=poisson"], r'traffic.arrivals = "poisson": traffic.draws = "hash" draws "bernoulli" arrivals'),
        (["arrivals=on_off"], r'traffic.arrivals = "on_off": '),
        (
            ["pattern=hotspot"],
            r'traffic.pattern = "hotspot": .* draws "uniform" and the permutations "bit_complement", ',
        ),
        (["pattern=asymmetric"], r'traffic.pattern = "asymmetric": '),
        (["pattern=group_shift"], r'traffic.pattern = "group_shift": '),
        (["packet_sizes=[1, 4]"], r"traffic.packet_sizes = \[1, 4\]: .* draws no sizes; use traffic.packet_size"),
        (["reply_size=4"], r'traffic.reply_size = 4: traffic.draws = "hash" draws an open loop; leave it out'),
        (["window=2"], r"traffic.window = 2: .* draws an open loop; leave it out"),
        (["load=5.0"], r"traffic.load = 5: bernoulli arrivals of packets of 4 flits allow at most 4 flits/node/cycle"),
        (["load=1e-8"], r"traffic.load = 1e-08: with traffic.draws = \"hash\" a node creates at least a packet in 2"),
        (["draws=dice"], r"traffic.draws = 'dice': Input should be 'numpy' or 'hash'"),
    ],
)
def test_what_the_hash_does_not_draw_is_refused(settings, message):
    with pytest.raises(TsujiError, match=message):
        load(None, [*HASH, *(f"traffic.{setting}" for setting in settings)])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["run.seed=4294967296"], r'run.seed = 4294967296: traffic.draws = "hash" takes 0 to 2\^32 − 1'),
        (
            ["measure.mode=batch", "measure.batch_size=3"],
            r'measure.mode = "batch": traffic.draws = "hash" needs "open"',
        ),
    ],
)
def test_other_sections_that_it_does_not_take_are_refused(settings, message):
    load(None, settings)
    with pytest.raises(TsujiError, match=message):
        load(None, [*HASH, *settings])


def test_one_node_is_refused():
    with pytest.raises(TsujiError, match=r'traffic.draws = "hash": .* has 1 nodes; must be 2 to 65536'):
        stream(topology=grid((1,), wrap=False))
