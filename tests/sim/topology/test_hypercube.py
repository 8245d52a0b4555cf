"""Hypercubes of random generators: wiring, distances, figures and routes against the definition."""

from dataclasses import replace
from functools import reduce
from itertools import combinations
from operator import xor

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from models.errors import TsujiError
from models.jit.sets import popcount
from models.node.plane_selector import plane_tables, route_value
from models.params import SwitchParams
from models.params.planes import PlaneParams
from sim.config import load
from sim.routing.adaptive import choices
from sim.routing.deadlock import fixed_routes as deadlock
from sim.routing.dimension_order import DimensionOrder
from sim.routing.paths import hops
from sim.simulation import simulate
from sim.topology.family import FAMILIES
from sim.topology.hypercube import hypercube
from tests.sim.routing.graphs import dependency_graph


@st.composite
def cubes(draw):
    """Draw a hypercube of 1 to 5 dimensions, its generators any basis and, at times, any other vector."""
    bits = draw(st.integers(1, 5))
    generators, span = [], {0}
    for candidate in draw(st.permutations(range(1, 1 << bits))):
        if candidate not in span:
            generators.append(candidate)
            span |= {candidate ^ known for known in span}
    rest = sorted(set(range(1, 1 << bits)) - set(generators))
    if rest and draw(st.booleans()):
        generators.append(draw(st.sampled_from(rest)))
    return hypercube(bits, tuple(generators), draw(st.integers(1, 3)))


@settings(deadline=None, max_examples=60)
@given(cubes())
def test_ports_are_the_generators_then_the_nodes(topology):
    generators = topology.generators
    local_ports = topology.nodes // topology.switches
    assert topology.ports == len(generators) + local_ports
    for switch in range(topology.switches):
        for k, generator in enumerate(generators):
            assert topology.peer_switch[switch, k] == switch ^ generator
            assert topology.peer_port[switch, k] == k
        for local in range(local_ports):
            assert topology.port_node[switch, len(generators) + local] == switch * local_ports + local


@settings(deadline=None, max_examples=60)
@given(cubes())
def test_distances_are_the_weights_of_route_values(topology):
    planes = plane_tables(topology.plane)
    for switch in (0, topology.switches - 1):
        want = [popcount(route_value(switch ^ other, 0, planes)) for other in range(topology.switches)]
        assert topology.distances(switch).tolist() == want
    assert topology.figures.degree == len(topology.generators)
    assert topology.figures.diameter == topology.distances(0).max()


@settings(deadline=None, max_examples=60)
@given(cubes())
def test_routes_take_generators_in_increasing_order_on_a_shortest_way(topology):
    tables = DimensionOrder().tables(topology, 1)
    assert (hops(topology, tables) == 1 + np.stack([topology.distances(s) for s in topology.node_switch]).T).all()
    for node in range(topology.nodes):
        for start in range(topology.switches):
            switch, last = start, -1
            while switch != topology.node_switch[node]:
                assert tables.out[switch, node] > last
                last = tables.out[switch, node]
                switch = topology.peer_switch[switch, last]
            assert tables.out[switch, node] == topology.node_port[node]


@settings(deadline=None, max_examples=60)
@given(cubes(), st.integers(1, 4))
def test_dimension_order_uses_every_vc_and_is_free_of_deadlock(topology, vcs):
    tables = DimensionOrder().tables(topology, vcs)
    assert (tables.vc_first == 0).all()
    assert (tables.vc_last == vcs - 1).all()
    assert nx.is_directed_acyclic_graph(dependency_graph(topology, tables))


def test_taking_any_shortest_way_can_deadlock():
    """Shortest paths in another order: the higher generator first, for two pairs."""
    topology = hypercube(2)
    tables = DimensionOrder().tables(topology, 1)
    out = tables.out.copy()
    out[1, 2] = out[2, 1] = 1
    with pytest.raises(TsujiError, match="2-cube: these routes can deadlock; 4 channels"):
        deadlock.check(topology, replace(tables, out=out))


@settings(deadline=None, max_examples=30)
@given(cubes())
def test_adaptive_choices_are_the_links_of_shortest_ways(topology):
    masks = choices(topology)
    node = np.arange(topology.nodes)
    assert (masks[topology.node_switch, node] == 0).all()
    if len(topology.generators) == topology.plane.bits:  # only one shortest path, apart from the order
        difference = np.arange(topology.switches)[:, None] ^ topology.node_switch
        assert (masks == topology.route_values[difference]).all()


@settings(deadline=None, max_examples=30)
@given(cubes())
def test_bisection_is_the_least_cut_of_two_halves_by_parity(topology):
    bits = topology.plane.bits
    parity = [
        sum((mask & generator).bit_count() & 1 for generator in topology.generators) for mask in range(1, 1 << bits)
    ]
    assert topology.figures.bisection_channels == min(parity) * topology.switches


def test_no_bisection_of_a_small_cube_is_narrower():
    for generators in ((), (1, 2, 4, 7), (3, 5, 7), (1, 2, 4, 3)):
        topology = hypercube(3, generators)
        cuts = []
        for part in combinations(range(8), 4):
            half = np.isin(np.arange(8), part)
            cuts.append(int((half[topology.links[:, 0]] != half[topology.links[:, 2]]).sum()))
        assert topology.figures.bisection_channels == min(cuts)


@pytest.mark.parametrize("bits", [2, 4, 6])
def test_figures_of_ordinary_cubes_are_the_closed_forms(bits):
    nodes = 1 << bits
    plain, folded = hypercube(bits), hypercube(bits, (*(1 << k for k in range(bits)), nodes - 1))
    assert plain.name == f"{bits}-cube"
    assert folded.name == f"folded {bits}-cube"
    assert plain.figures[:2] == (bits, bits)
    assert plain.figures.mean_distance == pytest.approx(bits / 2 * nodes / (nodes - 1))
    assert folded.figures[:2] == (bits + 1, (bits + 1) // 2)
    assert hypercube(3, (3, 5, 7)).name == "3-cube of generators 3, 5, 7"


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 5).flatmap(lambda n: st.permutations(range(1, 1 << n))), st.data())
def test_generators_are_refused_as_planes_refuse_them(order, data):
    bits = (len(order) + 1).bit_length() - 1
    generators = (
        *order[: bits - 1],
        data.draw(st.sampled_from((0, 1 << bits, order[0], reduce(xor, order[: bits - 1])))),
    )
    with pytest.raises(ValidationError) as of_planes:
        PlaneParams(bits=bits, planes=(generators,))
    with pytest.raises(ValidationError) as of_family:
        FAMILIES.get("hypercube")(dimensions=bits, generators=generators)
    text = of_planes.value.errors()[0]["msg"].replace("planes[0]", "generators")
    assert of_family.value.errors()[0]["msg"] == text


def test_a_configuration_names_the_wrong_generator():
    settings = ["topology.kind=hypercube", "topology.dimensions=3"]
    with pytest.raises(TsujiError, match="generators: generator 6 is 3 ⊕ 5, so the generators are no basis"):
        load(None, [*settings, "topology.generators=[3, 5, 6]"])
    with pytest.raises(TsujiError, match="generators has 2 generators: must be dimensions = 3, one more if folded"):
        load(None, [*settings, "topology.generators=[3, 5]"])
    with pytest.raises(
        TsujiError, match=r'switch.routing = "dimension_order": 3-cube takes "table", "linear" or "hypercube"'
    ):
        load(None, [*settings, "switch.routing=dimension_order"])


def test_a_configuration_is_simulated():
    found = simulate(
        load(
            None,
            [
                "topology.kind=hypercube",
                "topology.dimensions=4",
                "topology.generators=[1, 2, 4, 8, 15]",
                "topology.locals=2",
                "traffic.load=0.2",
            ],
        )
    ).figures
    topology = hypercube(4, (1, 2, 4, 8, 15), 2)
    assert found.converged
    assert found.hops == pytest.approx(1 + topology.figures.mean_distance, rel=0.02)


def test_nodes_may_have_lanes():
    topology = hypercube(3, (3, 5, 7), 2).with_node_ports(2)
    assert topology.ports == 3 + 4
    tables = DimensionOrder().tables(topology, 1)
    deadlock.check(topology, tables)
    assert SwitchParams(ports=topology.ports, node_ports=2, network_ports=3).ports == 7
