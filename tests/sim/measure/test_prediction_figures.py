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


def enumerated(radix: tuple[int, ...], wrap: bool) -> np.ndarray:
    """Return, by input port, the hops of all pairs: number, and number that go straight on, int64 [P, 2]."""
    found = np.zeros((2 * len(radix) + 1, 2), np.int64)
    places = list(product(*map(range, radix)))
    for source, destination in product(places, places):
        if source != destination:
            for arrives, leaves in way(radix, wrap, source, destination):
                found[arrives] += 1, arrives < 2 * len(radix) and leaves == arrives ^ 1
    return found


def measured(radix: tuple[int, ...], wrap: bool, kind: str, rounds: int = 1, pair: tuple[int, int] | None = None):
    """Return the figures of packets of 3 flits between all pairs, or one pair, one packet at a time."""
    topology = grid(radix, wrap=wrap)
    topology = topology.with_addresses(topology.coordinate_tags)
    prediction = PredictionParams(kind=kind, straight_ports=2 * len(radix) if kind == "static" else None)
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
