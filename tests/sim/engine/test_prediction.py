"""Prediction in a network: a lone packet, cycle by cycle, against microarchitecture.md."""

import numpy as np
import pytest

from models.formats import Counter
from models.params import CamParams, LinkParams, PredictionParams, SwitchParams
from sim.engine.network import Network
from sim.packets import Packets
from sim.routing.dimension_order import DimensionOrder
from sim.topology.torus import grid

NODES = 8


def line(routing: str, latency: int, kind: str = "static", speedup: int = 1) -> Network:
    """Return a row of switches with one node each."""
    topology = grid((NODES,), wrap=False)
    computed = {"routing": "dimension_order", "radix": (NODES,)} if routing == "computed" else {}
    params = SwitchParams(
        ports=3,
        depth=16,
        cam=CamParams(entries=16),
        prediction=PredictionParams(kind=kind),
        speedup=speedup,
        **computed,
    )
    tables = None if computed else DimensionOrder().tables(topology, params.vcs)
    if computed:
        topology = topology.with_addresses(topology.coordinate_tags)
    return Network(params, LinkParams(latency=latency), topology, tables)


def alone(network: Network, source: int, destination: int, flits: int) -> int:
    """Send one packet, and return its network latency."""
    network.offer(Packets(*(np.array([value]) for value in (network.cycle, source, destination, flits))))
    delivered = network.advance(400)
    return int(delivered.eject[0] - delivered.enter[0])


@pytest.mark.parametrize("speedup", [1, 2, 4])
@pytest.mark.parametrize("latency", [0, 1, 3])
@pytest.mark.parametrize(("routing", "unpredicted"), [("computed", 2), ("cached", 3)])
def test_straight_on_a_hop_takes_a_cycle(routing, unpredicted, latency, speedup):
    network = line(routing, latency, speedup=speedup)
    for source in range(NODES):  # fill every cache with all destinations
        for destination in set(range(NODES)) - {source}:
            alone(network, source, destination, 1)
    for source, destination, flits in ((0, 7, 1), (0, 7, 4), (6, 1, 4), (2, 5, 9)):
        hops = abs(destination - source) + 1
        # The node's own input has no prediction, and at the last switch "straight on" is wrong: both hops are slow.
        cycles = 2 * unpredicted + (hops - 2) + (hops - 1) * latency + (flits - 1) * speedup
        assert alone(network, source, destination, flits) == cycles, (source, destination, flits)


@pytest.mark.parametrize(("routing", "unpredicted"), [("computed", 2), ("cached", 3)])
def test_latest_port_learns_the_way(routing, unpredicted):
    network = line(routing, 1, "latest")
    first = alone(network, 0, 7, 4)
    before = network.counters()
    second = alone(network, 0, 7, 4)
    counted = (network.counters() - before).sum(axis=(0, 1))
    hops = 8
    # Now every switch, the first and the last included, has the same connection as before.
    bubble = routing == "cached"  # the flit behind a speculative head waits one cycle, once
    assert second == hops + (hops - 1) + 3 + bubble
    assert first > second
    assert counted[Counter.PREDICT_RIGHT] == counted[Counter.BYPASS_HEADS] == hops
    assert counted[Counter.PREDICT_WRONG] == counted[Counter.BYPASS_SQUASHED] == 0
