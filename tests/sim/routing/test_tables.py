"""Tables: the rule of the specification as data; all packets arrive by a shortest path, free of deadlock."""

from dataclasses import replace
from math import prod

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import TsujiError
from models.route.dimension_order import BY_PARITY, dimension_order_route
from sim.routing.base import Tables
from sim.routing.deadlock import fixed_routes as deadlock
from sim.routing.dimension_order import DimensionOrder
from sim.routing.paths import hops, used
from sim.topology.base import Topology
from sim.topology.torus import grid
from tests.sim.routing.graphs import dependency_graph

# Sizes of the dimensions, and which of them are rings.
SHAPES = st.lists(st.tuples(st.integers(2, 6), st.booleans()), min_size=1, max_size=3).map(
    lambda shape: tuple(tuple(column) for column in zip(*shape, strict=True))
)
MOST_SWITCHES = 72  # with all pairs of them


def rule(x, y, k, wrap, vcs):
    """Return the port offset (0: +, 1: −) and VCs in one dimension, written from the specification a second time."""
    if not wrap:
        return (0 if y > x else 1), 0, vcs - 1
    delta = (y - x) % k
    plus = 2 * delta < k or (2 * delta == k and x % 2 == 0)
    if k <= 3:
        return int(not plus), 0, vcs - 1
    before_wrap = y < x if plus else y > x
    return int(not plus), *((0, vcs // 2 - 1) if before_wrap else (vcs // 2, vcs - 1))


@settings(deadline=None, max_examples=40)
@given(SHAPES.filter(lambda shape: prod(shape[0]) <= MOST_SWITCHES), st.integers(2, 5), st.integers(1, 2))
def test_tables_hold_the_rule(shape, vcs, local_ports):
    radix, wrap = shape
    topology = grid(radix, wrap=wrap, local_ports=local_ports)
    mask = sum(1 << d for d, ring in enumerate(topology.rings) if ring)
    tables = DimensionOrder().tables(topology, vcs)
    assert tables.found.all()
    for switch in range(topology.switches):
        for node in range(topology.nodes):
            here, there = topology.coordinates[switch], topology.coordinates[topology.node_switch[node]]
            different = [d for d in range(len(radix)) if here[d] != there[d]]
            if different:
                d = different[0]
                port, first, last = rule(here[d], there[d], radix[d], topology.rings[d], vcs)
                want = 2 * d + port, first, last
            else:
                want = topology.node_port[node], 0, vcs - 1
            got = tables.out[switch, node], tables.vc_first[switch, node], tables.vc_last[switch, node]
            local = topology.node_port[node] - 2 * len(radix)
            assert got == want
            assert got == dimension_order_route(there, local, here, np.array(radix), mask, False, vcs, BY_PARITY)


@settings(deadline=None, max_examples=40)
@given(SHAPES, st.integers(1, 2))
def test_every_way_is_a_shortest_one(shape, local_ports):
    radix, wrap = shape
    topology = grid(radix, wrap=wrap, local_ports=local_ports)
    count = hops(topology, DimensionOrder().tables(topology, 2))
    for switch in range(topology.switches):
        assert (count[switch] == 1 + topology.distances(switch)[topology.node_switch]).all()


@settings(deadline=None, max_examples=40)
@given(SHAPES, st.integers(2, 4))
def test_dimension_order_is_free_of_deadlock(shape, vcs):
    radix, wrap = shape
    topology = grid(radix, wrap=wrap)
    tables = DimensionOrder().tables(topology, vcs)
    deadlock.check(topology, tables)
    assert nx.is_directed_acyclic_graph(dependency_graph(topology, tables))


def test_a_mesh_needs_one_vc_only():
    topology = grid((4, 4), wrap=False)
    deadlock.check(topology, DimensionOrder().tables(topology, 1))


@pytest.mark.parametrize("vcs", [1, 2, 4])
def test_a_ring_without_classes_is_refused_link_by_link(vcs):
    topology = grid((5,), wrap=True)
    tables = DimensionOrder().tables(topology, 2)
    everything = replace(tables, vc_first=np.zeros_like(tables.out), vc_last=np.full_like(tables.out, vcs - 1))
    with pytest.raises(TsujiError) as error:
        deadlock.check(topology, everything)
    lines = str(error.value).splitlines()
    assert lines[0].startswith("5 torus: these routes can deadlock; 5 channels")
    assert len(lines) == 6
    senders = [int(line.split()[1]) for line in lines[1:]]
    receivers = [int(line.split("→ switch ")[1].split()[0]) for line in lines[1:]]
    assert receivers == senders[1:] + senders[:1]


def test_classes_that_overlap_are_told_apart():
    topology = grid((6,), wrap=True)
    tables = DimensionOrder().tables(topology, 3)
    deadlock.check(topology, tables)
    wider = replace(tables, vc_first=np.zeros_like(tables.out))
    with pytest.raises(TsujiError, match="VC 0"):
        deadlock.check(topology, wider)


def test_the_turn_model_s_forbidden_turns_are_found():
    """Four packets, each turning left on a 2×2 mesh: the smallest deadlock with turns."""
    topology = grid((2, 2), wrap=False)
    tables = DimensionOrder().tables(topology, 1)
    out = tables.out.copy()
    out[0, 3], out[1, 2], out[3, 0], out[2, 1] = 0, 2, 1, 3
    deadlock.check(topology, tables)
    with pytest.raises(TsujiError, match="4 channels"):
        deadlock.check(topology, replace(tables, out=out))


def test_routes_nobody_meets_do_not_count():
    topology = grid((5,), wrap=True)
    names = ("name", "peer_switch", "peer_port", "coordinates")
    shared = {name: getattr(topology, name) for name in names}
    two = Topology(**shared, node_switch=[0, 1], node_port=[2, 2], addresses=[0, 1])
    out = np.zeros((5, 2), np.int8)
    out[0, 0] = out[1, 1] = 2
    tables = Tables(out, np.zeros_like(out), np.zeros_like(out), np.ones(out.shape, np.bool_))
    assert used(two, tables).sum() == 2 + 5
    deadlock.check(two, tables)


def test_a_ring_of_four_or_more_needs_two_vcs():
    with pytest.raises(TsujiError, match=r"switch.vcs = 1: a torus with a ring of 4 or more switches needs at least 2"):
        DimensionOrder().tables(grid((4, 2), wrap=True), 1)
    DimensionOrder().tables(grid((3, 2), wrap=True), 1)


def test_other_topologies_are_refused():
    mesh = grid((2, 2), wrap=False)
    names = ("name", "peer_switch", "peer_port", "node_switch", "node_port", "addresses", "coordinates")
    plain = Topology(**{name: getattr(mesh, name) for name in names})
    with pytest.raises(TsujiError, match=r'routing.kind = "dimension_order": 2×2 mesh is no torus, mesh'):
        DimensionOrder().tables(plain, 2)


def test_a_route_into_the_void_is_named():
    topology = grid((3,), wrap=False)
    tables = DimensionOrder().tables(topology, 1)
    out = tables.out.copy()
    out[2, 0] = 0
    with pytest.raises(TsujiError, match="the route at switch 2 to node 0 leaves through port 0"):
        hops(topology, replace(tables, out=out))


def test_a_route_in_circles_is_named():
    topology = grid((3,), wrap=True)
    tables = DimensionOrder().tables(topology, 1)
    out = tables.out.copy()
    out[1, 0], out[2, 0] = 0, 1
    with pytest.raises(TsujiError, match="a packet from switch 1 to node 0 goes round in circles"):
        hops(topology, replace(tables, out=out))
