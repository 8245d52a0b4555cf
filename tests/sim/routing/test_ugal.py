"""UGAL: direct while nothing is in the way, detours around congestion, and never worse than either."""

import numpy as np
import pytest

from models.errors import TsujiError
from models.params import LinkParams, SwitchParams
from sim.config import load
from sim.engine.network import Network
from sim.engine.ugal_choice import choose_ugal_path
from sim.packets import Packets
from sim.routing.base import ALGORITHMS
from sim.routing.deadlock import fixed_routes as deadlock
from sim.routing.paths import hops
from sim.routing.ugal import Ugal
from sim.simulation import simulate
from sim.topology.torus import grid
from tests.sim.topology.graphs import random_regular

TORUS = grid((4, 4), wrap=True)


@pytest.mark.parametrize("base", ["dimension_order", "minimal"])
def test_path_0_is_the_base_routing_s(base):
    tables = Ugal(base=base, paths=4).tables(TORUS, 8)
    direct = ALGORITHMS.get(base)().tables(TORUS, 4)
    away = TORUS.node_switch != np.arange(16)[:, None]
    assert (tables.out[:, ::4] == direct.out).all()
    assert (tables.vc_first[:, ::4] == direct.vc_first)[away].all()
    assert (tables.vc_last[:, ::4] == direct.vc_last)[away].all()
    assert (hops(TORUS, tables)[:, ::4] == hops(TORUS, direct)).all()
    deadlock.check(TORUS, tables)


def network(threshold=0, topology=TORUS):
    tables = Ugal(base="minimal", paths=4, threshold=threshold).tables(topology, 8)
    params = SwitchParams(ports=topology.ports, vcs=8, depth=4)
    return Network(params, LinkParams(), topology, tables, seed=3), tables


@pytest.mark.parametrize("threshold", [0, 7, 1000])
def test_the_choice_is_the_rule_s(threshold):
    """All pairs of nodes and paths, at random credits, against the rule in words."""
    net, tables = network(threshold, random_regular(3))
    length = hops(net.topology, tables)
    rng = np.random.default_rng(1)
    went = {True: 0, False: 0}
    choose = getattr(choose_ugal_path, "py_func", choose_ugal_path)
    for _ in range(400):
        source, node, drawn = int(rng.integers(16)), int(rng.integers(16)), int(rng.integers(1, 4))
        net.offer(Packets(*(np.array([x]) for x in (net.cycle, source, node, 1))))
        engine = net._engine
        credits = engine.switches.credits
        credits[:] = rng.integers(0, 5, credits.shape)
        packet = int(engine.arrivals[-1])
        engine.packets.tag[packet] = 4 * node + drawn
        choose(engine, packet, source)
        costs = []
        for column in (4 * node, 4 * node + drawn):
            used = 32 - int(credits[source, tables.out[source, column]].sum())
            costs.append(used * int(length[source, column]))
        direct = source == node or costs[0] <= costs[1] + threshold
        assert engine.packets.tag[packet] == 4 * node + (0 if direct else drawn)
        went[direct] += 1
    assert went[True] > 0
    assert (went[False] > 0) == (threshold < 1000)


def test_a_lone_packet_goes_direct():
    net, _ = network()
    pairs = np.array([(a, b) for a in range(16) for b in range(16) if a != b])
    birth = 300 * np.arange(len(pairs))
    net.offer(Packets(birth, *pairs.T, np.full(len(pairs), 3)))
    got = net.advance(300 * len(pairs) + 300)
    assert net.idle()
    distance = [1 + TORUS.distances(a)[b] for a, b in zip(got.source, got.destination, strict=True)]
    assert got.hops.tolist() == distance


def test_packets_go_around_what_is_busy():
    """All nodes of an 8-ring send in one direction, as far as a shortest path goes: half of the links are idle."""
    settings = ["topology.radix=[8,4]", "traffic.pattern=tornado", "traffic.load=0.5", "switch.vcs=8"]
    settings += ["cache.entries=1024", "measure.period=500", "measure.max_measure_periods=10", "switch.depth=8"]
    detours = ["routing.base=dimension_order", "routing.paths=8"]
    direct = simulate(load(None, settings)).figures
    ugal = simulate(load(None, [*settings, "routing.kind=ugal", *detours])).figures
    assert direct.saturated
    assert ugal.hops > direct.hops
    assert ugal.accepted_traffic > 1.1 * direct.accepted_traffic
    quiet = [*settings, "traffic.load=0.01", "measure.max_measure_periods=12"]
    lone = simulate(load(None, [*quiet, "routing.kind=ugal", *detours])).figures
    assert direct.hops <= lone.hops < 1.05 * direct.hops


def test_detours_are_few_at_low_load_and_carry_what_no_direct_path_can():
    """9 groups of 8 nodes, all to the next group: one cable for each, an eighth of a flit per node."""
    settings = ["topology.kind=dragonfly", "topology.latencies=[0,10]", "switch.vcs=4", "switch.depth=32"]
    settings += ["cache.entries=2048", "cam.latency=4", "cam.occupancy=1", "traffic.group_size=8"]
    settings += ["topology.group_switches=4", "topology.global_links=2"]
    settings += ["measure.period=500", "measure.fill_periods=4", "measure.fill_load=0.4"]
    measured = {}
    for kind in ("dragonfly", "ugal"):
        routing = ["routing.base=dragonfly", "routing.paths=16"] if kind == "ugal" else []
        for pattern, offered in (("uniform", 0.05), ("group_shift", 0.25)):
            point = [f"routing.kind={kind}", f"traffic.pattern={pattern}", f"traffic.load={offered}", *routing]
            point = [key for key in [*settings, *point] if pattern == "group_shift" or "group_size" not in key]
            measured[kind, pattern] = simulate(load(None, point)).figures
    low = measured["dragonfly", "uniform"], measured["ugal", "uniform"]
    assert low[0].packet_latency.mean <= low[1].packet_latency.mean < 1.1 * low[0].packet_latency.mean
    assert low[0].hops < low[1].hops < 1.06 * low[0].hops
    assert measured["dragonfly", "group_shift"].accepted_traffic == pytest.approx(1 / 8, rel=0.02)
    assert measured["ugal", "group_shift"].accepted_traffic == pytest.approx(0.25, rel=0.02)


def test_too_few_vcs_are_refused_by_name():
    with pytest.raises(TsujiError, match=r'3 VCs: routing.kind = "ugal" with routing.base = "minimal" needs 8 on 4×4'):
        load(None, ["topology.radix=[4,4]", "routing.kind=ugal", "switch.vcs=3"])


def test_one_address_leaves_nothing_to_choose():
    with pytest.raises(TsujiError, match=r"routing.paths = 1: Input should be greater than or equal to 2"):
        load(None, ["routing.kind=ugal", "routing.paths=1", "switch.vcs=16"])
