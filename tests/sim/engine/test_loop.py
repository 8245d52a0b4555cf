"""The event-driven engine against the same model stepped in every switch in every cycle."""

import numpy as np
import pytest

from cocotb_tests.cases.tiers import tiered
from models.formats import Counter
from models.params import (
    CamParams,
    LinkParams,
    SwitchParams,
)
from sim.engine.counters import read_counters
from sim.engine.network import Network
from sim.packets import Packets
from sim.routing.adaptive import with_choices
from sim.routing.dimension_order import DimensionOrder
from sim.topology.hyper_crossbar import HyperCrossbar, hyper_crossbar
from sim.topology.torus import grid
from tests.sim.engine.everywhere import everywhere
from tests.sim.engine.loop_cases import CASES

LATENCIES = [0, 1, 3]
EVERY = [(case, latency) for case in CASES for latency in LATENCIES]
USUAL = [(case, LATENCIES[number % 3]) for number, case in enumerate(CASES)]  # all cases, each with one latency


@pytest.mark.parametrize(("case", "latency"), tiered(EVERY, USUAL))
def test_sleeping_changes_nothing(case, latency):
    options = {"cam": CamParams(entries=16)} | CASES[case]
    network = hyper_crossbar((4, 3)) if options.get("routing") == "hyper_crossbar" else grid((4, 3), wrap=True)
    topology = network.with_node_ports(options.get("node_ports", 1))
    ports = topology.exchanger_ports if isinstance(topology, HyperCrossbar) else topology.ports
    params = SwitchParams(ports=ports, **options)
    tables = None
    if params.has_cam:
        tables = DimensionOrder().tables(topology, params.escape_vcs)
        tables = with_choices(topology, tables, params) if params.selects else tables
    else:
        topology = topology.with_addresses(topology.coordinate_tags)
    rng = np.random.default_rng(latency)
    cycles, count = 560, 490
    birth = np.sort(np.concatenate((rng.integers(0, 175, count // 2), rng.integers(0, cycles, count - count // 2))))
    source = rng.integers(0, topology.nodes, count)
    destination = (source + rng.integers(1, topology.nodes, count)) % topology.nodes
    packets = Packets(birth, source, destination, rng.integers(3 if params.header_flits > 1 else 1, 7, count))
    link = LinkParams(latency=latency)
    batches = case.startswith("in batches")
    network = Network(params, link, topology, tables, log=100_000, simd=batches)
    assert network._engine.switches.k.batched == batches
    network.offer(packets)
    log, state = everywhere(network, link, packets, cycles)
    network.advance(cycles)
    got = sorted(tuple(batch) for batch in network.log.tolist() if batch[1] < cycles)
    assert got == sorted(tuple(int(x) for x in batch) for batch in log if batch[1] < cycles)
    assert len(got) > 1050
    counters = np.empty_like(state.counters)
    read_counters(state, cycles, counters)
    same = network.counters() == counters
    assert same[..., : Counter.CAM_MERGED].all()
    assert same[..., Counter.LINK_ACT :].all()
    assert (counters[..., Counter.LINK_WAKES].sum() > 0) == (params.lpi is not None)


@pytest.mark.parametrize("stage", [False, True])
def test_waits_that_begin_on_many_ports_at_once(stage):
    """More heads arrive at a switch in a cycle than it can record waits: one is enough."""
    topology = grid((2,), wrap=False, local_ports=20)
    topology = topology.with_addresses(topology.coordinate_tags)
    params = SwitchParams(
        ports=topology.ports, vcs=4, routing="dimension_order", radix=(2,), head_delay=1, vc_stage=stage
    )
    rng = np.random.default_rng(1)
    count, cycles = 1200, 600
    source = rng.integers(0, topology.nodes, count)
    destination = (source + rng.integers(1, topology.nodes, count)) % topology.nodes
    packets = Packets(np.sort(rng.integers(0, 40, count)), source, destination, np.ones(count, np.int64))
    network = Network(params, LinkParams(latency=0), topology, None, log=100_000)
    network.offer(packets)
    log, _ = everywhere(network, LinkParams(latency=0), packets, cycles)
    network.advance(cycles)
    got = sorted(tuple(batch) for batch in network.log.tolist() if batch[1] < cycles)
    assert got == sorted(tuple(int(x) for x in batch) for batch in log if batch[1] < cycles)
    assert len(got) > count
