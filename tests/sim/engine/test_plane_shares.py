"""Shares of planes, and the link loads that follow, equal those of the packets that nodes send."""

import numpy as np
import pytest

from models.params.planes import PlaneParams
from sim.analysis.channel_load import configured_loads
from sim.config import load
from sim.engine.plane_choice import PlaneChooser
from sim.packets import Packets

CUBES = ((1, 2, 4, 8), (7, 11, 13, 14))


@pytest.mark.parametrize("tie", ["hash", "alternate", "lowest"])
def test_shares_are_those_of_many_packets(tie):
    chooser = PlaneChooser(PlaneParams(bits=4, planes=CUBES, tie=tie), np.arange(16))
    shares = chooser.shares()
    assert np.allclose(shares.sum(axis=0), 1)
    rng = np.random.default_rng(1)
    source, destination = rng.integers(0, 16, (2, 60_000))
    n = len(source)
    chosen = chooser.choose_planes(Packets(np.arange(n), source, destination, np.ones(n, np.int64)))
    found = np.bincount(chosen, minlength=2) / n
    expected = shares.mean(axis=(1, 2))
    assert found == pytest.approx(expected, abs=0.01)
    nearer = np.array([[int(a ^ b).bit_count() for a in range(16)] for b in range(16)])
    assert (shares[0][nearer == 1] == 1).all()


def test_loads_of_planes_add_up_to_the_hops():
    """Flits over links, summed over both planes, are the mean distance of the nearer plane."""
    cubes = ["topology.kind=hypercube", "topology.dimensions=4", f"planes.generators={list(map(list, CUBES))}"]
    config = load(None, cubes)
    topology, loads = configured_loads(config)
    links = topology.peer_switch >= 0
    assert loads[links].sum() / topology.nodes == pytest.approx(topology.figures.mean_distance)
    assert loads[~links].sum() == pytest.approx(topology.nodes)
