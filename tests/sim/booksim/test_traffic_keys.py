"""Keys of traffic: VCs and sizes of requests and replies, for each class."""

import pytest

from models.errors import TsujiError
from sim.booksim.parser import parse
from sim.booksim.settings import settings
from sim.booksim.traffic_keys import traffic_classes, vc_ranges

READ_WRITE = "use_read_write = 1;"


def given(text):
    return settings(parse(text, "net.cfg"))


def test_types_of_packets_have_booksims_vcs():
    assert vc_ranges(given(""), 4) == [(0, 3)] * 5
    assert vc_ranges(given(READ_WRITE), 16) == [(0, 15), (0, 5), (2, 7), (8, 13), (10, 15)]
    halves = "".join(f"{kind}_{end}_vc = -1;" for kind in KINDS for end in ("begin", "end"))
    assert vc_ranges(given(READ_WRITE + halves), 6) == [(0, 5), (0, 2), (0, 2), (3, 5), (3, 5)]


KINDS = ("read_request", "write_request", "read_reply", "write_reply")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (READ_WRITE, "write_request_end_vc = 7 (BookSim2's default): VCs 2 to 7 of num_vcs = 7"),
        (READ_WRITE + "read_request_begin_vc = 6;", "read_request_begin_vc = 6: VCs 6 to 5 of num_vcs = 7"),
    ],
)
def test_vcs_that_are_not_there_are_refused(text, message):
    with pytest.raises(TsujiError) as refused:
        vc_ranges(given(text), 7)
    assert message in str(refused.value)


def test_requests_count_their_replies_where_rates_are_in_flits():
    """Half of all four sizes, as BookSim2 does: (1 + 4 + 5 + 2) / 2 = 6 flits."""
    text = READ_WRITE + "read_request_size = 1; write_request_size = 4; read_reply_size = 5; write_reply_size = 2;"
    (found,) = traffic_classes(given(text + "injection_rate = 0.3; injection_rate_uses_flits = 1;"))
    assert found.load == pytest.approx(0.05)
    assert found.requests.flits == (0, 1, 4, 5, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("classes = 65;", "classes = 65: must be 1 to 64"),
        ("write_fraction = 2; use_read_write = 1;", "write_fraction = 2: must be 0 to 1"),
        ("classes = 2; use_read_write = {0,2};", "use_read_write = {0,2}: must be 0 to 1"),
        ("classes = 2; injection_rate = {0.1,0};", "injection_rate = {0.1,0}: must be above 0"),
        ("class_priority = -1;", "class_priority = -1: must be 0 to 2147483647"),
    ],
)
def test_values_of_a_class_that_are_refused(text, message):
    with pytest.raises(TsujiError) as refused:
        traffic_classes(given(text))
    assert message in str(refused.value)
