"""One switch with all nodes."""

import pytest

from models.errors import TsujiError
from sim.config import load
from sim.simulation import simulate
from sim.topology.single_switch import SingleSwitch


def test_every_port_has_a_node():
    network = SingleSwitch(locals=5).build()
    assert (network.switches, network.ports, network.nodes) == (1, 5, 5)
    assert network.port_node.tolist() == [[0, 1, 2, 3, 4]]
    assert not len(network.links)
    assert network.figures[:3] == (0, 0, 0.0)


def test_too_many_nodes_are_refused():
    with pytest.raises(TsujiError, match=r"topology.locals = 63: .*less than or equal to 62"):
        load(None, ["topology.kind=single_switch", "topology.locals=63"])


@pytest.mark.parametrize("routing", ["minimal", "up_down"])
def test_packets_pass_one_switch(routing):
    settings = ["topology.kind=single_switch", f"routing.kind={routing}", "traffic.load=0.2", "cache.entries=0"]
    found = simulate(load(None, [*settings, "switch.routing=linear"])).figures
    assert found.hops == 1
    assert found.accepted_traffic == pytest.approx(0.2, rel=0.1)
