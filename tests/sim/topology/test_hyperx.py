"""HyperX: wiring by definition, figures by closed form."""

from collections import Counter
from math import prod

import networkx as nx
import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.routing.dimension_order import DimensionOrder
from sim.topology.hyperx import HyperXFamily, hyperx
from tests.sim.topology.least_cut import least_cut

NETWORKS = [((4,), (), 1), ((2, 3), (), 2), ((3, 4), (2, 1), 1), ((2, 2, 3), (1, 3, 2), 2), ((5, 5), (), 3)]


@pytest.mark.parametrize(("radix", "copies", "local_ports"), NETWORKS)
def test_switches_are_neighbours_if_one_coordinate_differs(radix, copies, local_ports):
    network = hyperx(radix, copies, local_ports)
    copies = copies or (1,) * len(radix)
    wired = Counter((switch, peer) for switch, _, peer, _ in network.links.tolist())
    for a in range(network.switches):
        for b in range(network.switches):
            differing = np.flatnonzero(network.coordinates[a] != network.coordinates[b])
            assert wired[a, b] == (copies[differing[0]] if len(differing) == 1 else 0)


@pytest.mark.parametrize(("radix", "copies", "local_ports"), NETWORKS)
def test_ports_go_by_dimension_then_coordinate(radix, copies, local_ports):
    network = hyperx(radix, copies, local_ports)
    for switch in range(network.switches):
        own, want = network.coordinates[switch], []
        for dimension, size in enumerate(radix):
            others = [x for x in range(size) if x != own[dimension]]
            want += [(dimension, x) for x in others for _ in range((copies or [1] * len(radix))[dimension])]
        for port, (dimension, x) in enumerate(want):
            assert network.first_port[dimension] <= port < network.first_port[dimension + 1]
            assert network.coordinates[network.peer_switch[switch, port], dimension] == x
        local = network.port_node[switch, len(want) :]
        assert (local == switch * local_ports + np.arange(local_ports)).all()


@pytest.mark.parametrize(("radix", "copies", "local_ports"), NETWORKS)
def test_figures_are_the_closed_forms(radix, copies, local_ports):
    figures = hyperx(radix, copies, local_ports).figures
    copies = copies or (1,) * len(radix)
    nodes = prod(radix) * local_ports
    assert figures.degree == sum(k * (size - 1) for k, size in zip(copies, radix, strict=True))
    assert figures.diameter == len(radix)
    mean = sum(1 - 1 / size for size in radix) * nodes / (nodes - 1)
    assert figures.mean_distance == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize(
    ("radix", "copies", "channels"),
    [
        ((4,), (), 8),
        ((8,), (2,), 64),
        ((2, 3), (), 6),
        ((2, 4), (), 8),
        ((2, 4), (3, 1), 16),
        ((2, 2, 2), (), 8),
        ((2, 5), (), 10),
        ((4, 3), (3, 4), 72),
    ],
)
def test_bisection_is_the_least_cut(radix, copies, channels):
    network = hyperx(radix, copies)
    assert network.figures.bisection_channels == least_cut(network) == channels


def test_no_closed_form_where_the_narrowest_dimension_is_odd():
    assert hyperx((3, 4)).figures.bisection_channels is None


def test_it_is_the_graph_product_of_complete_graphs():
    want = nx.cartesian_product(nx.complete_graph(3), nx.complete_graph(4))
    network = hyperx((3, 4))
    assert nx.is_isomorphic(nx.Graph(network.links[:, [0, 2]].tolist()), want)


def test_each_dimension_has_its_cycles():
    network = HyperXFamily(radix=(3, 2), multiplicity=(1, 2), latencies=(4, 6), intervals=(1, 5), locals=2).build()
    assert network.link_latency.tolist() == [[4, 4, 6, 6, 0, 0]] * 6
    assert network.link_interval.tolist() == [[1, 1, 5, 5, 1, 1]] * 6


@pytest.mark.parametrize(("radix", "copies", "nodes"), [((8, 8), (2, 2), 1), ((4, 2), (2, 1), 2), ((3, 4), (3, 2), 4)])
def test_dimension_order_uses_all_parallel_cables_alike(radix, copies, nodes):
    network = hyperx(radix, copies, nodes)
    out = DimensionOrder().tables(network, 1).out
    for switch in range(network.switches):
        used = np.bincount(out[switch], minlength=network.ports)
        for dimension in range(len(radix)):
            ports = used[slice(*network.first_port[dimension : dimension + 2])]
            by_neighbour = ports.reshape(-1, copies[dimension])
            assert (by_neighbour.max(axis=1) - by_neighbour.min(axis=1) <= 1).all()
            assert by_neighbour.sum(axis=1).min(initial=1) > 0


def test_a_longer_cable_takes_longer():
    """2 cycles, and 3 for each switch in between; diagonally, 5 for each."""
    network = HyperXFamily(radix=(4, 3), multiplicity=(1, 2), latencies=(2, 0), passing_latencies=(3, 5)).build()
    for switch, port, peer, _ in network.links.tolist():
        (x, y), (u, v) = network.coordinates[switch], network.coordinates[peer]
        want = 2 + 3 * (abs(x - u) - 1) if y == v else 5 * (abs(y - v) - 1)
        assert network.link_latency[switch, port] == want
    assert not network.link_latency[network.peer_switch < 0].any()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            ["passing_latencies=[2]"],
            r"topology\.passing_latencies = \[2\]: must be none, or one for each of radix = \[",
        ),
        (["multiplicity=[2]"], r"topology\.multiplicity = \[2\]: must be none, or one for each of radix = \[8, 8\]"),
        (["radix=[40, 40]"], r"topology\.radix = \[40, 40\]: switches of 79 ports; at most 62"),
        (["radix=[]"], r"topology\.radix = "),
    ],
)
def test_bad_networks_are_refused_by_name(settings, message):
    with pytest.raises(TsujiError, match=message):
        load(None, ["topology.kind=hyperx", *(f"topology.{setting}" for setting in settings)])
