"""Several local ports per node: their throughput and wiring."""

import numpy as np
import pytest

from models.errors import TsujiError
from models.params import LinkParams, SwitchParams
from sim.config import load
from sim.engine.network import Network
from sim.packets import Packets
from sim.routing.dimension_order import DimensionOrder
from sim.simulation import simulate
from sim.topology.base import NOBODY
from sim.topology.torus import grid


def torus(node_ports, **options):
    topology = grid((4, 4), wrap=True).with_node_ports(node_ports)
    given = {"network_ports": 4, "depth": 8} if node_ports > 1 else {"depth": 8}
    params = SwitchParams(ports=topology.ports, node_ports=node_ports, vcs=4, **given, **options)
    return Network(params, LinkParams(), topology, DimensionOrder().tables(topology, params.vcs))


def flits_a_cycle(network, source, destination, size=4):
    """Return the delivered flits per cycle if all packets wait from the beginning."""
    count = 500
    source = np.repeat(np.array(source), count)
    network.offer(Packets(np.zeros_like(source), source, np.full_like(source, destination), np.full_like(source, size)))
    network.advance(500)  # fill the caches
    return network.advance(2000).flits / 2000


@pytest.mark.parametrize("node_ports", [1, 2])
def test_a_hotspot_takes_a_flit_a_cycle_and_lane(node_ports):
    taken = flits_a_cycle(torus(node_ports), range(1, 16), 0)
    assert 0.95 * node_ports < taken <= node_ports


@pytest.mark.parametrize("node_ports", [1, 2, 3, 4])
def test_waiting_packets_go_to_the_lanes_that_are_idle(node_ports):
    network = torus(node_ports)
    count, size = 7, 4
    destination = np.resize([6, 4, 9, 1], count)
    network.offer(Packets(np.zeros(count, np.int64), np.full(count, 5), destination, np.full(count, size)))
    assert sorted(network.advance(300).enter) == [1 + size * (packet // node_ports) for packet in range(count)]


def test_wiring():
    topology = grid((3, 2), wrap=True, local_ports=2).with_node_ports(3)
    assert (topology.ports, topology.network_ports, topology.nodes, topology.node_ports) == (10, 4, 12, 3)
    assert topology.port_node[1].tolist() == [NOBODY] * 4 + [2, 2, 2, 3, 3, 3]
    assert [part[6:12].tolist() for part in topology.local_ends] == [[1] * 6, [4, 5, 6, 7, 8, 9]]
    plain = grid((3, 2), wrap=True, local_ports=2)
    assert (topology.coordinate_tags == plain.coordinate_tags).all()
    assert topology.figures == plain.figures
    assert plain.with_node_ports(1) is plain
    with pytest.raises(TsujiError, match="one port per node"):
        topology.with_node_ports(2)


def test_configuration_follows_the_lanes():
    config = load(None, ["switch.node_ports=3"])
    assert (config.switch.ports, config.switch.network_ports) == (7, 4)
    for written in ("3.0", '"3"'):
        assert load(None, [f"switch.node_ports={written}"]).switch == config.switch
    for refused in ("2.5", "[2]", "5", "many"):
        with pytest.raises(TsujiError, match=r"^--set .*: switch\.node_ports = [^\n]*; allowed: .*≥ 1 and ≤ 4$"):
            load(None, [f"switch.node_ports={refused}"])
    computed = load(None, ["switch.node_ports=3", "switch.routing=dimension_order"])
    assert (computed.switch.ports, computed.switch.network_ports, computed.switch.first_local) == (7, None, 4)
    with pytest.raises(TsujiError, match=r"switch.node_ports = 5.*≤ 4"):
        load(None, ["switch.node_ports=5"])
    with pytest.raises(TsujiError, match=r"switch.network_ports = 3: .* needs 4"):
        load(None, ["switch.node_ports=2", "switch.network_ports=3"])


@pytest.mark.parametrize("node_ports", [1, 2])
def test_loads_above_one_flit_a_cycle(node_ports):
    small = ["topology.radix=[3,3]", "switch.vcs=4", "switch.depth=8", "switch.routing=dimension_order"]
    quick = [
        "measure.measure_periods=5",
        "measure.max_measure_periods=5",
        "traffic.load=1.3",
        f"switch.node_ports={node_ports}",
    ]
    figures = simulate(load(None, [*small, *quick])).figures
    assert figures.saturated == (node_ports == 1)
    if node_ports == 2:
        assert figures.accepted_traffic == pytest.approx(1.3, rel=0.02)


def test_a_network_of_another_number_of_lanes_is_refused():
    topology = grid((4, 4), wrap=True).with_node_ports(2)
    params = SwitchParams(ports=6, node_ports=1)
    with pytest.raises(TsujiError, match=r"switch.node_ports = 1.*2 ports per node"):
        Network(params, LinkParams(), topology, DimensionOrder().tables(topology, 2))
