"""Networks of RTL switches in Verilator against the simulator."""

import itertools
import os
from typing import Any

import numpy as np
import pytest

from cocotb_tests.network.lockstep import RtlNetwork
from models.params import CacheParams, CamParams, LinkParams, LpiParams, PredictionParams, SwitchParams
from sim.packets import Packets
from sim.routing.dimension_order import DimensionOrder
from sim.topology.torus import grid

SEED = int(os.environ.get("TSUJI_SEED", "1"))
SEEDS = 3
CAM = CamParams(latency=8, occupancy=4, entries=16)
COMPUTED: dict[str, Any] = {"routing": "dimension_order", "radix": (4, 4), "wrap": True}

NETWORKS: dict[str, tuple[tuple[int, ...], bool, int, dict[str, Any]]] = {
    "4x4 torus, cache": ((4, 4), True, 1, {}),
    "4x4 torus, small cache": ((4, 4), True, 0, {"cache": CacheParams(entries=4, ways=2, policy="plru"), "cam": CAM}),
    "4x4 torus, no cache": ((4, 4), True, 2, {"cache": CacheParams(entries=0), "cam": CAM, "vcs": 4}),
    "4x4 torus, computed": ((4, 4), True, 1, COMPUTED | {"arbiter": "matrix", "buffering": "dynamic", "max_packet": 4}),
    "4x4 torus, low-power idle": (
        (4, 4),
        True,
        1,
        COMPUTED | {"lpi": LpiParams(idle=5, sleep=12, wake=9), "buffering": "static", "max_packet": 4},
    ),
    "4x4 torus, predicted, cache": ((4, 4), True, 1, {"prediction": PredictionParams(kind="latest"), "vcs": 4}),
    "4x4 torus, predicted, computed": (
        (4, 4),
        True,
        0,
        COMPUTED | {"prediction": PredictionParams(kind="static"), "lpi": LpiParams(idle=20, sleep=8, wake=5)},
    ),
    "4x4 torus, stage delay": ((4, 4), True, 1, {"stage_delay": 5}),
    "4x4 torus, speed-up": ((4, 4), True, 1, COMPUTED | {"speedup": 2, "depth": 6}),
    "4x4 torus, speed-up, predicted": (
        (4, 4),
        True,
        1,
        {"speedup": 2, "depth": 6, "output_buffer": 3, "prediction": PredictionParams(kind="latest"), "vcs": 4},
    ),
    "3x2 torus, two lanes": ((3, 2), True, 1, {"lanes": 2, "network_ports": 4, "vcs": 1}),
    "4x4 torus, three lanes, computed": ((4, 4), True, 0, COMPUTED | {"lanes": 3, "speedup": 2, "depth": 6}),
    "2x3 mesh, cache": ((2, 3), False, 1, {"vcs": 1, "hold_packets": False}),
}


def random_packets(nodes: int, load: float, cycles: int, rng: np.random.Generator) -> Packets:
    """Return Bernoulli arrivals to other nodes, 1 to 6 flits."""
    birth, source = np.nonzero(rng.random((cycles, nodes)) < load / 3.5)
    destination = (source + rng.integers(1, nodes, len(birth))) % nodes
    return Packets(birth, source, destination, rng.integers(1, 7, len(birth)))


@pytest.mark.parametrize("name", NETWORKS)
def test_every_flit_in_the_same_cycle(name):
    radix, wrap, latency, options = NETWORKS[name]
    defaults: dict[str, Any] = {"data_width": 32, "cam": CamParams(entries=16)}
    topology = grid(radix, wrap=wrap).with_lanes(options.get("lanes", 1))
    params = SwitchParams(ports=topology.ports, **(defaults | options))
    tables = DimensionOrder().tables(topology, params.vcs) if params.has_cam else None
    if tables is None:
        topology = topology.with_addresses(topology.coordinate_tags)
    network = RtlNetwork(params, LinkParams(latency=latency), topology, tables)
    flits = 0
    # The caches are cold in each; the last load saturates.
    for seed, load in itertools.product(range(SEED, SEED + SEEDS), (0.05, 0.3, 1.0)):
        rng = np.random.default_rng((seed, int(100 * load)))
        result = network.compare(random_packets(topology.nodes, load, 4000, rng), 4000)
        assert not result.mismatches, f"seed {seed}, load {load}: {result.first}"
        flits += result.flits
    print(f"{name}: seeds {SEED} to {SEED + SEEDS - 1}, {flits:,} flits")
    assert flits > 50_000
