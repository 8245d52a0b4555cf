"""Memory of tables: two bytes per destination, and tags only where they are compared."""

import numpy as np
import pytest

from models.params import CamParams, SwitchParams
from models.power_up import new_state
from models.route.linear_table import entry_route, linear_program, linear_route
from models.state.route_word import route_word

CAM = CamParams(entries=512)
LINEAR = SwitchParams(routing="linear", table_entries=512)
ADAPTIVE = {"vcs": 3, "adaptive": {"escape_vcs": 1}}


@pytest.mark.parametrize(
    ("params", "size"),
    [
        (LINEAR, 2),
        (SwitchParams(cam=CAM), 2 + 4),
        (SwitchParams(cam=CAM, tag_width=40), 2 + 8),
        (SwitchParams(routing="linear", table_entries=512, **ADAPTIVE), 2 + 8),
        (SwitchParams(routing="dimension_order", radix=(4, 4)), 0),
    ],
    ids=["linear", "table", "wide tags", "choices", "computed"],
)
def test_bytes_per_entry(params, size):
    state = new_state(params, switches=3)
    assert state.table_route.nbytes + state.table_tag.nbytes + state.table_choices.nbytes == 3 * 512 * size


def test_a_removed_route_drops():
    state = new_state(LINEAR)
    route = route_word(3, 0, 1, 0)
    linear_program(state, 0, 7, 1, route)
    assert linear_route(state, 0, 7) == entry_route(state, 0, 7) == route
    linear_program(state, 0, 7, 0, route)
    drained = route_word(0, 0, 0, 1)
    assert linear_route(state, 0, 7) == linear_route(state, 0, 512 + 7) == drained
    assert np.count_nonzero(state.table_route) == 1
