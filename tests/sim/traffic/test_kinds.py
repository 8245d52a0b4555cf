"""Traffic with parameters: permutations, groups, matrices, bursts, mixed sizes."""

import subprocess
import sys

import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.topology.torus import grid
from sim.traffic.arrivals import ARRIVALS
from sim.traffic.on_off import OnOff
from sim.traffic.pattern import PATTERNS
from sim.traffic.random_permutation import derangement
from sim.traffic.sizes import Sizes
from sim.traffic.stream import Stream

TORUS = grid((4, 4), wrap=True)


def stream(pattern="uniform", arrivals=None, sizes=None, load_=0.4, topology=TORUS, seed=1, **options):
    return Stream(
        topology,
        PATTERNS.get(pattern)(**options),
        arrivals or ARRIVALS.get("bernoulli")(),
        sizes or Sizes(packet_size=1),
        load_,
        seed,
    )


def test_a_random_permutation_moves_every_node_and_hangs_on_its_own_seed():
    def sent(permutation_seed, seed=1):
        packets = stream("random_permutation", permutation_seed=permutation_seed, seed=seed).until(500)
        return dict(zip(packets.source.tolist(), packets.destination.tolist(), strict=True))

    chosen = sent(3)
    assert sorted(chosen) == sorted(chosen.values()) == list(range(16))
    assert chosen == sent(3, seed=9) != sent(4)


def test_all_permutations_without_fixed_points_are_alike():
    """There are 9 of four numbers (Pearson's chi square of 8 degrees of freedom, 0.1 % above 26.1)."""
    rng = np.random.default_rng(1)
    drawn = [tuple(derangement(rng, 4)) for _ in range(9000)]
    counts = [drawn.count(each) for each in set(drawn)]
    assert len(counts) == 9
    assert sum((count - 1000) ** 2 / 1000 for count in counts) < 26.1


def test_asymmetric_sends_half_to_the_other_half_and_nothing_else():
    packets = stream("asymmetric", load_=1.0).until(4000)
    assert (packets.destination == (packets.source + 8) % 16).all()
    assert packets.flits / (16 * 4000) == pytest.approx(0.5, abs=0.01)


def test_a_group_sends_to_the_group_it_is_told():
    packets = stream("group_shift", group_size=4, group_shift=3, load_=1.0).until(2000)
    assert (packets.destination // 4 == (packets.source // 4 + 3) % 4).all()
    pairs = np.zeros((16, 16))
    np.add.at(pairs, (packets.source, packets.destination), 1)
    assert (pairs > 0).sum() == 16 * 4
    assert pairs[pairs > 0] == pytest.approx(500, abs=5 * 500**0.5)


def test_groups_of_one_are_a_permutation():
    packets = stream("group_shift", group_shift=5).until(500)
    assert (packets.destination == (packets.source + 5) % 16).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group_size": 3}, "traffic.group_size = 3 does not divide them"),
        ({"group_size": 4, "group_shift": 4}, "has 4 groups; traffic.group_shift = 4 leads back to the same"),
    ],
)
def test_groups_that_do_not_fit_are_refused(options, message):
    with pytest.raises(TsujiError, match=message):
        PATTERNS.get("group_shift")(**options).chooser(TORUS)


def written(tmp_path, text):
    path = tmp_path / "matrix.csv"
    path.write_text(text)
    return path


def test_a_matrix_says_destinations_and_relative_rates(tmp_path):
    weights = np.zeros((6, 6))
    weights[0, 1:] = [1, 2, 3, 4, 0]
    weights[2, [2, 5]] = 1, 4
    weights[5, 0] = 10
    path = written(tmp_path, "\n".join(",".join(map(str, row)) for row in weights))
    packets = stream("matrix", matrix=str(path), load_=1.0, topology=grid((2, 3), wrap=False)).until(20_000)
    counts = np.zeros((6, 6))
    np.add.at(counts, (packets.source, packets.destination), 1)
    weights[2, 2] = 0  # to itself: not sent
    assert (counts[weights == 0] == 0).all()
    assert counts == pytest.approx(2000 * weights, abs=5 * 2000)
    assert counts == pytest.approx(2000 * weights, rel=0.08)
    assert (counts[5, 0], counts[0].sum()) == (20_000, 20_000)


def test_a_matrix_stands_beside_the_configuration(tmp_path):
    written(tmp_path, "0 1 1\n")
    config = tmp_path / "net.toml"
    config.write_text('[topology]\nradix = [4, 4]\n[traffic]\npattern = "matrix"\nmatrix = "matrix.csv"\n')
    found = load(config)
    assert found.files == [tmp_path / "matrix.csv"]
    assert found.document()["traffic"]["matrix"] == str(tmp_path / "matrix.csv")


def test_a_matrix_that_is_not_there_is_refused():
    with pytest.raises(TsujiError, match=r"traffic.matrix: nowhere.csv: cannot be read"):
        load(None, ["traffic.pattern=matrix", "traffic.matrix=nowhere.csv"])
    with pytest.raises(TsujiError, match=r"traffic.matrix is not set: Field required"):
        load(None, ["traffic.pattern=matrix"])


def bursts(cycles, nodes, **options):
    """Return whether each node generates a packet in each cycle [cycles, nodes], at a rate that fills its bursts."""
    arrivals = OnOff(**options)
    draw = arrivals.births(arrivals.burst_duty, nodes)
    rng = np.random.default_rng(1)
    on = np.zeros((cycles, nodes), bool)
    for begin in range(0, cycles, 250):
        birth, node = draw(rng, 250)
        on[begin + birth, node] = True
    return on


@pytest.mark.parametrize(("cycles", "duty"), [(20, 0.25), (8, 0.5), (4, 0.75)])
def test_bursts_are_as_long_and_as_far_apart_as_asked(cycles, duty):
    on = bursts(20_000, 64, burst_cycles=cycles, burst_duty=duty)
    starts = (on[1:] & ~on[:-1]).sum()
    stops = (~on[1:] & on[:-1]).sum()
    assert on.mean() == pytest.approx(duty, rel=0.02)
    assert on[:-1].sum() / stops == pytest.approx(cycles, rel=0.03)
    assert (~on[:-1]).sum() / starts == pytest.approx(cycles * (1 - duty) / duty, rel=0.03)


def test_bursts_of_nodes_are_independent_and_geometric():
    on = bursts(20_000, 8, burst_cycles=10, burst_duty=0.5)
    between = np.corrcoef(on.T)
    assert np.abs(between[~np.eye(8, dtype=bool)]).max() < 0.1
    ends = np.flatnonzero(np.diff(np.concatenate(([0], on[:, 0].astype(int), [0]))))
    lengths = ends[1::2] - ends[::2]
    assert lengths.std() == pytest.approx((10 * 9) ** 0.5, rel=0.15)


@pytest.mark.parametrize(("load_", "duty"), [(0.05, 0.1), (0.4, 0.5), (0.25, 0.25)])
def test_the_mean_of_bursts_is_the_load(load_, duty):
    packets = stream(arrivals=OnOff(burst_cycles=10, burst_duty=duty), load_=load_).until(60_000)
    assert packets.flits / (16 * 60_000) == pytest.approx(load_, rel=0.03)


def test_impossible_bursts_are_refused():
    with pytest.raises(
        TsujiError, match=r"traffic.load = 1.2: on_off arrivals of packets of 4 flits allow at most 1 fl"
    ):
        load(None, ["traffic.arrivals=on_off", "traffic.burst_duty=0.25", "traffic.load=1.2"])
    with pytest.raises(TsujiError, match=r"traffic.burst_cycles = 3: must be at least 1 / \(1 - burst_duty\) = 4,"):
        load(None, ["traffic.arrivals=on_off", "traffic.burst_duty=0.75", "traffic.burst_cycles=3"])


def test_sizes_are_mixed_by_weight_and_the_load_stays():
    sizes = Sizes(packet_sizes=(1, 4, 16), packet_weights=(6, 3, 1))
    assert sizes.mean == pytest.approx(3.4)
    packets = stream(sizes=sizes, load_=0.34).until(40_000)
    found = [(packets.size == size).mean() for size in (1, 4, 16)]
    assert found == pytest.approx([0.6, 0.3, 0.1], abs=0.01)
    assert packets.flits / (16 * 40_000) == pytest.approx(0.34, rel=0.03)


def test_sizes_without_weights_are_as_often():
    packets = stream(sizes=Sizes(packet_sizes=(1, 3))).until(10_000)
    assert (packets.size == 1).mean() == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["packet_size=4", "packet_sizes=[1,4]"], r"traffic.packet_size = 4: leave it out with packet_sizes"),
        (["packet_sizes=[1,4]", "packet_weights=[1]"], r"traffic.packet_weights = \[1.0\]: must be as many as packet_"),
        (["packet_weights=[1]"], r"traffic.packet_weights = \[1.0\]: must be as many as packet_sizes, 0"),
        (["packet_sizes=[1,4]", "packet_weights=[1,0]"], r"traffic.packet_weights\[1\] = 0: Input should be greater"),
        (["packet_sizes=[0,4]"], r"traffic.packet_sizes\[0\] = 0: Input should be greater than or equal to 1"),
    ],
)
def test_sizes_that_contradict_are_refused(settings, message):
    with pytest.raises(TsujiError, match=message):
        load(None, [f"traffic.{setting}" for setting in settings])


def test_every_size_is_checked_against_the_switch():
    with pytest.raises(TsujiError, match=r"traffic.packet_sizes = 1: a header takes 2 flits of 8 bits"):
        load(None, ["switch.data_width=8", "traffic.packet_sizes=[4,1]"])
    settings = ["switch.vcs=3", "switch.buffering=dynamic", "switch.max_packet=4", "adaptive.kind=escape"]
    load(None, [*settings, "traffic.packet_sizes=[1,4]"])
    with pytest.raises(TsujiError, match=r"traffic.packet_sizes = 5: with adaptive.kind = \"escape\" and virtual cut-"):
        load(None, [*settings, "traffic.packet_sizes=[1,5]"])


@pytest.mark.parametrize("pattern", PATTERNS.names())
def test_the_demand_is_what_is_drawn(pattern, tmp_path):
    """Mean numbers of packets between pairs of nodes, which are Poisson's at most, within five standard deviations."""
    options = {"hotspot": {"hotspots": (3, 5), "hotspot_fraction": 0.4}, "group_shift": {"group_size": 4}}.get(
        pattern, {}
    )
    if pattern == "matrix":
        path = tmp_path / "matrix"
        path.write_text("0 1 1\n2 3 4\n2 2 3\n5 0 0.5")
        options = {"matrix": path}
    kind = PATTERNS.get(pattern)(**options)
    demand = kind.demand(TORUS)
    assert demand.shape == (16, 16)
    assert not np.diag(demand).any()
    assert demand.sum(axis=1).max() <= 1 + 1e-12
    choose, rng = kind.chooser(TORUS), np.random.default_rng(2)
    draws, counts = 4000, np.zeros((16, 16))
    for _ in range(draws):
        counts[np.arange(16), choose(rng, np.arange(16))] += 1
    np.fill_diagonal(counts, 0)
    assert (np.abs(counts - draws * demand) <= 5 * np.sqrt(draws * demand) + 1e-9).all()


@pytest.mark.parametrize("rate", [0.001, 0.2, 0.33])
def test_bernoulli_gaps_are_numpy_s_geometric_numbers(rate):
    """Below a third numpy draws rounded-up exponential numbers, too."""
    birth, node = ARRIVALS.get("bernoulli")().births(rate, 16)(np.random.default_rng(7), 1000)
    successes = np.random.default_rng(7).geometric(rate, 20000).cumsum() - 1
    assert (birth * 16 + node).tolist() == successes[successes < 16000].tolist()


@pytest.mark.parametrize("rate", [0.5, 0.9, 1.0])
def test_bernoulli_births_are_as_frequent_as_asked_for(rate):
    """All nodes alike, at most one packet per cycle; within four standard deviations."""
    cycles, nodes = 20000, 8
    birth, node = ARRIVALS.get("bernoulli")().births(rate, nodes)(np.random.default_rng(8), cycles)
    assert (np.diff(birth * nodes + node) > 0).all()
    counts = np.bincount(node, minlength=nodes)
    assert (abs(counts - rate * cycles) <= 4 * (cycles * rate * (1 - rate)) ** 0.5).all()


def test_births_so_rare_that_none_is_due_soon():
    birth, node = ARRIVALS.get("bernoulli")().births(1e-300, 4)(np.random.default_rng(9), 256)
    assert len(birth) == len(node) == 0


def test_drawing_is_compiled_before_anything_is_timed():
    """In a process of its own: here other tests have drawn numbers before."""
    program = (
        "from sim.traffic import arrivals; arrivals.Bernoulli().births(0.1, 4); "
        "print(len(arrivals._successes._functions))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout == "1\n"
