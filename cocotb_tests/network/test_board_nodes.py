"""Nodes of a board on a network of RTL switches against the simulator, packet by packet; faults that they report."""

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
from synth.boards.latency_bin import OVERFLOW, bin_start
from synth.boards.node_words import Table, Word

MESH = grid((2, 2), wrap=False)
LINE = grid((3,), wrap=False)
COMPUTED = {"routing": "dimension_order", "counter_width": 32}


def _setup(width: int, vcs: int, size: int, pattern: Pattern, **more) -> Setup:
    """Return a 2x2 mesh, or a line of three for uniform traffic of another size."""
    grid_of = MESH if size != 3 else LINE
    params = SwitchParams.model_validate(
        COMPUTED
        | {"radix": grid_of.radix, "ports": grid_of.ports, "data_width": width, "vcs": vcs, "tag_width": 16}
        | {key: value for key, value in more.items() if key != "queue"}
    )
    topology = grid_of.with_addresses(grid_of.coordinate_tags)
    fixed = None
    if pattern.fixed:
        fixed = pattern.chooser(topology)(np.random.default_rng(0), np.arange(topology.nodes)).tolist()
    return Setup(params, topology, size, fixed, more.get("queue", 512))


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


# Width of a flit, VCs, flits of a packet, pattern, load, cycles with births, cycles until the network is empty.
CASES = {
    "uniform": (32, 2, 4, Uniform(), 0.5, 1500, 300, {}),
    "one VC, two flits, permutation, past saturation": (64, 1, 2, BitComplement(), 0.9, 600, 1500, {}),
    "three nodes, dynamic buffers": (64, 3, 3, Uniform(), 0.6, 800, 400, {"buffering": "dynamic", "max_packet": 3}),
}


@pytest.mark.parametrize("case", CASES)
def test_packets_are_those_of_the_simulator(case: str) -> None:
    width, vcs, size, pattern, load, stop, drain, more = CASES[case]
    setup = _setup(width, vcs, size, pattern, **more)
    measure = stop // 3
    packets, counters = _simulated(setup, pattern, load, 7, stop, drain)
    bench = Bench(setup)
    report = bench.run(stop=stop, drain=drain, seed=7, threshold=packet_threshold(load / size), measure=measure)
    bench.close()
    assert len(packets) > 100
    assert report.packets == _rows(packets)
    assert (report.counters == counters).all()
    assert counters[:, :, Counter.PACKETS_IN].sum() == packets.hops.sum()
    _check_counts(report, packets, measure)


def _check_counts(report: Report, packets: Delivered, measure: int) -> None:
    """Compare words and tables of the nodes with the packets."""
    nodes = len(report.words)
    assert report.idle
    for n, words in enumerate(report.words):
        sent, came = packets.source == n, packets.destination == n
        measured = came & (packets.birth >= measure)
        latency = (packets.eject - packets.birth)[measured]
        assert words[Word.BORN] == words[Word.PACKETS_OUT] == sent.sum()
        assert words[Word.PACKETS_IN] == came.sum()
        assert words[Word.FLITS_IN] == packets.size[came].sum()
        assert words[Word.MEASURED] == measured.sum()
        assert words[Word.LATENCY_LOW] | words[Word.LATENCY_HIGH] << 32 == latency.sum()
        assert words[Word.BIRTHS_OUT] == packets.birth[sent].sum()
        assert words[Word.BIRTHS_IN] == packets.birth[came].sum()
        assert not any(words[word] for word in (Word.LOST_BIRTHS, Word.WRONG_SIZE, Word.WRONG_CRC))
        assert not words[Word.WRONG_DESTINATION]
        bins = histogram(latency)
        assert _histogram(report.tables[Table.HISTOGRAM][n]) == (bins.start, bins.packets)
        assert (report.tables[Table.SENT][n] == np.bincount(packets.destination[sent], minlength=nodes)).all()
        assert (report.tables[Table.RECEIVED][n] == np.bincount(packets.source[came], minlength=nodes)).all()
    if len(set(zip(packets.source.tolist(), packets.destination.tolist(), strict=True))) == nodes:
        assert report.total(Word.WRONG_SEQUENCE) == 0
