"""Valiant's paths: by the intermediate switch, without loops, and packets spread over the paths as drawn."""

import numpy as np
import pytest

from models.errors import TsujiError
from models.params import CacheParams, LinkParams, SwitchParams
from sim.analysis.zero_load import zero_load_latency
from sim.config import load
from sim.engine.network import Network
from sim.engine.path_draw import PathDraw
from sim.packets import Packets
from sim.routing.base import ALGORITHMS
from sim.routing.deadlock import fixed_routes as deadlock
from sim.routing.paths import hops
from sim.routing.valiant import Valiant, intermediate
from sim.simulation import simulate
from sim.topology.hypercube import hypercube
from sim.topology.torus import grid
from tests.sim.topology.graphs import random_regular, tree

CASES = [
    (grid((4, 4), wrap=True), "dimension_order", 4),
    (grid((4, 4), wrap=True), "minimal", 8),
    (grid((3, 4), wrap=False, local_ports=2), "dimension_order", 3),
    (hypercube(4), "dimension_order", 2),
    (random_regular(4), "minimal", 9),
    (random_regular(4), "up_down", 2),
    (tree(2, 3), "up_down", 2),
]
APART = 400


@pytest.mark.parametrize(("topology", "base", "vcs"), CASES, ids=lambda value: getattr(value, "name", None))
def test_a_way_leads_to_the_intermediate_switch_or_meets_the_way_from_there(topology, base, vcs):
    algorithm = Valiant(base=base, paths=4)
    tables = algorithm.tables(topology, vcs)
    over = intermediate(topology, 4, 1)
    there = ALGORITHMS.get(base)().tables(topology, vcs // 2)
    back = ALGORITHMS.get(base)().tables(topology, vcs - vcs // 2)

    def walk(routes, at, node):
        way = [at]
        while way[-1] != topology.node_switch[node]:
            way.append(int(topology.peer_switch[way[-1], routes.out[way[-1], node]]))
        return way

    for node in range(topology.nodes):
        for path in range(4):
            column, stop = 4 * node + path, int(topology.node_switch[over[node, path]])
            second = walk(back, stop, node)
            for source in range(topology.switches):
                at, way, vc_parts = source, [source], []
                while at != topology.node_switch[node]:
                    vc_parts.append(tables.vc_first[at, column] >= vcs // 2)
                    at = int(topology.peer_switch[at, tables.out[at, column]])
                    way.append(at)
                first = [switch for switch in way if switch not in second]
                assert way == first + second[len(second) - len(way) + len(first) :]
                assert first == walk(there, source, over[node, path])[: len(first)]
                assert vc_parts == [False] * len(first) + [True] * (len(way) - 1 - len(first))


@pytest.mark.parametrize(("topology", "base", "vcs"), CASES, ids=lambda value: getattr(value, "name", None))
def test_ways_arrive_and_are_free_of_deadlock(topology, base, vcs):
    tables = Valiant(base=base, paths=8, seed=5).tables(topology, vcs)
    assert tables.paths == 8
    assert (tables.nodes == np.repeat(np.arange(topology.nodes), 8)).all()
    hops(topology, tables)
    deadlock.check(topology, tables)
    ends = tables.out[topology.node_switch[tables.nodes], np.arange(len(tables.nodes))]
    assert (ends == topology.node_port[tables.nodes]).all()


def test_intermediate_switches_differ():
    over = intermediate(grid((4, 4), wrap=True), 8, 3)
    assert all(len({node, *row}) == 9 for node, row in enumerate(over.tolist()))
    assert (over != intermediate(grid((4, 4), wrap=True), 8, 4)).any()
    assert intermediate(grid((2,), wrap=False), 4, 1).tolist() == [[1] * 4, [0] * 4]
    crowded = grid((3,), wrap=False, local_ports=5)
    assert (np.sort(intermediate(crowded, 2, 1) // 5, axis=1)[::5] == [[1, 2], [0, 2], [0, 1]]).all()
    assert len(np.unique(intermediate(crowded, 2, 1))) == 15
    assert (np.bincount(intermediate(grid((5, 5), wrap=True, local_ports=2), 8, 1).ravel()) == 8).all()


def test_a_shifted_pattern_is_spread_over_all_links():
    """Every node sends to the one 2 further up in its ring: without detours one link in four carries all packets."""
    topology = grid((5, 5), wrap=True)
    destination = (topology.coordinates + [2, 0]) % 5 @ [1, 5]
    peak = {}
    for kind, algorithm in [("direct", ALGORITHMS.get("dimension_order")()), ("valiant", Valiant(paths=16))]:
        tables = algorithm.tables(topology, 8)
        load = np.zeros((topology.switches, topology.ports))
        for source, node in enumerate(destination):
            for path in range(tables.paths):
                at, column = source, node * tables.paths + path
                while at != node:
                    load[at, tables.out[at, column]] += 1 / tables.paths
                    at = topology.peer_switch[at, tables.out[at, column]]
        peak[kind] = load.max() / load[topology.peer_switch >= 0].mean()
    assert peak["direct"] == 4
    assert peak["valiant"] < 2.5


@pytest.mark.parametrize("paths", [1, 4])
def test_a_lone_packet_takes_its_path_in_the_closed_form_s_time(paths):
    topology = grid((4, 4), wrap=True)
    params, link = SwitchParams(ports=5, vcs=4, depth=6, cache=CacheParams(entries=0)), LinkParams()
    tables = Valiant(base="dimension_order", paths=paths).tables(topology, 4)
    network = Network(params, link, topology, tables, seed=9)
    pairs = np.array([(a, b) for a in range(16) for b in range(16) if a != b] * paths)
    birth = APART * np.arange(len(pairs))
    packets = Packets(birth, *pairs.T, np.full(len(pairs), 4))
    path = PathDraw(16, 0, paths, 9).draw(packets)
    network.offer(packets)
    got = network.advance(APART * len(pairs))
    assert network.idle()
    assert (got.hops == hops(topology, tables)[got.source, got.destination * paths + path]).all()
    assert (got.eject - got.enter == zero_load_latency(params, link, got.hops, got.size)).all()


def test_paths_are_drawn_evenly_and_by_source_alone():
    source = np.tile(np.arange(4), 4000)
    packets = Packets(np.arange(16000), source, (source + 1) % 4, np.full(16000, 1))
    whole = PathDraw(4, 0, 8, 1).draw(packets)
    assert np.bincount(whole, minlength=8).min() > 1800
    draw = PathDraw(4, 0, 8, 1)
    parts = [draw.draw(packets[slice(begin, begin + 777)]) for begin in range(0, 16000, 777)]
    assert (np.concatenate(parts) == whole).all()
    assert (PathDraw(4, 0, 8, 1).draw(packets[source == 2]) == whole[source == 2]).all()
    assert (PathDraw(4, 0, 8, 2).draw(packets) != whole).any()
    assert set(PathDraw(4, 1, 4, 2).draw(packets).tolist()) == {1, 2, 3}


def test_a_run_is_the_same_for_a_seed_and_takes_the_detours():
    settings = ["topology.radix=[4,4]", "routing.kind=valiant", "routing.base=dimension_order", "switch.vcs=4"]
    settings += ["cache.entries=256", "measure.period=500", "traffic.load=0.1"]
    config = load(None, settings)
    assert config.switch.cam.entries == 1024
    figures = simulate(config).figures
    assert figures._replace(wall_s=0) == simulate(config).figures._replace(wall_s=0)
    direct = simulate(load(None, [settings[0], *settings[3:]])).figures
    assert figures.hops > 1.3 * direct.hops
    assert figures.converged
    assert figures.dropped == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["switch.vcs=3"], r'3 VCs: routing.kind = "valiant" with routing.base = "minimal" needs 8 on 4×4 torus'),
        (["switch.vcs=3", "routing.base=dimension_order"], r'routing.base = "dimension_order" needs 4 on 4×4 torus'),
        (["switch.vcs=8", "routing.paths=3"], "routing.paths = 3: must be a power of two up to 256"),
        (["switch.vcs=8", "adaptive.kind=escape", "adaptive.escape_vcs=7"], r"leave out \[adaptive\]"),
        (["switch.vcs=9", "adaptive.escape_vcs=8", "routing.paths=1"], r"leave out \[adaptive\]"),
        (["switch.vcs=8", "switch.routing=dimension_order"], r'routing.kind = "valiant": switch.routing'),
        (["switch.vcs=8", "cam.entries=32"], r"cam.entries = 32: 16 nodes with 4 addresses each do not fit.* least 64"),
    ],
)
def test_what_does_not_fit_is_refused(settings, message):
    with pytest.raises(TsujiError, match=message):
        simulate(load(None, ["topology.radix=[4,4]", "routing.kind=valiant", *settings]))


def test_tables_grow_with_the_addresses():
    settings = ["topology.radix=[16,16]", "routing.kind=valiant", "routing.base=dimension_order", "switch.vcs=4"]
    assert load(None, [*settings, "routing.paths=16"]).switch.cam.entries == 4096
    with pytest.raises(TsujiError, match="64×32 torus has 2048 nodes of 256 addresses; the largest"):
        load(None, [*settings, "topology.radix=[64,32]", "routing.paths=256"])
