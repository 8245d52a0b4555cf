"""Cables: cycles, bandwidth and lengths by kind of cable, for every family that has kinds."""

import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.topology.base import NOBODY, Topology
from sim.topology.cables import cable_ends, cable_lengths
from sim.topology.torus import grid


def build(kind, *settings):
    return load(None, [f"topology.kind={kind}", *(f"topology.{setting}" for setting in settings)]).topology.build()


def test_each_dimension_of_a_torus_has_its_cycles():
    topology = build("torus", "radix=[3, 4]", "latencies=[2, 5]", "intervals=[1, 3]", "locals=2")
    assert topology.link_latency[:, :4].tolist() == [[2, 2, 5, 5]] * 12
    assert topology.link_interval[:, :4].tolist() == [[1, 1, 3, 3]] * 12
    assert (topology.link_latency[:, 4:] == 0).all()
    assert (topology.link_interval[:, 4:] == 1).all()


def test_edges_of_a_mesh_have_no_cycles():
    topology = build("mesh", "radix=[2]", "latencies=[7]")
    assert topology.link_latency.tolist() == [[7, 0, 0], [0, 7, 0]]


def test_each_dimension_of_a_hyper_crossbar_has_its_cycles():
    topology = build("hyper_crossbar", "radix=[2, 3]", "latencies=[4, 9]")
    switch, port, peer, _ = topology.links.T
    crossbar = np.maximum(topology.crossbar[switch], topology.crossbar[peer])
    assert (topology.link_latency[switch, port] == np.array([4, 9])[crossbar]).all()
    assert (topology.with_node_ports(2).link_latency[switch, port] == topology.link_latency[switch, port]).all()


def test_each_generator_of_a_hypercube_has_its_cycles():
    topology = build("hypercube", "dimensions=2", "folded=true", "latencies=[1, 2, 8]")
    assert topology.link_latency.tolist() == [[1, 2, 8, 0]] * 4


def test_cycles_are_one_a_kind_of_cable():
    message = r"topology\.latencies = \[1\]: must be none, or 2 values: dimension 0, dimension 1"
    with pytest.raises(TsujiError, match=message):
        build("torus", "radix=[3, 4]", "latencies=[1]")
    with pytest.raises(TsujiError, match=r"topology\.intervals\[0\] = 0: .*≥ 1"):
        build("torus", "radix=[3]", "intervals=[0]")


@pytest.mark.parametrize("size", [3, 4, 5, 8])
def test_folded_rings_have_no_long_cable(size):
    """A folded ring of k has cables of 1 place at both turns, all others of 2."""
    assert cable_lengths(build("torus", f"radix=[{size}]", "spacing=1.5")) == pytest.approx(
        (1.5 * (2 * size - 2), 1.5 * (2 * size - 2) / size, 3.0)
    )


def test_cables_of_grids_by_closed_form():
    plane = cable_lengths(build("torus", "radix=[4, 6]", "spacing=1"))
    assert plane == (6 * 6 + 4 * 10, (6 * 6 + 4 * 10) / 48, 2)
    assert cable_lengths(build("mesh", "radix=[4, 6]", "spacing=2")) == (2 * (6 * 3 + 4 * 5), 2, 2)
    # The third dimension repeats the floor of the first: 2 × 2 places side by side, 2 apart.
    assert cable_lengths(build("mesh", "radix=[2, 2, 2]", "spacing=1")) == (4 + 4 + 8, 16 / 12, 2)
    assert cable_lengths(build("hypercube", "dimensions=3", "spacing=1")) == (16, 16 / 12, 2)


def test_switches_stand_on_places_of_their_own():
    for kind in ("torus", "mesh", "hypercube", "hyper_crossbar"):
        topology = build(kind, "spacing=1")
        assert len(np.unique(topology.positions, axis=0)) == topology.switches


def test_a_cable_is_both_directions_of_a_link():
    topology = grid((2, 3), wrap=True)  # rings of 2 have two cables
    ends = cable_ends(topology)
    assert len(ends) == len(topology.links) // 2 == 12
    assert (ends[:, 0] <= ends[:, 1]).all()


def test_lengths_need_a_layout():
    with pytest.raises(TsujiError, match=r"3×3 mesh: no layout; set topology\.spacing"):
        cable_lengths(grid((3, 3), wrap=False))
    with pytest.raises(TsujiError, match=r"topology\.spacing = 0: .*> 0"):
        build("torus", "spacing=0")


def test_positions_are_one_a_switch():
    plain = grid((3,), wrap=False)
    names = ("name", "peer_switch", "peer_port", "node_switch", "node_port", "addresses", "coordinates")
    parts = {name: getattr(plain, name) for name in names}
    with pytest.raises(TsujiError, match=r"3 mesh: positions of shape \(2, 2\); must be \(3, 2\) or \(3, 3\)"):
        Topology(**parts, positions=[[0, 0], [1, 0]])
    placed = Topology(**parts, positions=[[0, 0, 0], [1, 0, 2], [2, 5, 0]])
    assert cable_lengths(placed) == (11, 5.5, 8)
    with pytest.raises(ValueError, match="read-only"):
        placed.positions[0, 0] = 1


def test_folding_a_hypercube_adds_the_longest_link():
    plain, folded = build("hypercube", "dimensions=4"), build("hypercube", "dimensions=4", "folded=true")
    assert folded.generators == (*plain.generators, 15)
    assert (plain.figures.diameter, folded.figures.diameter) == (4, 2)
    assert folded.figures.bisection_channels == 2 * plain.figures.bisection_channels
    other = build("hypercube", "dimensions=3", "generators=[3, 5, 7]", "folded=true")
    assert other.generators == (3, 5, 7, 1)


def test_a_hypercube_is_folded_once():
    with pytest.raises(TsujiError, match=r"topology\.folded = true: generators = \[1, 2, 3\] are folded already"):
        build("hypercube", "dimensions=2", "generators=[1, 2, 3]", "folded=true")
    with pytest.raises(TsujiError, match=r"topology\.folded = true: dimensions = 1 has no link to add"):
        build("hypercube", "dimensions=1", "folded=true")


def test_ports_that_lead_nowhere_hold_nothing():
    topology = build("mesh", "radix=[3]", "intervals=[4]")
    assert (topology.link_interval[topology.peer_switch == NOBODY] == 1).all()
