"""BookSim2's destinations, by node number."""

import re

import numpy as np
import pytest

from models.errors import TsujiError
from sim.booksim.patterns import BookSimPattern
from sim.packets import Packets
from sim.topology.torus import grid
from sim.traffic.arrivals import Bernoulli
from sim.traffic.sizes import Sizes
from sim.traffic.stream import Stream

MESH = grid((4, 4), wrap=False)
FOUR = grid((2, 2), wrap=False)
NODES = np.arange(16)
MANY = np.repeat(NODES, 3000)


def chooser(traffic, topology=MESH, k=4, n=2, xr=1, perm_seed=0):
    return BookSimPattern(traffic=traffic, k=k, n=n, xr=xr, perm_seed=perm_seed).chooser(topology)


def counts(traffic, topology=MESH, sources=MANY, **keys):
    """Return how often each source [row] sends to each node [column], as a share."""
    drawn = chooser(traffic, topology, **keys)(np.random.default_rng(1), sources)
    table = np.zeros((topology.nodes, topology.nodes))
    np.add.at(table, (sources, drawn), 1)
    return table / len(sources) * topology.nodes


@pytest.mark.parametrize(
    ("traffic", "want"),
    [
        ("bitcomp", [15 - n for n in range(16)]),
        ("transpose", [n // 4 + n % 4 * 4 for n in range(16)]),
        ("bitrev", [int(f"{n:04b}"[::-1], 2) for n in range(16)]),
        ("shuffle", [(n << 1 & 15) | n >> 3 for n in range(16)]),
        ("tornado", [(n // 4 + 1) % 4 * 4 + (n + 1) % 4 for n in range(16)]),
        ("tornado({16,1})", [(n + 7) % 16 for n in range(16)]),
        ("neighbor", [(n // 4 + 1) % 4 * 4 + (n % 4 + 1) % 4 for n in range(16)]),
        ("hotspot(5)", [5] * 16),
    ],
)
def test_permutations(traffic, want):
    assert chooser(traffic)(np.random.default_rng(0), NODES).tolist() == want


def test_uniform_reaches_its_own_node_as_often_as_any():
    table = counts("uniform")
    assert abs(table.mean() - 1 / 16) < 1e-12
    assert table.std() < 2 * (1 / 16 / 3000) ** 0.5
    assert np.diag(table).mean() == pytest.approx(1 / 16, rel=0.05)


def test_shares():
    eighth = counts("hotspot({{0,9},{1,7}})").mean(axis=0)
    assert (eighth[0], eighth[9]) == (pytest.approx(1 / 8, abs=0.01), pytest.approx(7 / 8, abs=0.01))
    diagonal = counts("diagonal")
    assert np.diag(diagonal).mean() == pytest.approx(2 / 3, abs=0.01)
    assert np.diag(np.roll(diagonal, -1, axis=1)).mean() == pytest.approx(1 / 3, abs=0.01)
    halves = counts("asymmetric")
    assert (halves[NODES, NODES % 8].mean(), halves[NODES, NODES % 8 + 8].mean()) == pytest.approx((0.5, 0.5), abs=0.01)
    left = counts("background({{0,1,2}})")
    assert left[:, :3].sum() == 0
    assert left[:, 3:].mean() == pytest.approx(1 / 13)
    rows = counts("badperm_yarc")
    assert [rows[node, node // 4 :: 4].sum() for node in NODES] == pytest.approx([1] * 16)


def test_taper64():
    """Half of the packets go to the 3×3 nodes around their own, the others anywhere."""
    topology = grid((8, 8), wrap=False)
    table = counts("taper64", topology, np.repeat(np.arange(64), 2000), k=8)
    around = [(20 + 8 * row + column) % 64 for row in (-1, 0, 1) for column in (-1, 0, 1)]
    assert table[20, around].sum() == pytest.approx(0.5 + 0.5 * 9 / 64, abs=0.05)


def test_randperm_depends_on_its_seed_alone():
    drawn = [chooser("randperm", perm_seed=seed)(np.random.default_rng(seed), NODES).tolist() for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert sorted(drawn[0]) == NODES.tolist()
    assert chooser("randperm(2)")(np.random.default_rng(0), NODES).tolist() == drawn[2]


@pytest.mark.parametrize(
    ("traffic", "topology", "message"),
    [
        ("worst", MESH, "traffic = worst: must be one of asymmetric"),
        ("bitcomp", grid((3, 3), wrap=False), "9 nodes are not a power of two"),
        ("transpose", grid((2, 4), wrap=False), "8 nodes are not an even power of two"),
        ("tornado({5,2})", MESH, r"2 digits of 5 · 1 do not number 16 nodes"),
        ("badperm_yarc({2,4})", MESH, "needs node numbers of two digits, not 4"),
        ("taper64", MESH, "needs 64 nodes, not 16"),
        ("background", MESH, "names nodes to leave out"),
        ("background({{16}})", MESH, "names nodes to leave out"),
        ("hotspot(16)", MESH, "needs nodes of 0 to 15"),
        ("hotspot({{1},{0}})", MESH, "rates above 0"),
        ("tornado({-4,2})", MESH, "takes k, n and xr, of at least 1, and n at most 64"),
        ("neighbor({4,1000000000})", MESH, "takes k, n and xr"),
        ("tornado({0,-1})", MESH, "takes k, n and xr"),
        ("tornado({4,2,1,9})", MESH, "takes k, n and xr"),
        ("hotspot({{100000000000000000000}})", MESH, "arguments must be numbers"),
        ("permutation({100000000000000000000})", MESH, "arguments must be numbers"),
        ("hotspot(x)", MESH, "arguments must be numbers"),
    ],
)
def test_patterns_that_do_not_fit_are_refused(traffic, topology, message):
    with pytest.raises(TsujiError, match=message):
        chooser(traffic, topology)


def test_packets_to_their_own_node_are_sent():
    pattern = BookSimPattern(traffic="hotspot(3)", k=4, n=2, xr=1, perm_seed=0)
    stream = Stream(MESH, pattern, Bernoulli(), Sizes(packet_size=1), 1.0, 1)
    packets: Packets = stream.until(10)
    assert len(packets) == 160
    assert (packets.source == packets.destination).sum() == 10


def test_a_permutation_and_a_matrix_are_lists(tmp_path):
    """As in derivatives; a matrix is a file, too."""
    rng, sources = np.random.default_rng(1), np.arange(4).repeat(4000)
    assert chooser("permutation({3,2,1,0})", FOUR)(rng, np.arange(4)).tolist() == [3, 2, 1, 0]
    rows = [[0, 1, 1, 2], [1, 0, 0, 0], [0, 0, 5, 0], [1, 1, 1, 1]]
    text = ",".join(f"{{{','.join(map(str, row))}}}" for row in rows)
    (tmp_path / "rows").write_text("\n".join(" ".join(map(str, row)) for row in rows))
    for given in (f"matrix({{{text}}})", f"matrix({tmp_path / 'rows'})"):
        shares = np.zeros((4, 4))
        np.add.at(shares, (sources, chooser(given, FOUR)(rng, sources)), 1 / 4000)
        assert shares == pytest.approx(np.array(rows) / np.sum(rows, axis=1, keepdims=True), abs=0.03)


def test_weights_of_a_matrix_may_be_any_numbers():
    rows = ",".join("{0,1e308,1e308,5e-324}" for _ in range(4))
    drawn = chooser(f"matrix({{{rows}}})", FOUR)(np.random.default_rng(1), np.arange(4).repeat(1000))
    assert np.bincount(drawn, minlength=4) / 4000 == pytest.approx([0, 0.5, 0.5, 0], abs=0.05)


def test_bad_dragon_sends_to_the_next_group():
    to = chooser("bad_dragon", grid((6, 6), wrap=False), k=1, n=1)(np.random.default_rng(1), np.arange(36))
    assert (to // 2 == (np.arange(36) // 2 + 1) % 18).all()


@pytest.mark.parametrize(
    ("traffic", "message"),
    [
        ("permutation({0,0,1,2})", "must name each of the nodes 0 to 3 once"),
        ("matrix({{0,1},{1,0}})", "must be a file, or 4 lists of 4 weights"),
        ("matrix({{1,1,1,1},{0,0,0,0},{1,1,1,1},{1,1,1,1}})", "must have a weight above 0 in each row"),
        ("matrix({{1,1,1,1},{1,x,0,0},{1,1,1,1},{1,1,1,1}})", "arguments must be numbers"),
        ("bad_dragon(3)", "4 nodes are not groups of 18"),
    ],
)
def test_lists_that_do_not_fit(traffic, message):
    with pytest.raises(TsujiError, match=re.escape(message)):
        chooser(traffic, FOUR)
