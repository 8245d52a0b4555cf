"""The event-driven engine against the same model stepped in every switch in every cycle."""

import numpy as np
import pytest

from cocotb_tests.cases.tiers import tiered
from models.formats import Counter
from models.params import (
    AdaptiveParams,
    CacheParams,
    CamParams,
    LinkParams,
    LpiParams,
    PredictionParams,
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

BATCHES = {"allocator": "output_first", "vc_stage": True, "hold_packets": False}
RESERVED = AdaptiveParams(kind="step", lookahead=True, reservation=True)
HYPER = {"routing": "hyper_crossbar", "radix": (4, 3)}
CASES = {
    "cached": {},
    "cold often": {
        "cache": CacheParams(entries=4, ways=2, policy="plru"),
        "cam": CamParams(latency=9, occupancy=4, entries=16),
    },
    "no cache": {"cache": CacheParams(entries=0), "cam": CamParams(latency=4, occupancy=1, entries=16)},
    "computed": {"routing": "dimension_order", "radix": (4, 3), "wrap": True, "arbiter": "matrix"},
    "output first": {"allocator": "output_first", "vcs": 4},
    "ports first": {"allocator": "ports_first", "vcs": 4},
    "output first, computed": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "arbiter": "matrix",
        "allocator": "output_first",
        "hold_packets": False,
        "prediction": PredictionParams(kind="latest"),
    },
    "more input VCs than a word has bits": {"vcs": 16, "arbiter": "matrix"},
    "more input VCs than a word has bits, output first": {
        "vcs": 12,
        "allocator": "output_first",
        "vc_stage": True,
        "head_delay": 2,
        "prediction": PredictionParams(kind="latest"),
        "lpi": LpiParams(idle=4, sleep=3, wake=7),
    },
    "cut-through": {"buffering": "dynamic", "max_packet": 4, "vcs": 4, "hold_packets": False},
    "static": {"buffering": "static", "max_packet": 3, "vcs": 4, "depth": 4},
    "low-power idle": {"lpi": LpiParams(idle=5, sleep=9, wake=6, refresh_interval=20, refresh=3)},
    "low-power idle, computed": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "lpi": LpiParams(idle=1, sleep=1, wake=17),
    },
    "low-power idle, adaptive, slow to wake": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "vcs": 4,
        "adaptive": AdaptiveParams(),
        "lpi": LpiParams(idle=1, sleep=1, wake=40),
    },
    "wake hints": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "lpi": LpiParams(idle=9, sleep=5, wake=30, hints=2, refresh_interval=20, refresh=3),
    },
    "wake hints, predicted, speed-up": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "vcs": 4,
        "node_ports": 2,
        "speedup": 2,
        "lpi": LpiParams(idle=7, sleep=3, wake=17, hints=1),
        "prediction": PredictionParams(kind="latest"),
    },
    "wake hints, output queues": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "output_buffer": 2,
        "lpi": LpiParams(idle=7, sleep=3, wake=17, hints=3),
    },
    "wake hints, header flits": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "data_width": 8,
        "depth": 5,
        "head_delay": 2,
        "lpi": LpiParams(idle=7, sleep=3, wake=17, hints=3),
    },
    "predicted": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "prediction": PredictionParams(kind="latest"),
    },
    "predicted, cached": {
        "prediction": PredictionParams(kind="history", order=1),
        "cache": CacheParams(entries=8, ways=2),
        "cam": CamParams(latency=9, occupancy=4, entries=16),
    },
    "predicted straight, low-power idle": {
        "prediction": PredictionParams(kind="static"),
        "lpi": LpiParams(idle=4, sleep=3, wake=7),
        "vcs": 4,
        "hold_packets": False,
    },
    "stage delay": {
        "prediction": PredictionParams(kind="latest"),
        "cache": CacheParams(entries=8, ways=2),
        "stage_delay": 6,
    },
    "head delay": {"head_delay": 3, "cache": CacheParams(entries=8, ways=2)},
    "head delay, static, low-power idle": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "buffering": "static",
        "max_packet": 3,
        "depth": 5,
        "lpi": LpiParams(idle=4, sleep=3, wake=7),
        "head_delay": 2,
    },
    "VC stage": {"routing": "dimension_order", "radix": (4, 3), "wrap": True, "vcs": 4, "vc_stage": True},
    "VC stage, input first": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "vcs": 4,
        "vc_stage": True,
        "vc_allocator": "input_first",
    },
    "in batches, computed": BATCHES
    | {"routing": "dimension_order", "radix": (4, 3), "wrap": True, "ring_classes": "fixed", "vcs": 4},
    "in batches, input-first VCs, head delay": BATCHES
    | {"vcs": 3, "head_delay": 2, "stage_delay": 2, "vc_allocator": "input_first", "u_turn": True},
    "in batches, shallow, cold often": BATCHES
    | {"depth": 1, "cache": CacheParams(entries=4, ways=2), "cam": CamParams(latency=9, occupancy=4, entries=16)},
    "in batches, fifteen VCs": BATCHES | {"vcs": 15, "depth": 3},
    "of header flits, sixteen VCs": BATCHES | {"data_width": 8, "tag_width": 24, "vcs": 16, "depth": 3},
    "in batches, hyper-crossbar": BATCHES | HYPER | {"vcs": 1, "depth": 5},
    "in batches, one step, cold often": {
        "depth": 1,
        "cache": CacheParams(entries=4, ways=2),
        "cam": CamParams(latency=9, occupancy=4, entries=16),
    },
    "in batches, one step, nothing held, head delay": {
        "vcs": 3,
        "hold_packets": False,
        "head_delay": 2,
        "u_turn": True,
    },
    "in batches, one step, fifteen VCs": {"vcs": 15, "depth": 3, "stage_delay": 2},
    "in batches, one step, hyper-crossbar": HYPER | {"vcs": 1, "depth": 5},
    "in batches, one step, flexible, node_ports": {
        "buffering": "flexible",
        "node_ports": 2,
        "network_ports": 4,
        "vcs": 4,
    },
    "in batches, flexible, node_ports": BATCHES
    | {"buffering": "flexible", "node_ports": 2, "network_ports": 4, "vcs": 4},
    "speculation": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "vcs": 4,
        "allocator": "output_first",
        "vc_stage": True,
        "speculation": "equal",
        "head_delay": 1,
        "hold_packets": False,
    },
    "speculation, predicted, low-power idle": {
        "vcs": 3,
        "allocator": "ports_first",
        "vc_stage": True,
        "claim_full": False,
        "speculation": "behind",
        "prediction": PredictionParams(kind="latest"),
        "cache": CacheParams(entries=8, ways=2),
        "lpi": LpiParams(idle=4, sleep=3, wake=7),
    },
    "speculation, adaptive, speed-up": {
        "vcs": 4,
        "adaptive": AdaptiveParams(escape_vcs=2),
        "allocator": "output_first",
        "arbiter": "matrix",
        "vc_stage": True,
        "speculation": "behind",
        "speedup": 2,
        "depth": 6,
    },
    "VC stage, head delay, predicted, cached": {
        "prediction": PredictionParams(kind="latest"),
        "cache": CacheParams(entries=8, ways=2),
        "vcs": 3,
        "head_delay": 1,
        "vc_stage": True,
    },
    "head delay, adaptive, predicted": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "vcs": 4,
        "adaptive": AdaptiveParams(),
        "prediction": PredictionParams(kind="latest"),
        "head_delay": 6,
    },
    "VC stage, adaptive, speed-up": {
        "vcs": 4,
        "adaptive": AdaptiveParams(escape_vcs=2),
        "head_delay": 5,
        "vc_stage": True,
        "speedup": 2,
        "depth": 6,
    },
    "speed-up": {"speedup": 2, "depth": 6, "vcs": 4},
    "speed-up, low-power idle": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "lpi": LpiParams(idle=1, sleep=2, wake=3),
        "speedup": 3,
        "output_buffer": 2,
        "stage_delay": 1,
    },
    "speed-up, predicted": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "lpi": LpiParams(idle=4, sleep=2, wake=3),
        "prediction": PredictionParams(kind="static"),
        "speedup": 2,
        "stage_delay": 1,
    },
    "speed-up, predicted, cached": {
        "prediction": PredictionParams(kind="latest"),
        "cache": CacheParams(entries=8, ways=2),
        "lpi": LpiParams(idle=4, sleep=2, wake=3),
        "speedup": 3,
        "output_buffer": 2,
    },
    "output queues": {"output_buffer": 1, "depth": 2, "vcs": 4},
    "output queues, adaptive, dynamic, low-power idle": {
        "vcs": 4,
        "depth": 6,
        "adaptive": AdaptiveParams(escape_vcs=2),
        "buffering": "dynamic",
        "max_packet": 4,
        "lpi": LpiParams(idle=4, sleep=3, wake=7),
        "output_buffer": 2,
        "stage_delay": 1,
    },
    "output queues, predicted, low-power idle": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "depth": 3,
        "lpi": LpiParams(idle=1, sleep=2, wake=3),
        "prediction": PredictionParams(kind="static", local="plus_x"),
        "output_buffer": 3,
    },
    "output queues, predicted, cached": {
        "prediction": PredictionParams(kind="static", straight_ports=4, local="plus_x"),
        "cache": CacheParams(entries=8, ways=2),
        "vcs": 3,
        "output_buffer": 1,
    },
    "output queues, speculation, matrix": {
        "vcs": 3,
        "depth": 2,
        "allocator": "ports_first",
        "arbiter": "matrix",
        "vc_stage": True,
        "speculation": "behind",
        "output_buffer": 2,
    },
    "output queues, hyper-crossbar, adaptive": HYPER
    | {"adaptive": AdaptiveParams(kind="step", lookahead=True), "depth": 3, "output_buffer": 1},
    "output queues, hyper-crossbar, reserved": HYPER
    | {"adaptive": RESERVED, "lpi": LpiParams(idle=4, sleep=3, wake=7), "depth": 3, "output_buffer": 2},
    "node_ports": {"node_ports": 3, "network_ports": 4},
    "node_ports, predicted": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "node_ports": 2,
        "prediction": PredictionParams(kind="latest"),
    },
    "adaptive": {
        "routing": "dimension_order",
        "radix": (4, 3),
        "wrap": True,
        "vcs": 3,
        "adaptive": AdaptiveParams(),
        "lpi": LpiParams(idle=4, sleep=3, wake=7),
    },
    "adaptive, static, speed-up, low-power idle": {
        "vcs": 4,
        "depth": 5,
        "buffering": "static",
        "max_packet": 3,
        "adaptive": AdaptiveParams(escape_vcs=2),
        "lpi": LpiParams(idle=1, sleep=2, wake=3),
        "speedup": 2,
    },
    "adaptive by steps, predicted": {
        "vcs": 4,
        "network_ports": 4,
        "adaptive": AdaptiveParams(kind="step", selection="order"),
        "prediction": PredictionParams(kind="latest"),
        "lpi": LpiParams(idle=4, sleep=3, wake=7),
    },
    "hyper-crossbar, fixed": HYPER | {"vcs": 1},
    "hyper-crossbar, look-ahead, head delay, VC stage": HYPER
    | {"adaptive": AdaptiveParams(kind="step", lookahead=True), "head_delay": 2, "vc_stage": True},
    "hyper-crossbar, reservation, head delay, VC stage, low-power idle": HYPER
    | {"adaptive": RESERVED, "head_delay": 2, "vc_stage": True, "lpi": LpiParams(idle=4, sleep=3, wake=5)},
    "hyper-crossbar, reservation, static": HYPER
    | {"adaptive": RESERVED, "depth": 6, "buffering": "static", "max_packet": 4, "node_ports": 2, "speedup": 2},
    "hyper-crossbar, look-ahead": HYPER | {"adaptive": AdaptiveParams(kind="step", lookahead=True), "depth": 6},
    "hyper-crossbar, look-ahead, all": HYPER
    | {
        "adaptive": AdaptiveParams(kind="step", lookahead=True, selection="order"),
        "depth": 6,
        "buffering": "static",
        "max_packet": 4,
        "prediction": PredictionParams(kind="history", order=1),
        "lpi": LpiParams(idle=4, sleep=3, wake=5),
        "node_ports": 2,
        "speedup": 2,
        "stage_delay": 1,
    },
    "header flits": {
        "data_width": 8,
        "tag_width": 24,
        "depth": 5,
        "cache": CacheParams(entries=8, ways=8, policy="fifo"),
    },
}


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
