"""O1TURN: two paths for each pair of nodes, one for each order of dimensions, on VCs of their own."""

import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.routing.deadlock import fixed_routes as deadlock
from sim.routing.o1turn import O1Turn
from sim.simulation import simulate
from sim.topology.hyperx import hyperx
from sim.topology.torus import grid

NETWORKS = [
    grid((3, 4), wrap=False),
    grid((2, 3, 4), wrap=False, local_ports=2),
    hyperx((4, 3), (1, 2), 2),
    hyperx((3, 2, 2)),
]


@pytest.mark.parametrize("vcs", [2, 5])
@pytest.mark.parametrize("topology", NETWORKS, ids=lambda topology: topology.name)
def test_dimensions_in_order_or_backwards(topology, vcs):
    tables = O1Turn().tables(topology, vcs)
    deadlock.check(topology, tables)
    half = vcs // 2
    for source in range(topology.switches):
        for column in range(2 * topology.nodes):
            node, backwards = divmod(column, 2)
            switch, changed = source, []
            while topology.port_node[switch, port := tables.out[switch, column]] < 0:
                allowed = (half, vcs - 1) if backwards else (0, half - 1)
                assert (tables.vc_first[switch, column], tables.vc_last[switch, column]) == allowed
                onward = topology.peer_switch[switch, port]
                (dimension,) = np.flatnonzero(topology.coordinates[switch] != topology.coordinates[onward])
                changed.append(int(dimension))
                switch = onward
            assert topology.port_node[switch, port] == node
            assert (tables.vc_first[switch, column], tables.vc_last[switch, column]) == (0, vcs - 1)
            assert changed == sorted(changed, reverse=bool(backwards))
            assert len(changed) == topology.distances(int(topology.node_switch[node]))[source]


def test_the_transpose_gets_twice_as_far():
    """In one order all traffic turns on the diagonal from one side."""
    settings = ["topology.kind=mesh", "switch.routing=linear", "switch.vcs=4", "traffic.pattern=transpose"]
    settings += ["traffic.load=0.22", "measure.max_measure_periods=10"]
    straight = simulate(load(None, settings)).figures
    turning = simulate(load(None, [*settings, "routing.kind=o1turn"])).figures
    assert straight.saturated
    assert not turning.saturated


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["topology.kind=torus"], 'routing.kind = "o1turn": 8×8 torus is no mesh and no HyperX; use "valiant"'),
        (["topology.kind=mesh", "switch.vcs=1"], '1 VCs: routing.kind = "o1turn" needs 2'),
        (
            ["topology.kind=mesh", "switch.routing=dimension_order"],
            'computes the routes of routing.kind = "dimension_order"',
        ),
    ],
)
def test_what_does_not_fit_is_refused(settings, message):
    with pytest.raises(TsujiError) as error:
        load(None, ["routing.kind=o1turn", *settings])
    assert message in str(error.value)
