"""Networks of RTL switches in Verilator against the simulator."""

import itertools
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.network.lockstep import RtlNetwork
from models.params import (
    AdaptiveParams,
    CacheParams,
    CamParams,
    LinkParams,
    LpiParams,
    PredictionParams,
    SwitchParams,
)
from sim.packets import Packets
from sim.routing.adaptive import with_choices
from sim.routing.dimension_order import DimensionOrder
from sim.routing.ternary_entries import with_ternary_addresses
from sim.routing.up_down import UpDown
from sim.topology.base import Topology
from sim.topology.computed import ComputedTopology
from sim.topology.coordinates import CoordinateTopology
from sim.topology.dragonfly import DragonflyFamily
from sim.topology.fat_tree import fat_tree
from sim.topology.hyper_crossbar import HyperCrossbar, hyper_crossbar
from sim.topology.hypercube import hypercube
from sim.topology.hyperx import HyperX, HyperXFamily
from sim.topology.random_regular import random_regular
from sim.topology.torus import grid
from sim.traffic.injection import ONE_A_PORT, Injection

Record = Callable[[str, int], None]
SEED = int(os.environ.get("TSUJI_SEED", "1"))
SEEDS = int(os.environ.get("TSUJI_SEEDS", "1"))
FULL = "TSUJI_SEEDS" in os.environ  # `make networks` runs all networks, at full size
RADIX = (4, 4) if FULL else (4, 2)  # half the switches take half the build time
CYCLES = 4000 if FULL else 2000
CAM = CamParams(latency=8, occupancy=4, entries=16)
TERNARY = CamParams(latency=7, occupancy=2, entries=16, match="ternary")
TORUS = grid(RADIX, wrap=True)
# Cables whose length is the distance of their switches' numbers: 1, 3, 4 and 12 cycles more.
UNEVEN = replace(
    TORUS,
    link_latency=np.where(TORUS.peer_switch < 0, 0, np.abs(TORUS.peer_switch - np.arange(TORUS.switches)[:, None])),
)
RINGS = grid((5, 4) if FULL else (5,), wrap=True)
HYPER_CROSSBAR = hyper_crossbar(RADIX)
FOLDED_CUBE = hypercube(3, (3, 5, 7, 6))
COMPUTED: dict[str, Any] = {"routing": "dimension_order", "radix": RADIX, "wrap": True}
FIXED: dict[str, Any] = COMPUTED | {"radix": RINGS.radix, "ring_classes": "fixed"}
LOOKAHEAD: dict[str, Any] = {
    "routing": "hyper_crossbar",
    "radix": RADIX,
    "adaptive": AdaptiveParams(kind="step", lookahead=True),
}
RESERVED = AdaptiveParams(kind="step", lookahead=True, reservation=True)
CUBE: dict[str, Any] = {"routing": "hypercube", "radix": (2, 2, 2)}
LATEST = PredictionParams(kind="latest")

# Conditions under which the engine matches switches in batches.
BATCHED: dict[str, Any] = {"allocator": "output_first", "head_delay": 1, "vc_stage": True, "hold_packets": False}
BOOKSIM = COMPUTED | BATCHED | {"vcs": 4, "ring_classes": "fixed"}

# Topology, link latency in cycles, parameters of the switch.
NETWORKS: dict[str, tuple[Topology, int, dict[str, Any]]] = {
    "torus, cache": (TORUS, 1, {}),
    "torus, small cache": (TORUS, 0, {"cache": CacheParams(entries=4, ways=2, policy="plru"), "cam": CAM}),
    "torus, no cache": (TORUS, 2, {"cache": CacheParams(entries=0), "cam": CAM, "vcs": 4}),
    "torus, cache, links of 2 to 13 cycles": (UNEVEN, 1, {"vcs": 4}),
    "torus, computed": (TORUS, 1, COMPUTED | {"arbiter": "matrix", "buffering": "dynamic", "max_packet": 4}),
    "torus, low-power idle": (
        TORUS,
        1,
        COMPUTED | {"lpi": LpiParams(idle=5, sleep=12, wake=9), "buffering": "static", "max_packet": 4},
    ),
    "torus, wake hints, links of 2 to 13 cycles": (
        UNEVEN,
        1,
        COMPUTED | {"lpi": LpiParams(idle=12, sleep=9, wake=25, hints=3), "ties": "random", "vcs": 4},
    ),
    "3x3 mesh, wake hints": (
        grid((3, 3), wrap=False),
        0,
        {"routing": "dimension_order", "radix": (3, 3), "lpi": LpiParams(idle=6, sleep=5, wake=14, hints=1)}
        | {"vcs": 1, "data_width": 8, "depth": 3, "speedup": 2},
    ),
    "folded 3-cube, wake hints": (
        FOLDED_CUBE,
        2,
        CUBE
        | FOLDED_CUBE.computed_params
        | {"lpi": LpiParams(idle=10, sleep=5, wake=20, hints=2), "prediction": LATEST},
    ),
    "torus, predicted, cache": (TORUS, 1, {"prediction": LATEST}),
    "torus, predicted, computed": (
        TORUS,
        0,
        COMPUTED | {"prediction": PredictionParams(kind="static"), "lpi": LpiParams(idle=20, sleep=8, wake=5)},
    ),
    "torus, fixed classes": (RINGS, 1, FIXED | {"vcs": 3, "depth": 3}),
    "torus, fixed classes, predicted": (RINGS, 0, FIXED | {"vcs": 4, "prediction": LATEST}),
    "torus, adaptive, computed": (TORUS, 1, COMPUTED | {"vcs": 4, "adaptive": AdaptiveParams()}),
    "torus, adaptive, cache, low-power idle": (
        TORUS,
        1,
        {"vcs": 3, "adaptive": AdaptiveParams(escape_vcs=2), "lpi": LpiParams(idle=20, sleep=8, wake=5)},
    ),
    "torus, adaptive, predicted, cache": (
        TORUS,
        0,
        {"vcs": 4, "adaptive": AdaptiveParams(escape_vcs=2, selection="order"), "prediction": LATEST},
    ),
    "hyper-crossbar, fixed": (HYPER_CROSSBAR, 1, LOOKAHEAD | {"adaptive": None, "vcs": 1}),
    "hyper-crossbar, adaptive, flexible": (HYPER_CROSSBAR, 1, LOOKAHEAD | {"buffering": "flexible", "depth": 8}),
    "hyper-crossbar, adaptive, static": (
        HYPER_CROSSBAR,
        0,
        LOOKAHEAD | {"buffering": "static", "max_packet": 4, "depth": 6},
    ),
    "hyper-crossbar, routes alone, static": (
        HYPER_CROSSBAR,
        1,
        LOOKAHEAD
        | {"adaptive": AdaptiveParams(kind="step", lookahead=True, selection="route"), "node_ports": 2}
        | {"buffering": "static", "max_packet": 6, "depth": 9},
    ),
    "hyper-crossbar, adaptive, dynamic": (
        HYPER_CROSSBAR,
        2,
        LOOKAHEAD | {"buffering": "dynamic", "max_packet": 4, "depth": 6, "arbiter": "matrix"},
    ),
    "hyper-crossbar, reserved, static": (
        HYPER_CROSSBAR,
        1,
        LOOKAHEAD | {"adaptive": RESERVED, "buffering": "static", "max_packet": 4, "depth": 6, "node_ports": 2},
    ),
    "hyper-crossbar, reserved, VC stage, low-power idle": (
        HYPER_CROSSBAR,
        1,
        LOOKAHEAD | {"adaptive": RESERVED, "vc_stage": True, "lpi": LpiParams(idle=20, sleep=8, wake=5), "depth": 8},
    ),
    "hyper-crossbar, adaptive, predicted, low-power idle": (
        HYPER_CROSSBAR,
        1,
        LOOKAHEAD | {"prediction": LATEST, "lpi": LpiParams(idle=20, sleep=8, wake=5)},
    ),
    "hyper-crossbar, adaptive, node_ports, speed-up, stage delay": (
        HYPER_CROSSBAR,
        1,
        LOOKAHEAD | {"node_ports": 2, "speedup": 2, "stage_delay": 3, "depth": 6},
    ),
    "folded 3-cube, computed": (FOLDED_CUBE, 1, CUBE | FOLDED_CUBE.computed_params),
    "folded 3-cube, adaptive, predicted": (
        FOLDED_CUBE,
        0,
        CUBE | FOLDED_CUBE.computed_params | {"adaptive": AdaptiveParams(kind="step"), "prediction": LATEST},
    ),
    "2x3 mesh, cache": (grid((2, 3), wrap=False), 1, {"vcs": 1, "hold_packets": False}),
    "torus, ties drawn": (TORUS, 1, BOOKSIM | {"ties": "random"}),
    "ring beside lines, ties drawn": (
        grid(RADIX, wrap=(True, False)),
        1,
        COMPUTED | {"wrap": (True, False), "ties": "random", "ring_classes": "fixed", "vcs": 4},
    ),
    "torus, ties drawn, linear, predicted": (
        TORUS,
        0,
        {"routing": "linear", "table_entries": 4 * TORUS.nodes, "prediction": LATEST},
    ),
    "torus, stage delay": (TORUS, 1, {"stage_delay": 5}),
    "torus, as BookSim2 has it": (TORUS, 1, BOOKSIM),
    "2-ary 3-tree, linear, batched": (
        fat_tree(2, 3),
        1,
        {"routing": "linear", "table_entries": 8, "vcs": 2} | BATCHED | {"head_delay": 0},
    ),
    "random graph, cache, batched": (random_regular(10, 3, seed=3), 2, {"vcs": 3} | BATCHED),
    "torus, speculation": (TORUS, 1, BOOKSIM | {"allocator": "ports_first", "speculation": "behind"}),
    "torus, VC stage, cache, predicted": (TORUS, 2, {"prediction": LATEST, "vcs": 3, "vc_stage": True}),
    "torus, speed-up": (TORUS, 1, COMPUTED | {"speedup": 2, "depth": 6}),
    "torus, speed-up, predicted": (
        TORUS,
        1,
        {"speedup": 2, "depth": 6, "output_buffer": 3, "prediction": LATEST, "vcs": 4},
    ),
    "torus, output queues": (TORUS, 1, {"depth": 2, "output_buffer": 1, "vcs": 4}),
    "torus, output queues, predicted, local ports too": (
        TORUS,
        1,
        COMPUTED | {"prediction": PredictionParams(kind="static", local="plus_x"), "depth": 3, "output_buffer": 2},
    ),
    "mesh, predicted, local ports too": (
        grid(RADIX, wrap=False),
        0,
        COMPUTED | {"wrap": False, "prediction": PredictionParams(kind="static", local="longer_x")},
    ),
    "hyper-crossbar, adaptive, output queues": (HYPER_CROSSBAR, 0, LOOKAHEAD | {"depth": 2, "output_buffer": 1}),
    "hyper-crossbar, reserved, output queues, low-power idle": (
        HYPER_CROSSBAR,
        1,
        LOOKAHEAD | {"adaptive": RESERVED, "lpi": LpiParams(idle=20, sleep=8, wake=5), "depth": 4, "output_buffer": 3},
    ),
    "3x2 torus, two node_ports": (grid((3, 2), wrap=True), 1, {"node_ports": 2, "network_ports": 4, "vcs": 1}),
    "torus, three node_ports, computed": (TORUS, 0, COMPUTED | {"node_ports": 3, "speedup": 2, "depth": 6}),
    "2-ary 3-tree, cache": (fat_tree(2, 3), 1, {}),
    "3x2 HyperX, linear, links of 1 to 5 cycles": (
        HyperXFamily(radix=(3, 2), multiplicity=(2, 1), latencies=(0, 4), passing_latencies=(2, 0)).build(),
        1,
        {"routing": "linear", "table_entries": 8, "speedup": 2, "depth": 6},
    ),
    "3x2 HyperX, computed, links of 1 to 5 cycles": (
        HyperXFamily(radix=(3, 2), latencies=(0, 4), passing_latencies=(2, 0)).build(),
        1,
        {"routing": "hyperx", "radix": (3, 2), "vcs": 2, "adaptive": AdaptiveParams(kind="step")},
    ),
    "3 groups of 2, a dragonfly, computed, links of 1 to 5 cycles": (
        DragonflyFamily(group_switches=2, global_links=1, arrangement="relative", latencies=(0, 4)).build(),
        1,
        {"routing": "dragonfly", "radix": (2, 3), "arrangement": "relative", "prediction": LATEST},
    ),
    "2-ary 3-tree, computed, adaptive": (
        fat_tree(2, 3),
        1,
        {
            "routing": "fat_tree",
            "radix": (2, 2, 2),
            "vcs": 3,
            "adaptive": AdaptiveParams(escape_vcs=1),
            "vc_stage": True,
        },
    ),
    "torus, ternary, small cache": (
        TORUS,
        1,
        {"cache": CacheParams(entries=4, ways=2), "cam": TERNARY},
    ),
    "torus, ternary, adaptive, no cache": (
        RINGS,
        0,
        {"cache": CacheParams(entries=0), "cam": TERNARY, "vcs": 4, "adaptive": AdaptiveParams(escape_vcs=2)},
    ),
    "2-ary 3-tree, ternary, predicted": (
        fat_tree(2, 3),
        1,
        {"cam": TERNARY.model_copy(update={"entries": 8}), "prediction": LATEST},
    ),
    "2-ary 3-tree, linear, adaptive": (
        fat_tree(2, 3),
        1,
        {"routing": "linear", "table_entries": 8, "vcs": 3, "adaptive": AdaptiveParams(escape_vcs=1), "vc_stage": True}
        | {"vc_allocator": "input_first"},
    ),
    "random graph, adaptive, dynamic, cache": (
        random_regular(10, 3, seed=3),
        1,
        {"vcs": 3, "adaptive": AdaptiveParams(escape_vcs=1), "buffering": "dynamic", "max_packet": 4},
    ),
}

# Networks whose tables have one route for each way a tie is drawn; computed routes have `ties`.
COINS = ("torus, ties drawn, linear, predicted",)

# Latency of credits, where it differs from that of flits.
CREDITS = {
    "torus, as BookSim2 has it": 0,
    "torus, cache, links of 2 to 13 cycles": 4,
    "torus, predicted, computed": 2,
}

# Nodes that do not send one packet at a time on each local port.
INJECTIONS = {
    "torus, as BookSim2 has it": Injection(packets_at_once=2, think_time=9),
    "torus, computed": Injection(packets_at_once=2),
    "torus, low-power idle": Injection(think_time=11),
    "torus, three node_ports, computed": Injection(packets_at_once=4),
    "hyper-crossbar, routes alone, static": Injection(packets_at_once=1),
    "hyper-crossbar, adaptive, node_ports, speed-up, stage delay": Injection(packets_at_once=3),
}

HANDFUL = (
    "torus, as BookSim2 has it",
    "torus, cache, links of 2 to 13 cycles",
    "torus, low-power idle",
    "torus, wake hints, links of 2 to 13 cycles",
    "hyper-crossbar, reserved, VC stage, low-power idle",
    "2-ary 3-tree, linear, adaptive",
    "torus, ternary, small cache",
    "2-ary 3-tree, ternary, predicted",
    "folded 3-cube, adaptive, predicted",
)


def random_packets(nodes: int, load: float, cycles: int, rng: np.random.Generator) -> Packets:
    """Return Bernoulli arrivals to other nodes, packets of 1 to 6 flits."""
    birth, source = np.nonzero(rng.random((cycles, nodes)) < load / 3.5)
    destination = (source + rng.integers(1, nodes, len(birth))) % nodes
    return Packets(birth, source, destination, rng.integers(1, 7, len(birth)))


@pytest.mark.parametrize("name", tiered(NETWORKS, HANDFUL))
def test_every_flit_in_the_same_cycle(name: str, record_property: Record) -> None:
    topology, latency, options = NETWORKS[name]
    defaults: dict[str, Any] = {"data_width": 32, "cam": CamParams(entries=16)}
    topology = topology.with_node_ports(options.get("node_ports", 1))
    ports = topology.exchanger_ports if isinstance(topology, HyperCrossbar) else topology.ports
    params = SwitchParams(**({"ports": ports} | defaults | options))
    tables = None
    if params.ternary:
        topology = with_ternary_addresses(topology)
    if params.programmed:
        by_dimension = DimensionOrder(ties="random" if name in COINS else "parity")
        routing = by_dimension if isinstance(topology, CoordinateTopology | HyperX) else UpDown()
        tables = routing.tables(topology, params.escape_vcs)
        if params.selects:
            tables = with_choices(topology, tables, params)
    else:
        assert isinstance(topology, ComputedTopology)
        topology = topology.with_addresses(topology.coordinate_tags)
    link = LinkParams(latency=latency, credit_latency=CREDITS.get(name))
    # Where links sleep, compare all counters, including phase residency: the energy account reads them.
    network = RtlNetwork(params, link, topology, tables, INJECTIONS.get(name, ONE_A_PORT), counters=bool(params.lpi))
    flits = 0
    # The caches are cold at each load; the last load saturates.
    for seed, load in itertools.product(range(SEED, SEED + SEEDS), (0.05, 0.3, 1.0)):
        rng = np.random.default_rng((seed, int(100 * load)))
        result = network.compare(random_packets(topology.nodes, load, CYCLES, rng), CYCLES)
        assert not result.mismatches, f"seed {seed}, load {load}: {result.first}"
        flits += result.flits
        assert (result.counted > 0) == (params.lpi is not None)
    record_property("flits", flits)
    assert flits > 3 * CYCLES * SEEDS
