"""Prediction success against enumeration of all routes, with exactly one packet for each pair of nodes."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from rich.console import Console

from models.params import LinkParams, PredictionParams, SwitchParams
from sim.config import load
from sim.engine.network import Network
from sim.measure.prediction_figures import PredictionFigures, prediction_figures
from sim.packets import Packets
from sim.simulation import simulate
from sim.topology.torus import grid
from tsuji.cli.figures import figures_table

Hop = tuple[int, int]  # input port, output port of a switch that a packet passes


def way(radix: tuple[int, ...], wrap: bool, source: tuple[int, ...], destination: tuple[int, ...]) -> Iterator[Hop]:
    """Yield the hops of dimension order: port 2d leads up in dimension d, 2d + 1 down; the last port is the node's."""
    node = arrives = 2 * len(radix)
    for d, k in enumerate(radix):
        delta = destination[d] - source[d]
        if wrap:
            delta = (delta + k // 2) % k - k // 2  # of odd rings: no ties
        for _ in range(abs(delta)):
            leaves = 2 * d + (delta < 0)
            yield arrives, leaves
            arrives = leaves ^ 1
    yield arrives, node


def named(radix: tuple[int, ...], local: str, source: tuple[int, ...], arrives: int) -> int:
    """Return what the static predictor of an input port names; of the node's, at switch `source`; −1: nothing."""
    if arrives < 2 * len(radix):
        return arrives ^ 1
    if local == "longer_x":
        in_plus, in_minus = radix[0] - 1 - source[0], source[0]
        return 0 if in_plus >= in_minus else 1
    return 0 if local == "plus_x" else -1


def pairs_right(radix: tuple[int, ...], wrap: bool, local: str) -> Iterator[list[tuple[int, bool]]]:
    """Yield for each pair of nodes the input ports that its packet passes, and whether their predictors are right."""
    places = list(product(*map(range, radix)))
    for source, destination in product(places, places):
        if source != destination:
            passed = way(radix, wrap, source, destination)
            yield [(arrives, leaves == named(radix, local, source, arrives)) for arrives, leaves in passed]


def enumerated(radix: tuple[int, ...], wrap: bool, local: str = "none") -> np.ndarray:
    """Return, by input port, the hops of all pairs: number, and number that go where predicted, int64 [P, 2]."""
    found = np.zeros((2 * len(radix) + 1, 2), np.int64)
    for hops in pairs_right(radix, wrap, local):
        for arrives, right in hops:
            found[arrives] += 1, right
    return found


def measured(
    radix: tuple[int, ...],
    wrap: bool,
    kind: str,
    rounds: int = 1,
    pair: tuple[int, int] | None = None,
    local: str = "none",
):
    """Return the figures of packets of 3 flits between all pairs, or one pair, one packet at a time."""
    topology = grid(radix, wrap=wrap)
    topology = topology.with_addresses(topology.coordinate_tags)
    straight = 2 * len(radix) if kind == "static" else None
    prediction = PredictionParams(kind=kind, straight_ports=straight, local=local)
    params = SwitchParams(
        ports=topology.ports, vcs=2, routing="dimension_order", radix=radix, wrap=wrap, prediction=prediction
    )
    network = Network(params, LinkParams(), topology, None)
    pairs = [pair] if pair else [(a, b) for a in range(topology.nodes) for b in range(topology.nodes) if a != b]
    source, destination = np.array(pairs * rounds).T
    birth = np.arange(len(source)) * 60
    network.offer(Packets(birth, source, destination, np.full(len(source), 3)))
    assert len(network.advance(60 * len(source) + 60)) == len(source)
    return prediction_figures(params, topology, network.counters())


@pytest.mark.parametrize(("radix", "wrap"), [((5, 5), True), ((5, 3), True), ((4, 4), False), ((4, 3), False)], ids=str)
def test_straight_on_is_what_enumeration_gives(radix, wrap):
    found = measured(radix, wrap, "static")
    hops = enumerated(radix, wrap)
    channels = hops[:-1]
    assert found.all_hops == hops[:, 1].sum() / hops[:, 0].sum()
    assert found.channels == found.success == channels[:, 1].sum() / channels[:, 0].sum()
    assert found.port == [right / count for count, right in hops.tolist()]
    by_dimension = channels.reshape(-1, 2, 2).sum(axis=1).tolist()
    assert found.dimension == [right / count for count, right in by_dimension]
    if (radix, wrap) == ((4, 4), False):  # paper C, section 2
        assert channels.sum(axis=0).tolist() == [640, 256]
    if radix == (5, 5):
        assert (found.all_hops, found.channels) == pytest.approx((5 / 21, 1 / 3))


@pytest.mark.parametrize(
    ("radix", "wrap", "local", "printed"),
    [
        ((5, 5), True, "plus_x", 0.3571),  # paper C, table 2: SS of 5-ary and 7-ary 2-cubes
        ((7, 7), True, "plus_x", 0.4861),
        ((4, 4), False, "longer_x", 0.4727),  # and of a 4-ary 2-mesh
        ((5, 2), False, "longer_x", None),
        ((4, 3), False, "plus_x", None),
    ],
    ids=str,
)
def test_static_local_ports_are_right_as_often_as_enumeration_says(radix, wrap, local, printed):
    found = measured(radix, wrap, "static", local=local)
    hops = enumerated(radix, wrap, local)
    assert found.all_hops == hops[:, 1].sum() / hops[:, 0].sum()
    assert found.channels == hops[:-1, 1].sum() / hops[:-1, 0].sum()
    assert found.port == [right / count for count, right in hops.tolist()]
    if printed is not None:
        assert found.all_hops == pytest.approx(printed, abs=5e-5)


@pytest.mark.parametrize(("k", "printed"), [(5, 0.3571), (7, 0.4861)])
def test_static_local_ports_under_uniform_traffic(k, printed):
    """The share of n random packets is a ratio of sums; its standard error follows from all pairs of nodes."""
    keys = [f"topology.radix=[{k},{k}]", "switch.routing=dimension_order", "prediction.kind=static"]
    keys += ["prediction.local=plus_x", "traffic.load=0.04", "traffic.packet_size=1", "measure.period=10000"]
    result = simulate(load(None, [*keys, "measure.max_measure_periods=1", "measure.measure_periods=1"]))
    of_pairs = np.array([(len(hops), sum(right for _, right in hops)) for hops in pairs_right((k, k), True, "plus_x")])
    passed, right = of_pairs.T
    share = right.sum() / passed.sum()
    assert share == pytest.approx(printed, abs=5e-5)
    packets = result.figures.accepted_traffic * 10_000 * k * k
    error = np.std(right - share * passed) / passed.mean() / np.sqrt(packets)
    assert error < 0.004
    assert result.document()["prediction"]["all_hops"] == pytest.approx(share, abs=4 * error)


def test_a_local_port_that_is_predicted_passes_at_once():
    """A node sends along +X, one packet at a time: its first finds the output preset for the port opposite."""
    ahead = int(np.flatnonzero((grid((5, 5), wrap=False).coordinates == (1, 0)).all(axis=1))[0])
    none, longer_x = (
        measured((5, 5), False, "static", rounds=8, pair=(0, ahead), local=local) for local in ("none", "longer_x")
    )
    assert (none.bypassed_heads, none.all_hops) == (0, 0)
    assert (longer_x.bypassed_heads, longer_x.all_hops) == (7 / 16, 1 / 2)


def test_a_port_that_knows_nothing_is_not_right():
    """The latest port is right for a pair that sends repeatedly, except for the first packet."""
    found = measured((5, 5), True, "latest", rounds=8, pair=(0, 7))
    assert found.success == 1
    assert found.all_hops == found.channels == 7 / 8
    assert sorted(share for share in found.port if share is not None) == [7 / 8] * 3
    assert found.dimension == [7 / 8] * 2


def test_what_is_not_predicted_has_no_figures():
    topology = grid((3, 3), wrap=True)
    params = SwitchParams(ports=topology.ports)
    none = prediction_figures(params, topology, np.ones((9, 5, 23), np.int64))
    assert none == PredictionFigures(None, None, None, [], [], None, None, None)


def test_the_command_shows_them(capsys):
    settings = ["topology.radix=[5,5]", "switch.routing=dimension_order", "prediction.kind=static"]
    result = simulate(load(None, [*settings, "traffic.load=0.05", "measure.period=500"]))
    Console(width=80).print(figures_table(result))
    said = capsys.readouterr().out
    predicted = result.document()["prediction"]
    for name, share in (
        ("all hops", predicted["all_hops"]),
        ("all channels", predicted["channels"]),
        ("dimension 1", predicted["dimension"][1]),
    ):
        assert f"right over {name} " in said
        assert f"{100 * share:.3f}" in said
    assert 0 < predicted["all_hops"] < predicted["channels"] == pytest.approx(predicted["success"], rel=0.01)
