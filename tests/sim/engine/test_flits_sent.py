"""Flits by link and VC: every flit that crosses a link or reaches a node is counted."""

import numpy as np
import pytest

from models.formats import Counter
from models.params import CamParams, LinkParams, PredictionParams, SwitchParams
from sim.engine.network import Network
from sim.packets import Packets
from sim.routing.dimension_order import DimensionOrder
from sim.topology.torus import grid

TORUS = grid((4, 3), wrap=True)
CASES = {
    "computed": {"routing": "dimension_order", "radix": (4, 3), "wrap": True},
    "predicted, cached": {"prediction": PredictionParams(kind="latest"), "vcs": 3},
    "speed-up": {"speedup": 2, "depth": 6},
}


@pytest.mark.parametrize("case", CASES)
def test_flits_by_link_and_vc(case):
    params = SwitchParams(ports=TORUS.ports, cam=CamParams(entries=16), **CASES[case])
    if params.has_cam:
        network = Network(params, LinkParams(), TORUS, DimensionOrder().tables(TORUS, 2))
    else:
        network = Network(params, LinkParams(), TORUS.with_addresses(TORUS.coordinate_tags), None)
    assert not network.flits_sent().any()
    rng = np.random.default_rng(3)
    source = rng.integers(0, 12, 200)
    destination = (source + rng.integers(1, 12, 200)) % 12
    birth = np.sort(rng.integers(0, 300, 200))
    network.offer(Packets(birth, source, destination, rng.integers(1, 6, 200)))
    delivered = network.advance(150).flits
    middle = network.flits_sent()
    assert (middle.sum(axis=2) == network.counters()[..., Counter.FLITS_OUT]).all()
    delivered += network.advance(2000).flits
    assert network.idle()
    sent = network.flits_sent()
    assert (sent >= middle).all()
    assert sent.shape == (12, TORUS.ports, params.vcs)
    assert (sent.sum(axis=2) == network.counters()[..., Counter.FLITS_OUT]).all()
    nodes = TORUS.local_ends
    assert sent.sum() - sent[nodes].sum() == network.flit_hops
    assert sent[nodes].sum() == delivered
    assert not sent[:, :, 2:].any(), "routes name VCs 0 and 1"


def test_a_packet_s_way_is_its_flits():
    params = SwitchParams(ports=TORUS.ports, routing="dimension_order", radix=(4, 3), wrap=True)
    network = Network(params, LinkParams(), TORUS.with_addresses(TORUS.coordinate_tags), None)
    network.offer(Packets(np.array([0]), np.array([0]), np.array([2]), np.array([5])))
    (hops,) = network.advance(100).hops
    sent = network.flits_sent().sum(axis=2)
    assert sorted(sent[sent > 0].tolist()) == [5] * hops
    assert sent[TORUS.node_switch[2], TORUS.node_port[2]] == 5
