"""Minimal routing of dragonflies: local, global, local, with two VCs."""

import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.routing.deadlock import fixed_routes as deadlock
from sim.routing.dragonfly import DragonflyRouting, local_links
from sim.routing.minimal import Minimal
from sim.routing.paths import hops
from sim.routing.valiant import Valiant
from sim.simulation import simulate
from sim.topology.family import FAMILIES
from sim.topology.torus import grid
from tests.sim.topology.graphs import link_load

SHAPES = [
    {},
    {"groups": 5},
    {"group_switches": 3, "global_links": 1},
    {"group_switches": 2, "global_links": 3, "groups": 4},
]


def dragonfly(shape):
    return FAMILIES.get("dragonfly").model_validate(shape).build()


def links_of(topology, tables, source, column):
    """Return the links of a path, l (local) or g (global) each."""
    at, way = int(topology.node_switch[source]), ""
    while at != topology.node_switch[column // tables.paths]:
        port = tables.out[at, column]
        way += "l" if local_links(topology)[at, port] else "g"
        at = int(topology.peer_switch[at, port])
    return way


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("vcs", [2, 3])
def test_ways_are_local_global_local_and_free_of_deadlock(shape, vcs):
    topology = dragonfly(shape)
    tables = DragonflyRouting().tables(topology, vcs)
    deadlock.check(topology, tables)
    group = topology.coordinates[topology.node_switch, 0]
    for source in range(0, topology.nodes, 3):
        for node in range(topology.nodes):
            way = links_of(topology, tables, source, node)
            assert way in ({"", "l"} if group[source] == group[node] else {"g", "lg", "gl", "lgl"})


def test_one_class_less_deadlocks():
    topology = dragonfly({})
    tables = DragonflyRouting().tables(topology, 2)
    tables.vc_first[:], tables.vc_last[:] = 0, 1
    with pytest.raises(deadlock.DeadlockError, match="cycle in the channel dependency graph"):
        deadlock.check(topology, tables)


def test_global_cables_are_loaded_alike():
    topology = dragonfly({})
    pairs = link_load(topology, DragonflyRouting().tables(topology, 2))
    cables = pairs[(pairs >= 0) & ~local_links(topology)]
    assert (cables == 8 * 8).all()  # the pairs of nodes of two groups
    longest = hops(topology, DragonflyRouting().tables(topology, 2))[topology.node_switch]
    shortest = hops(topology, Minimal().tables(topology, 3))[topology.node_switch]
    assert (longest >= shortest).all()
    assert (longest > shortest).any()


def test_it_is_a_base_of_detours():
    topology = dragonfly({})
    algorithm = Valiant(base="dragonfly", paths=4)
    assert algorithm.least_vcs(topology) == 4
    tables = algorithm.tables(topology, 4)
    deadlock.check(topology, tables)
    ways = {links_of(topology, tables, source, 4 * 40 + path) for source in range(topology.nodes) for path in range(4)}
    assert max(way.count("g") for way in ways) == 2
    assert np.max(hops(topology, tables)[topology.node_switch]) <= 7


def test_what_does_not_fit_is_refused():
    with pytest.raises(TsujiError, match=r'routing.kind = "dragonfly": 4×4 torus is no dragonfly; use "minimal"'):
        DragonflyRouting().check(grid((4, 4), wrap=True), 2)
    with pytest.raises(TsujiError, match=r'1 VCs: routing.kind = "dragonfly" needs 2'):
        DragonflyRouting().check(dragonfly({}), 1)


def test_the_next_group_s_traffic_fills_one_cable_and_goes_around_it():
    """8 nodes of a group send to the next group: an eighth of a flit each over one cable; more by others."""
    settings = ["topology.kind=dragonfly", "switch.vcs=4", "switch.depth=16", "cache.entries=2048", "traffic.load=0.25"]
    settings += ["traffic.pattern=group_shift", "traffic.group_size=8", "measure.fill_load=0.05"]
    direct = simulate(load(None, [*settings, "routing.kind=dragonfly"])).figures
    assert direct.saturated
    assert direct.accepted_traffic == pytest.approx(1 / 8, rel=0.01)
    detours = ["routing.kind=valiant", "routing.base=dragonfly", "routing.paths=16"]
    around = simulate(load(None, [*settings, *detours])).figures
    assert around.accepted_traffic == pytest.approx(0.25, rel=0.02)
