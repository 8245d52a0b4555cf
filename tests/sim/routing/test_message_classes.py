"""Routes of message classes: those of the base algorithm, on the VCs of the class, at addresses of their own."""

import numpy as np
import pytest

from models.errors import TsujiError
from sim.config import load
from sim.routing.deadlock.fixed_routes import DeadlockError, check
from sim.routing.dimension_order import DimensionOrder
from sim.routing.message_classes import ByMessageClass
from sim.routing.valiant import Valiant

TORUS = load(None, ['topology.kind="torus"', "topology.radix=[4,4]"]).networks.topologies()[0]


@pytest.mark.parametrize(
    "base", [DimensionOrder(), DimensionOrder(ties="random"), Valiant(base="dimension_order", paths=2)]
)
def test_each_class_has_the_routes_of_the_algorithm(base):
    routes = ByMessageClass(base=base, vcs=((0, 3), (4, 9)))
    tables = routes.tables(TORUS, 10).checked(TORUS, 10)
    assert tables.paths == routes.addresses_per_node(TORUS) == 2 * base.addresses_per_node(TORUS)
    for number, (first, width) in enumerate([(0, 4), (4, 6)]):
        alone, own = base.tables(TORUS, width), tables.of_class(number)
        assert np.array_equal(own.out, alone.out)
        assert np.array_equal(own.vc_first, alone.vc_first + first)
        assert np.array_equal(own.vc_last, alone.vc_last + first)
    check(TORUS, tables)


def test_classes_that_share_vcs_can_deadlock():
    """On VC 2, packets of one class have crossed the dateline, and those of the other have not."""
    ring = load(None, ["topology.radix=[8]"]).networks.topologies()[0]
    check(ring, ByMessageClass(base=DimensionOrder(), vcs=((0, 3), (4, 7))).tables(ring, 8))
    with pytest.raises(DeadlockError):
        check(ring, ByMessageClass(base=DimensionOrder(), vcs=((0, 3), (1, 4))).tables(ring, 5))


def test_each_class_needs_the_vcs_of_the_algorithm():
    assert ByMessageClass(base=DimensionOrder(), vcs=((0, 1), (2, 3))).least_vcs(TORUS) == 2
    with pytest.raises(TsujiError, match=r"traffic.classes.1.vcs = \[3, 3\]: "):
        ByMessageClass(base=DimensionOrder(), vcs=((0, 1), (3, 3))).check(TORUS, 4)
    with pytest.raises(TsujiError, match=r"classes.0.vcs = \[0, 4\]: must be the first and the last of VCs 0 to 3"):
        ByMessageClass(base=DimensionOrder(), vcs=((0, 4),)).check(TORUS, 4)
