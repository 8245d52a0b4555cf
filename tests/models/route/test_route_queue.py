"""Routes as an input VC stores them (microarchitecture.md, sections 4 and 13)."""

import pytest

from models.params import SwitchParams
from models.power_up import new_state
from models.reset import reset
from models.route.route_queue import checked
from models.state.route_word import route_drop, route_out, route_word


@pytest.mark.parametrize(
    ("out", "p", "stored"),
    [
        (4, 0, 4),  # node 0 has ports 4 and 5, node 1 has ports 6 and 7: the port follows the number of the input
        (4, 1, 5),
        (5, 2, 4),
        (6, 0, 6),
        (6, 3, 7),
        (7, 2, 6),
        (7, 5, 7),
        (3, 1, 3),  # to another switch
    ],
)
def test_a_packet_to_a_node_takes_the_local_port_of_its_input(out, p, stored):
    """Two nodes of two local ports each."""
    params = SwitchParams(ports=8, network_ports=4, node_ports=2, routing="linear", table_entries=16)
    st = new_state(params)
    reset(st, 0, -1)
    word = checked(st, 0, p, 0, route_word(out, 0, 1, 0))
    assert (route_out(word), route_drop(word)) == (stored, 0)
