"""Eager or rendezvous: by the bytes of a message, and when its send then ends."""

import pytest

from sim.messages.loggops import LogGOPS
from sim.messages.process import is_eager
from sim.schedule.job import Job
from sim.schedule.operations import RECV, SEND, Operations, Whole
from sim.workload.replay import replay_ideal


@pytest.mark.parametrize(("size", "eager"), [(0, True), (1, True), (128, True), (129, False)])
def test_a_message_of_the_threshold_is_eager_and_of_a_byte_more_is_not(size, eager):
    assert is_eager(size, 128) is eager


@pytest.mark.parametrize(
    ("size", "ends"),
    [
        (128, 10),  # when the CPU has sent it: o
        (129, 110),  # when it is matched, as it arrives: o + L
    ],
)
def test_a_send_by_rendezvous_ends_when_it_is_matched(size, ends):
    sender, receiver = Operations.build([(SEND, 1, size, 0, [])]), Operations.build([(RECV, 0, size, 0, [])])
    costs = LogGOPS(L=100, o=10, g=5, G=1, O=0, S=128)
    assert replay_ideal([Job(Whole([sender, receiver]))], costs).ranks.end.tolist()[0] == ends
