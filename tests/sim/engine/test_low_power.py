"""Extreme idle times: a link that never sleeps equals one without low-power idle, and 0 means one cycle."""

import numpy as np
import pytest

from models.formats import Counter
from models.params import AdaptiveParams, CamParams, LinkParams, LpiParams, PredictionParams, SwitchParams
from sim.config import load
from sim.engine.counters import BY_HINT, HINT_USED, WAITED
from sim.engine.network import Network
from sim.packets import Packets
from sim.routing.adaptive import with_choices
from sim.routing.dimension_order import DimensionOrder
from sim.simulation import simulate
from sim.topology.torus import grid

CYCLES = 1500
SWITCHES = {
    "cached": {"cam": CamParams(entries=16)},
    "computed, predicted": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "prediction": PredictionParams(),
    },
    "adaptive, speed-up": {
        "cam": CamParams(entries=16),
        "vcs": 3,
        "adaptive": AdaptiveParams(escape_vcs=2),
        "speedup": 2,
    },
    "adaptive, output queues": {
        "cam": CamParams(entries=16),
        "vcs": 3,
        "depth": 2,
        "adaptive": AdaptiveParams(escape_vcs=2),
        "output_buffer": 1,
    },
}


def run(switch, lpi):
    """Return all packets, cycle by cycle, and the counters of a torus that is loaded, empty, and loaded again."""
    topology = grid((4, 3), wrap=True)
    params = SwitchParams(ports=topology.ports, lpi=lpi, **SWITCHES[switch])
    tables = None
    if params.has_cam:
        tables = DimensionOrder().tables(topology, params.escape_vcs)
        tables = with_choices(topology, tables, params) if params.selects else tables
    else:
        topology = topology.with_addresses(topology.coordinate_tags)
    rng = np.random.default_rng(1)
    birth = np.sort(np.concatenate((rng.integers(0, 100, 300), rng.integers(500, 900, 300))))
    source = rng.integers(0, topology.nodes, len(birth))
    destination = (source + rng.integers(1, topology.nodes, len(birth))) % topology.nodes
    network = Network(params, LinkParams(), topology, tables, log=100_000)
    network.offer(Packets(birth, source, destination, rng.integers(1, 7, len(birth))))
    network.advance(CYCLES)
    # Events of one cycle have no order: switches are visited in the order of a list.
    return network.log[np.lexsort(network.log.T[::-1])], network.counters()


def power(counters):
    return counters[..., Counter.LINK_ACT : Counter.LINK_WAKES + 1]


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_link_that_never_sleeps_changes_nothing(switch):
    log, counters = run(switch, None)
    never, counted = run(switch, LpiParams.model_validate({"idle": "never", "sleep": 20, "wake": 30}))
    assert len(log) > 1500
    assert np.array_equal(log, never)
    others = [counter for counter in Counter if not Counter.LINK_ACT <= counter <= Counter.LINK_WAKES]
    assert np.array_equal(counters[..., others], counted[..., others])
    assert (counted[..., Counter.LINK_ACT] == CYCLES).all()
    assert not power(counted)[..., 1:].any()
    asleep, counted = run(switch, LpiParams(idle=150, sleep=20, wake=30))
    assert counted[..., Counter.LINK_WAKES].any()
    assert not np.array_equal(log, asleep)


def test_idle_times_of_0_and_1_are_the_same():
    none, one, two = (run("cached", LpiParams(idle=idle, sleep=3, wake=4)) for idle in (0, 1, 2))
    assert np.array_equal(none[0], one[0])
    assert np.array_equal(none[1], one[1])
    assert not np.array_equal(power(one[1]), power(two[1]))


def test_with_never_a_measurement_is_that_without():
    settings = ["topology.radix=[4,4]", "traffic.load=0.2", "measure.period=300"]
    off = simulate(load(None, settings)).figures
    never = simulate(load(None, [*settings, "lpi.idle=never"])).figures
    assert never.links.act == 1
    assert never.links.wakes == 0
    assert off._replace(links=never.links, wall_s=0) == never._replace(wall_s=0)


@pytest.mark.parametrize(("hints", "waits"), [(0, 5), (1, 3), (2, 2), (3, 2), (4, 1), (15, 1)])
def test_a_lone_packet_waits_once_for_the_links_that_a_hint_wakes(hints, waits):
    """Four links and the node's own sleep; the packet waits for the first of each `hints` + 1.

    A hint gains a cycle per switch on the packet, which spends one there with its route known, and loses one at last.
    """
    wake = 100
    waited = waits * (wake + 1) - (waits - 1) * hints
    topology = grid((9,), wrap=True)
    topology = topology.with_addresses(topology.coordinate_tags)
    latency, counts = [], []
    for lpi in (None, LpiParams(idle=50, sleep=20, wake=wake, hints=hints)):
        params = SwitchParams(ports=3, routing="dimension_order", radix=(9,), wrap=True, lpi=lpi)
        network = Network(params, LinkParams(latency=3), topology, None)
        network.offer(Packets(*(np.array([value]) for value in (500, 0, 4, 3))))
        (packet,) = network.advance(2000).eject
        latency.append(int(packet))
        counts = network.wakes()
    assert latency[1] - latency[0] == waited
    assert counts[..., WAITED].sum() == waited
    assert counts[..., BY_HINT].sum() == counts[..., HINT_USED].sum() == (4 if hints else 0)


def test_a_hint_that_comes_too_early_is_not_used():
    """With T_lt = 1 a link is asleep again when the packet comes."""
    topology = grid((9,), wrap=True)
    topology = topology.with_addresses(topology.coordinate_tags)
    lpi = LpiParams(idle=1, sleep=20, wake=100, hints=1)
    params = SwitchParams(ports=3, routing="dimension_order", radix=(9,), wrap=True, lpi=lpi)
    network = Network(params, LinkParams(latency=3), topology, None)
    network.offer(Packets(*(np.array([value]) for value in (500, 0, 4, 3))))
    network.advance(3000)
    counts = network.wakes().sum(axis=(0, 1))
    assert counts[BY_HINT] == 4
    assert counts[HINT_USED] == 0
    assert counts[WAITED] > 5 * 101
