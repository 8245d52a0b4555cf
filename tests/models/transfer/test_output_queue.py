"""Output queues: which flit is on the link when, and that a queue of one flit loses no cycle."""

import pytest

from models.params import SwitchParams
from models.power_up import new_state
from models.reset import reset
from models.transfer.output_queue import choose_queued, dequeue, leaving, pass_or_queue, queue_clear, queue_may_send
from models.transfer.output_unit import claimable, output_credit


class Output:
    """Output 0 of a switch, to which a flit is granted in every cycle in which the VC that comes next has room."""

    def __init__(self, flits: int, depth: int = 2) -> None:
        self.st = new_state(SwitchParams(ports=2, vcs=2, depth=depth, output_buffer=flits))
        reset(self.st, 0, -1)
        self.cycle = self.granted = 0

    def step(self, vc: int | None, credits: tuple[int, ...] = ()) -> tuple[int, int] | None:
        """Advance by a cycle with a flit for `vc`, if that has room; return VC and number of the flit for the link."""
        st = self.st
        sent = None
        choose_queued(st, 0, self.cycle)
        if vc is not None and int(st.output[0, 0].credited) >> vc & 1:
            self.granted += 1
            if pass_or_queue(st, 0, 0, vc, self.granted << 1, 0):
                sent = vc, self.granted
        if leaving(st, 0):
            assert sent is None, "the link takes one flit per cycle"
            w, taken = dequeue(st, 0, 0)
            sent = int(w), int(taken) >> 2
        for w in credits:
            output_credit(st, 0, 0, w)
        self.cycle += 1
        return sent


@pytest.mark.parametrize("flits", [1, 2, 4])
def test_a_queue_fills_without_credits_and_then_loses_no_cycle(flits):
    output = Output(flits)
    without = [output.step(0) for _ in range(10)]
    assert without == [(0, 1), (0, 2)] + [None] * 8, "straight, while there are credits"
    assert output.granted == 2 + flits
    assert output.step(0, (0,)) is None, "a credit is seen a cycle later"
    numbers = [output.step(0, (0,)) for _ in range(20)]
    assert numbers == [(0, 3 + n) for n in range(20)]


def test_a_vc_without_credits_delays_no_other():
    output = Output(2)
    for _ in range(10):
        output.step(0)
    assert not queue_may_send(output.st, 0)
    assert [output.step(1) for _ in range(3)] == [(1, 5), (1, 6), None]
    output.step(1, (0,))
    output.step(None, (1,))
    assert output.step(None) == (1, 7), "VC 0 went in the cycle before, VC 1 is next"


def test_the_link_takes_vcs_in_turn():
    output = Output(4)
    for vc in (0, 1) * 6:
        output.step(vc)
    order = [output.step(None, (0, 1)) for _ in range(9)]
    assert [found and found[0] for found in order] == [None, 0, 1, 0, 1, 0, 1, 0, 1]


def test_a_head_that_needs_more_than_a_credit_needs_an_empty_queue():
    st = new_state(SwitchParams(ports=2, vcs=1, depth=3, buffering="dynamic", max_packet=2, output_buffer=2))
    reset(st, 0, -1)
    open_to_heads = []
    for number in range(4):
        choose_queued(st, 0, number)
        pass_or_queue(st, 0, 0, 0, number << 1, 0)
        open_to_heads.append(int(claimable(st, 0, 0)))
    assert open_to_heads == [1, 0, 0, 0], "of three credits, two are left after the first flit: enough"
    assert [int(st.credits[0, 0, 0]), int(st.queue_count[0, 0, 0]), int(claimable(st, 0, 0))] == [0, 1, 0]
    for _ in range(2):
        output_credit(st, 0, 0, 0)
    assert not claimable(st, 0, 0), "the credits are there, but the first is spoken for"
    choose_queued(st, 0, 9)
    dequeue(st, 0, 0)
    assert not claimable(st, 0, 0), "one credit is left"
    assert not queue_clear(st, 0, 0, 0, 9), "its queue held a flit at the beginning of the cycle"
    output_credit(st, 0, 0, 0)
    assert claimable(st, 0, 0)
    assert queue_clear(st, 0, 0, 0, 10)
