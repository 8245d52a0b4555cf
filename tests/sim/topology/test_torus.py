"""Tori and meshes: properties that hold for all of them, on random ones."""

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import TsujiError
from models.params import SwitchParams
from sim.topology.base import NOBODY, Topology
from sim.topology.family import FAMILIES
from sim.topology.torus import grid

GRIDS = st.builds(
    lambda shape, local_ports: grid(
        tuple(k for k, _ in shape), wrap=tuple(ring for _, ring in shape), local_ports=local_ports
    ),
    st.lists(st.tuples(st.integers(2, 6), st.booleans()), min_size=1, max_size=3),
    st.integers(1, 3),
)


@settings(deadline=None, max_examples=60)
@given(GRIDS)
def test_every_link_has_two_ends_that_agree(topology):
    for switch, port, peer, peer_port in topology.links:
        assert (topology.peer_switch[peer, peer_port], topology.peer_port[peer, peer_port]) == (switch, port)


@settings(deadline=None, max_examples=60)
@given(GRIDS)
def test_ports_are_those_of_the_specification(topology):
    switches = prod(topology.radix)
    assert topology.peer_switch.shape == (switches, topology.first_local + topology.nodes // switches)
    for d, k in enumerate(topology.radix):
        for port, step in ((2 * d, 1), (2 * d + 1, -1)):
            for switch in range(switches):
                want = topology.coordinates[switch].copy()
                want[d] += step
                peer = topology.peer_switch[switch, port]
                if not topology.rings[d] and not 0 <= want[d] < k:
                    assert peer == NOBODY
                    assert topology.peer_port[switch, port] == NOBODY
                else:
                    want[d] %= k
                    assert (topology.coordinates[peer] == want).all()
                    assert topology.peer_port[switch, port] == port ^ 1


@settings(deadline=None, max_examples=60)
@given(GRIDS)
def test_nodes_sit_on_the_local_ports(topology):
    nodes = np.arange(topology.nodes)
    assert (topology.node_switch == nodes // (topology.nodes // topology.switches)).all()
    assert (topology.port_node[topology.node_switch, topology.node_port] == nodes).all()
    assert (topology.port_node >= 0).sum() == topology.nodes
    assert not ((topology.port_node >= 0) & (topology.peer_switch >= 0)).any()
    assert (topology.addresses == nodes).all()


@settings(deadline=None, max_examples=40)
@given(GRIDS)
def test_figures_are_those_of_the_closed_forms(topology):
    def apart(k, ring):
        x = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
        return np.minimum(x, k - x) if ring else x

    each = [apart(k, ring) for k, ring in zip(topology.radix, topology.rings, strict=True)]

    figures = topology.figures
    assert figures.diameter == sum(int(distances.max()) for distances in each)
    mean = sum(distances.mean() for distances in each) * topology.nodes / (topology.nodes - 1)
    assert figures.mean_distance == pytest.approx(mean)
    if all(topology.rings):
        assert figures.degree == 2 * len(topology.radix)


@pytest.mark.parametrize(("radix", "wrap", "channels"), [((8, 8), True, 32), ((8, 8), False, 16), ((4, 2), False, 4)])
def test_bisection_counts_channels_across_the_longest_dimension(radix, wrap, channels):
    topology = grid(radix, wrap=wrap)
    half = topology.coordinates[:, 0] < radix[0] // 2
    crossing = half[topology.links[:, 0]] != half[topology.links[:, 2]]
    assert topology.figures.bisection_channels == crossing.sum() == channels


@settings(deadline=None, max_examples=60)
@given(GRIDS)
def test_coordinate_tags_are_the_switch_s_bit_fields(topology):
    params = SwitchParams(
        ports=topology.ports, routing="dimension_order", radix=topology.radix, wrap=topology.wrap, tag_width=16
    )
    bits, tags = params.coordinate_bits, topology.coordinate_tags
    assert len(set(tags.tolist())) == topology.nodes
    for node, tag in enumerate(tags):
        for d, width in enumerate(bits):
            assert tag & ((1 << width) - 1) == topology.coordinates[topology.node_switch[node], d]
            tag >>= width
        assert tag == topology.node_port[node] - 2 * len(bits)


def test_arrays_cannot_be_written():
    topology = grid((3, 3), wrap=True)
    with pytest.raises(ValueError, match="read-only"):
        topology.peer_switch[0, 0] = 5


def parts(**changes):
    topology = grid((3,), wrap=False)
    names = ("name", "peer_switch", "peer_port", "node_switch", "node_port", "addresses", "coordinates")
    return {name: getattr(topology, name) for name in names} | changes


def test_one_way_wiring_is_refused():
    peers = grid((3,), wrap=False).peer_switch.copy()
    peers[0, 0] = 2
    with pytest.raises(TsujiError, match="3 mesh: switch 0 port 0 leads to switch 2 port 1, which leads to switch 1"):
        Topology(**parts(peer_switch=peers))


def test_two_nodes_on_one_port_are_refused():
    with pytest.raises(TsujiError, match="two nodes sit on one port"):
        Topology(**parts(node_switch=[0, 0, 2]))


def test_a_node_on_a_link_is_refused():
    with pytest.raises(TsujiError, match="a port that leads to a switch"):
        Topology(**parts(node_port=[0, 2, 2]))


def test_one_address_for_two_nodes_is_refused():
    with pytest.raises(TsujiError, match="two nodes have one address"):
        Topology(**parts(addresses=[0, 1, 1]))


def test_families_are_found_by_name():
    assert {"mesh", "torus"} <= set(FAMILIES.names())
    assert FAMILIES.get("mesh")(radix=(2, 3), locals=2).build().nodes == 12
    names = ", ".join(FAMILIES.names())
    with pytest.raises(TsujiError, match=rf"topology.kind = 'tours': must be one of {names}$"):
        FAMILIES.get("tours")
