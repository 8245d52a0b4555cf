"""What packets hold and want: the links of their routes, whatever the number of nodes."""

from dataclasses import replace

import numpy as np
import pytest

from models.errors import TsujiError
from sim.routing.deadlock.dependency_marks import marks
from sim.routing.dimension_order import DimensionOrder
from sim.topology.torus import grid


@pytest.mark.parametrize("local_ports", [1, 5])
def test_a_row_of_three(local_ports):
    """Only the middle switch passes packets on, in both directions; the number of nodes changes no mark."""
    topology = grid((3,), wrap=False, local_ports=local_ports)
    found = marks(topology, DimensionOrder().tables(topology, 2))
    held = found.held.reshape(topology.switches, topology.ports, -1)
    assert found.ranges.tolist() == [[0, 1]]
    assert np.argwhere(held[..., 0]).tolist() == [[0, 0], [1, 0], [1, 1], [2, 1]]
    wanted = found.wanted.reshape(topology.switches, topology.ports)
    assert {(s, p): int(wanted[s, p]) for s, p in np.argwhere(wanted).tolist()} == {(0, 0): 1 << 0, (2, 1): 1 << 1}
    assert found.wanted.size == topology.switches * topology.ports


def test_two_ranges_of_a_ring():
    topology = grid((5,), wrap=True)
    found = marks(topology, DimensionOrder().tables(topology, 2))
    assert found.ranges.tolist() == [[0, 0], [1, 1]]
    assert not found.wanted[:, 1, 0].any()
    assert found.wanted[:, 0, 1].any()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("out", 3, r"tables.out\[0, 1\] = 3: must be a whole number, 0 to 2"),
        ("out", -1, r"tables.out\[0, 1\] = -1: must be"),
        ("vc_last", 16, r"tables.vc_last\[0, 1\] = 16: must be a whole number, 0 to 15"),
        ("vc_first", 2, r"tables.vc_last\[0, 1\] = 1: is below vc_first = 2"),
        (
            "out",
            2,
            "3 mesh: the route at switch 0 to node 1 leaves through port 2, where neither a switch nor",
        ),
    ],
)
def test_what_is_refused(field, value, message):
    topology = grid((3,), wrap=False)
    tables = DimensionOrder().tables(topology, 2)
    values = getattr(tables, field).astype(np.int64)
    values[0, 1] = value
    with pytest.raises(TsujiError, match=message):
        marks(topology, replace(tables, **{field: values}))
