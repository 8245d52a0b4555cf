"""Traffic: destinations, rates, and streams that depend only on their seed."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import TsujiError
from sim.packets import Packets
from sim.topology.base import Topology
from sim.topology.torus import grid
from sim.traffic.arrivals import ARRIVALS
from sim.traffic.pattern import PATTERNS
from sim.traffic.sizes import Sizes
from sim.traffic.stream import Stream

TORUS = grid((4, 4), wrap=True)
EXAMPLE = {"matrix": str(Path(__file__).parents[3] / "examples" / "torus4x4_matrix.csv")}
COLUMNS = ("birth", "source", "destination", "size")


def stream(topology=TORUS, pattern="uniform", arrivals="bernoulli", load=0.4, size=4, seed=1, **options):
    options = EXAMPLE if pattern == "matrix" and not options else options
    return Stream(
        topology, PATTERNS.get(pattern)(**options), ARRIVALS.get(arrivals)(), Sizes(packet_size=size), load, seed
    )


def destinations(pattern, topology, **options):
    choose = PATTERNS.get(pattern)(**options).chooser(topology)
    return choose(np.random.default_rng(0), np.arange(topology.nodes)).tolist()


def graph(nodes):
    """Return a topology without coordinates: one switch with many nodes."""
    nobody = np.full((1, nodes), -1)
    return Topology(
        name="star",
        peer_switch=nobody,
        peer_port=nobody,
        node_switch=np.zeros(nodes),
        node_port=np.arange(nodes),
        addresses=np.arange(nodes),
        coordinates=[[0]],
    )


@settings(deadline=None, max_examples=25)
@given(
    st.sampled_from(PATTERNS.names()),
    st.sampled_from(ARRIVALS.names()),
    st.lists(st.integers(1, 700), min_size=1, max_size=8),
    st.integers(0, 2**63 - 1),
)
def test_a_stream_is_the_same_in_any_portions(pattern, arrivals, portions, seed):
    whole = stream(pattern=pattern, arrivals=arrivals, seed=seed).until(sum(portions))
    source = stream(pattern=pattern, arrivals=arrivals, seed=seed)
    pieces = [source.until(end) for end in np.cumsum(portions)]
    for piece, end in zip(pieces, np.cumsum(portions), strict=True):
        assert (piece.birth < end).all()
    joined = Packets.join(pieces)
    for name in COLUMNS:
        assert (getattr(joined, name) == getattr(whole, name)).all()
        assert getattr(joined, name).dtype == np.int64


@pytest.mark.parametrize("pattern", PATTERNS.names())
@pytest.mark.parametrize("arrivals", ARRIVALS.names())
def test_packets_are_in_order_and_never_to_oneself(pattern, arrivals):
    packets = stream(pattern=pattern, arrivals=arrivals).until(2000)
    assert (np.diff(packets.birth) >= 0).all()
    assert (packets.source != packets.destination).all()
    assert packets.destination.min() >= 0
    assert packets.destination.max() < TORUS.nodes


def test_seeds_differ():
    assert not np.array_equal(stream(seed=1).until(500).destination, stream(seed=2).until(500).destination)


@pytest.mark.parametrize("arrivals", ["bernoulli", "poisson"])
@pytest.mark.parametrize(("load", "size"), [(0.01, 1), (0.4, 4), (0.9, 3)])
def test_offered_traffic_is_the_load(arrivals, load, size):
    cycles = 40_000
    packets = stream(arrivals=arrivals, load=load, size=size).until(cycles)
    deviation = (load * size / (TORUS.nodes * cycles)) ** 0.5
    assert packets.flits / (TORUS.nodes * cycles) == pytest.approx(load, abs=5 * deviation)


def test_bernoulli_is_a_trial_a_node_and_cycle():
    cycles, rate = 20_000, 0.3
    packets = stream(load=rate, size=1).until(cycles)
    counts = np.zeros((cycles, TORUS.nodes), int)
    np.add.at(counts, (packets.birth, packets.source), 1)
    assert counts.max() == 1
    sums = counts.sum(axis=1)
    assert sums.var() == pytest.approx(TORUS.nodes * rate * (1 - rate), rel=0.06)
    assert abs(np.corrcoef(sums[:-1], sums[1:])[0, 1]) < 0.05
    assert counts.mean(axis=0) == pytest.approx(rate, abs=0.02)


def test_bernoulli_at_the_limit_fills_every_cycle():
    packets = stream(load=2, size=2).until(300)
    assert len(packets) == 300 * TORUS.nodes
    with pytest.raises(TsujiError, match=r"traffic.load = 2.5: bernoulli arrivals .* at most 2 flits/node/cycle"):
        stream(load=2.5, size=2)


def test_poisson_has_the_variance_of_poisson():
    cycles, rate = 20_000, 0.3
    packets = stream(arrivals="poisson", load=rate, size=1).until(cycles)
    sums = np.bincount(packets.birth, minlength=cycles)
    assert sums.mean() == pytest.approx(TORUS.nodes * rate, rel=0.02)
    assert sums.var() == pytest.approx(TORUS.nodes * rate, rel=0.06)


def test_uniform_reaches_all_others_alike():
    packets = stream(load=1, size=1).until(5000)
    counts = np.zeros((16, 16))
    np.add.at(counts, (packets.source, packets.destination), 1)
    others = counts[~np.eye(16, dtype=bool)]
    expected = others.mean()
    chi = ((others - expected) ** 2 / expected).sum()
    assert chi < 240 + 5 * (2 * 240) ** 0.5


def test_hotspots_get_their_share():
    packets = stream(pattern="hotspot", load=1, size=1, hotspots=(3, 7), hotspot_fraction=0.5).until(4000)
    others = packets[~np.isin(packets.source, (3, 7))]
    assert np.isin(others.destination, (3, 7)).mean() == pytest.approx(0.5 + 0.5 * 2 / 15, abs=0.01)
    assert (others.destination == 3).mean() == pytest.approx((others.destination == 7).mean(), abs=0.01)


def test_patterns_of_bits():
    assert destinations("bit_complement", graph(8)) == [7, 6, 5, 4, 3, 2, 1, 0]
    assert destinations("bit_reverse", graph(8)) == [0, 4, 2, 6, 1, 5, 3, 7]
    assert destinations("shuffle", graph(8)) == [0, 2, 4, 6, 1, 3, 5, 7]


def test_transpose():
    assert destinations("transpose", grid((3, 3), wrap=False)) == [0, 3, 6, 1, 4, 7, 2, 5, 8]
    assert destinations("transpose", graph(9)) == [0, 3, 6, 1, 4, 7, 2, 5, 8]
    topology = grid((2, 3, 2, 3), wrap=True, local_ports=2)
    there = np.array(destinations("transpose", topology))
    assert (
        topology.coordinates[topology.node_switch[there]] == topology.coordinates[topology.node_switch][:, [2, 3, 0, 1]]
    ).all()
    assert (topology.node_port[there] == topology.node_port).all()


@pytest.mark.parametrize(("pattern", "offset"), [("tornado", [2, 3]), ("neighbour", [1, 1])])
def test_offsets(pattern, offset):
    topology = grid((5, 8), wrap=True, local_ports=2)
    there = np.array(destinations(pattern, topology))
    want = (topology.coordinates[topology.node_switch] + offset) % [5, 8]
    assert (topology.coordinates[topology.node_switch[there]] == want).all()
    assert (topology.node_port[there] == topology.node_port).all()


@pytest.mark.parametrize(
    ("pattern", "topology", "message"),
    [
        ("transpose", grid((2, 3), wrap=False), "2×3 mesh is not square"),
        ("transpose", grid((4, 4, 4), wrap=True), "4×4×4 torus is not square"),
        ("transpose", graph(8), "star has 8 nodes; transpose needs a square number"),
        ("bit_complement", grid((2, 3), wrap=False), "2×3 mesh has 6 nodes; patterns of bits need a power of two"),
        ("tornado", graph(8), "star is neither a torus nor a mesh"),
        ("tornado", grid((2, 2), wrap=True), "every node would send to itself"),
        ("uniform", graph(1), "has one node"),
        ("random_permutation", graph(1), "has one node; a permutation without fixed points needs another"),
        ("asymmetric", graph(9), "has 9 nodes; asymmetric traffic needs an even number"),
        ("hotspot", grid((2, 3), wrap=False), "has nodes 0 to 5; traffic.hotspots names 6"),
    ],
)
def test_patterns_a_topology_cannot_have_are_refused(pattern, topology, message):
    options = {"hotspots": (1, 6)} if pattern == "hotspot" else {}
    with pytest.raises(TsujiError, match=message) as error:
        PATTERNS.get(pattern)(**options).chooser(topology)
    assert str(error.value).startswith(f'traffic.pattern = "{pattern}": ')
