"""Two planes of RTL switches, and RTL plane selectors of their nodes, against the simulator.

The selectors get the packets of the simulation and must send each on the same plane; the network of each plane must
then deliver every flit in the same cycle.
"""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.network.lockstep import RtlNetwork
from cocotb_tests.network.test_network import CYCLES, SEED, SEEDS, Record, random_packets
from cocotb_tests.runner.verilog import kept_verilog
from cocotb_tests.soak.library import Library
from hdl.node.plane_selector import PlaneSelector
from hdl.verilog import component_verilog
from models.params import AdaptiveParams, CacheParams, CamParams, LinkParams, LpiParams, SwitchParams
from models.params.planes import PlaneParams
from sim.engine.plane_choice import PlaneChooser
from sim.packets import Packets
from sim.routing.adaptive import with_choices
from sim.routing.dimension_order import DimensionOrder
from sim.topology.hypercube import Hypercube, hypercube

TOP = "tsuji_plane_selector"
ISOMORPHIC = ((), (3, 5, 7))  # the paper's table 1
FOLDED = ((1, 2, 4, 7), (1, 2, 5, 6))

# Planes, link latency in cycles, parameters of the switch.
NETWORKS: dict[str, tuple[PlaneParams, int, dict[str, Any]]] = {
    "3-cubes, cache": (PlaneParams(bits=3, planes=ISOMORPHIC, tie="hash"), 1, {}),
    "3-cubes, small cache, low-power idle": (
        PlaneParams(bits=3, planes=ISOMORPHIC, tie="alternate"),
        1,
        {"cache": CacheParams(entries=4, ways=2), "lpi": LpiParams(idle=20, sleep=8, wake=5), "vcs": 1},
    ),
    "3-cubes, adaptive": (
        PlaneParams(bits=3, planes=ISOMORPHIC),
        0,
        {"adaptive": AdaptiveParams(escape_vcs=1), "vcs": 3},
    ),
    "folded 3-cubes, cache": (PlaneParams(bits=3, planes=FOLDED, tie="alternate"), 2, {}),
    "3-cubes, computed, wake hints": (
        PlaneParams(bits=3, planes=ISOMORPHIC),
        1,
        {"routing": "hypercube", "lpi": LpiParams(idle=20, sleep=8, wake=15, hints=2)},
    ),
    "3-cubes, computed": (PlaneParams(bits=3, planes=ISOMORPHIC, tie="hash"), 1, {"routing": "hypercube"}),
}


class RtlSelectors:
    """The selectors of all nodes: one Verilated selector, reset before each node."""

    def __init__(self, planes: PlaneParams) -> None:
        self._text = kept_verilog(repr((TOP, planes)), lambda: component_verilog(PlaneSelector(planes), TOP))

    def select(self, packets: Packets, address: np.ndarray) -> dict[str, np.ndarray]:
        """Return all outputs for each packet [n]."""
        answers = {name: np.empty(len(packets), np.int64) for name in ("plane", "route", "distance")}
        library = Library(self._text, TOP, "-O0")
        inputs = library.inputs
        for node in range(len(address)):
            mine = np.flatnonzero(packets.source == node)
            rows = inputs.blank(1 + len(mine))
            values = {
                "rst": np.arange(len(rows)) == 0,
                "source": np.append(0, address[packets.source[mine]]),
                "destination": np.append(0, address[packets.destination[mine]]),
                "take": np.arange(len(rows)) > 0,
            }
            for name in values.keys() & inputs.places.keys():
                inputs.put(rows, name, values[name])
            got = library.run(rows)[1:]
            for name, answer in answers.items():
                answer[mine] = library.outputs.take(got, name).astype(np.int64)
        library.close()
        return answers


def longer(cube: Hypercube, cycles: int) -> Hypercube:
    """Return the hypercube with cables `cycles` cycles longer, as each plane has cables of its own length."""
    return replace(cube, link_latency=np.where(cube.peer_switch < 0, 0, cycles))


@pytest.mark.parametrize("name", tiered(NETWORKS, ["3-cubes, cache"]))
def test_every_packet_on_the_same_plane_and_every_flit_in_the_same_cycle(name: str, record_property: Record) -> None:
    planes, latency, options = NETWORKS[name]
    cubes = [longer(hypercube(planes.bits, planes.generators(plane)), 3 * plane) for plane in range(len(planes.planes))]
    networks, routes = [], []
    for cube in cubes:
        defaults: dict[str, Any] = {"ports": cube.ports, "data_width": 32, "cam": CamParams(entries=16)}
        computed = "routing" in options
        params = SwitchParams(**(defaults | options | (cube.computed_params if computed else {})))
        tables = DimensionOrder().tables(cube, params.escape_vcs)
        routes.append(tables.out)
        if computed:
            addressed = cube.with_addresses(cube.coordinate_tags)
            networks.append(RtlNetwork(params, LinkParams(latency=latency), addressed, None))
            continue
        if params.selects:
            tables = with_choices(cube, tables, params)
        networks.append(RtlNetwork(params, LinkParams(latency=latency), cube, tables))
    selectors = RtlSelectors(planes)
    address = cubes[0].node_switch
    flits = np.zeros(len(cubes), np.int64)
    chosen = 0
    # The last load is more than both planes can carry.
    for seed, load in itertools.product(range(SEED, SEED + SEEDS), (0.1, 0.6, 2.0)):
        packets = random_packets(len(address), load, CYCLES, np.random.default_rng((seed, int(100 * load))))
        rtl = selectors.select(packets, address)
        where = f"seed {seed}, load {load}"
        assert (rtl["plane"] == PlaneChooser(planes, address).choose_planes(packets)).all(), where
        links = rtl["route"][:, None] >> np.arange(planes.route_bits) & 1
        first = np.stack(routes)[rtl["plane"], address[packets.source], packets.destination]
        assert (first == links.argmax(axis=1)).all(), where
        assert (rtl["distance"] == links.sum(axis=1)).all(), where
        chosen += len(packets)
        for plane, network in enumerate(networks):
            result = network.compare(packets[rtl["plane"] == plane], CYCLES)
            assert not result.mismatches, f"{where}, plane {plane}: {result.first}"
            flits[plane] += result.flits
    record_property("packets by plane selectors", chosen)
    record_property("flits", int(flits.sum()))
    assert flits.min() > 8_000 * SEEDS
