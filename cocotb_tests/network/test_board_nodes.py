"""Nodes of a board on a network of RTL switches against the simulator, packet by packet; faults that they report."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from cocotb_tests.network.board_nodes import Bench, Faults, Report, Setup
from models.formats import Counter
from models.node.traffic_hash import packet_threshold
from models.params import LinkParams, SwitchParams
from sim.engine.network import Network
from sim.measure.histogram import histogram
from sim.packets import Delivered
from sim.topology.torus import grid
from sim.traffic.arrivals import Bernoulli
from sim.traffic.bits import BitComplement
from sim.traffic.hash_stream import HashStream
from sim.traffic.pattern import Pattern
from sim.traffic.sizes import Sizes
from sim.traffic.uniform import Uniform
from synth.boards.latency_bin import bin_start
from synth.boards.node_words import Table, Word

COMPUTED = {"routing": "dimension_order", "counter_width": 32}


def _setup(width: int, vcs: int, size: int, pattern: Pattern, more: dict[str, Any]) -> Setup:
    """Return lines of two and three nodes with packets of as many flits; with longer ones a 2x2 mesh."""
    grid_of = grid((size,) if size < 4 else (2, 2), wrap=False)
    params = SwitchParams.model_validate(
        COMPUTED
        | {"radix": grid_of.radix, "ports": grid_of.ports, "data_width": width, "vcs": vcs, "tag_width": 16}
        | more
    )
    topology = grid_of.with_addresses(grid_of.coordinate_tags)
    fixed = None
    if pattern.fixed:
        fixed = pattern.chooser(topology)(np.random.default_rng(0), np.arange(topology.nodes)).tolist()
    return Setup(params, topology, size, fixed)


def _simulated(
    setup: Setup, pattern: Pattern, load: float, seed: int, stop: int, drain: int
) -> tuple[Delivered, np.ndarray]:
    """Return the packets of the simulator, and the counters of its switches."""
    network = Network(setup.params, LinkParams(latency=0), setup.topology, None)
    stream = HashStream(setup.topology, pattern, Bernoulli(), Sizes(packet_size=setup.size), load, seed)
    network.offer(stream.until(stop))
    delivered = network.advance(stop + drain)
    assert network.idle()
    return delivered, network.counters()


def _rows(packets: Delivered) -> list[tuple[int, ...]]:
    columns = packets.source, packets.destination, packets.birth, packets.enter, packets.eject
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


def _histogram(counts: np.ndarray) -> tuple[list[int], list[int]]:
    """Return the starts and the packets of the bins that are not empty."""
    full = np.flatnonzero(counts)
    return [bin_start(int(place)) for place in full], counts[full].tolist()


ERRORS = (Word.WRONG_SIZE, Word.WRONG_CRC, Word.WRONG_DESTINATION)

# Width of a flit, VCs, flits of a packet, pattern, more of the switch, load, cycles with births, cycles after them.
CASES: dict[str, tuple[int, int, int, Pattern, dict[str, Any], float, int, int]] = {
    "uniform": (32, 2, 4, Uniform(), {}, 0.5, 1500, 300),
    "two nodes, two flits on one VC, permutation, past saturation": (60, 1, 2, BitComplement(), {}, 1.5, 500, 900),
    "three nodes, dynamic buffers": (48, 3, 3, Uniform(), {"buffering": "dynamic", "max_packet": 3}, 0.6, 800, 400),
}


@pytest.fixture(scope="module")
def benches() -> Iterator[Callable[[str], Bench]]:
    """Return a function that builds the design of a case, once."""
    built: dict[str, Bench] = {}

    def bench(case: str) -> Bench:
        if case not in built:
            built[case] = Bench(_setup(*CASES[case][:5]))
        return built[case]

    yield bench
    for each in built.values():
        each.close()


@pytest.mark.parametrize("case", CASES)
def test_packets_are_those_of_the_simulator(case: str, benches: Callable[[str], Bench]) -> None:
    _, _, _, pattern, _, load, stop, drain = CASES[case]
    measure = stop // 3
    packets, counters = _simulated(_setup(*CASES[case][:5]), pattern, load, 7, stop, drain)
    report = _run(benches, case, measure=measure)
    assert len(packets) > 100
    assert report.packets == _rows(packets)
    assert (report.counters == counters).all()
    assert counters[:, :, Counter.PACKETS_IN].sum() == packets.hops.sum()
    _check_counts(report, packets, measure)


def _run(benches: Callable[[str], Bench], case: str, seed: int = 7, measure: int = 0, **faults: Any) -> Report:
    """Run a case with faults."""
    _, _, size, _, _, load, stop, drain = CASES[case]
    threshold = packet_threshold(load / size)
    return benches(case).run(
        stop=stop, drain=drain, seed=seed, threshold=threshold, measure=measure, faults=Faults(**faults)
    )


def _check_counts(report: Report, packets: Delivered, measure: int) -> None:
    """Compare words and tables of the nodes with the packets."""
    nodes = len(report.words)
    assert report.idle
    for n, words in enumerate(report.words):
        sent, came = packets.source == n, packets.destination == n
        measured = came & (packets.birth >= measure)
        latency = (packets.eject - packets.birth)[measured]
        assert words[Word.PACKETS_OUT] == sent.sum()
        assert words[Word.PACKETS_IN] == came.sum()
        assert words[Word.LATENCY_LOW] | words[Word.LATENCY_HIGH] << 32 == latency.sum()
        assert words[Word.BIRTHS_OUT] == packets.birth[sent].sum()
        assert words[Word.BIRTHS_IN] == packets.birth[came].sum()
        assert not any(words[word] for word in (Word.LOST_BIRTHS, *ERRORS))
        bins = histogram(latency)
        assert _histogram(report.tables[Table.HISTOGRAM][n]) == (bins.start, bins.packets)
        assert (report.tables[Table.SENT][n] == np.bincount(packets.destination[sent], minlength=nodes)).all()
        assert (report.tables[Table.RECEIVED][n] == np.bincount(packets.source[came], minlength=nodes)).all()
    if len(set(zip(packets.source.tolist(), packets.destination.tolist(), strict=True))) == nodes:
        assert report.total(Word.WRONG_SEQUENCE) == 0


def _lost(report: Report) -> int:
    """Return the packets that were sent and did not arrive without error, by the tables of both sides."""
    return int((report.tables[Table.SENT] - report.tables[Table.RECEIVED].T).sum())


def test_another_seed_gives_other_packets(benches: Callable[[str], Bench]) -> None:
    one, other = (_run(benches, "uniform", seed) for seed in (7, 8))
    assert one.packets != other.packets
    assert one.packets == _run(benches, "uniform", 7).packets


def test_every_bit_of_a_packet_is_checked(benches: Callable[[str], Bench]) -> None:
    """Each bit of a packet changes in a packet of its own."""
    right = _run(benches, "uniform")
    bits = 4 * 32
    assert len(right.flits) > bits
    chosen = {cycles[bit // 32]: 1 << bit % 32 for bit, cycles in enumerate(right.flits[:bits])}
    report = _run(benches, "uniform", flip=chosen)
    assert [report.total(word) for word in ERRORS] == [0, bits, 0]
    assert report.words[0][Word.WRONG_CRC] == bits == _lost(report)
    assert report.total(Word.BIRTHS_OUT) != report.total(Word.BIRTHS_IN)
    assert report.total(Word.PACKETS_OUT) == report.total(Word.PACKETS_IN)
    assert report.tables[Table.HISTOGRAM].sum() == right.tables[Table.HISTOGRAM].sum() - bits


@pytest.mark.parametrize("place", range(4))
def test_a_lost_flit_is_reported(place: int, benches: Callable[[str], Bench]) -> None:
    """Without its tail, a packet and the next one on its VC are one."""
    cycle = _run(benches, "uniform").flits[5][place]
    report = _run(benches, "uniform", drop=[cycle])
    tail = int(place == 3)
    assert [report.total(word) for word in ERRORS] == [1, 0, 0]
    assert report.total(Word.PACKETS_OUT) - report.total(Word.PACKETS_IN) == tail
    assert _lost(report) == 1 + tail


def test_lost_packets_are_reported(benches: Callable[[str], Bench]) -> None:
    lost = _run(benches, "uniform").flits[9]
    report = _run(benches, "uniform", drop=lost)
    assert [report.total(word) for word in ERRORS] == [0, 0, 0]
    assert report.total(Word.PACKETS_OUT) - report.total(Word.PACKETS_IN) == 1 == _lost(report)
    assert report.total(Word.WRONG_SEQUENCE) > 0


def test_a_wrong_way_is_reported(benches: Callable[[str], Bench]) -> None:
    report = _run(benches, "uniform", crossed=True)
    went = [words[Word.WRONG_DESTINATION] for words in report.words]
    came = [words[Word.PACKETS_IN] for words in report.words]
    assert went[:2] == came[:2]
    assert min(came) > 100
    assert went[2:] == [0, 0]
    assert _lost(report) == sum(went)
