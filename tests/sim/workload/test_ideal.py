"""Ideal network: finishing times equal those of LogGOPSim, to the unit."""

import json

import pytest

from models.errors import TsujiError
from sim.engine.stalls.stall import StalledError
from sim.messages.loggops import LogGOPS
from sim.schedule.goal import read_goal
from sim.schedule.job import Job
from sim.schedule.operations import ANY, CALC, PROBE, RECV, SEND, Operations, Whole
from sim.workload.ideal_executor import IdealExecutor
from sim.workload.replay import replay_ideal
from tests.shared_files import shared_file

SLOW = LogGOPS(L=2500, o=1500, g=1000, G=6, O=0, S=65535)
NAMES = (
    "bcast_binomial_64_1k",
    "dissemination_64_8",
    "alltoall_32_2k",
    "allreduce_recdoub_64_4k",
    "ring_pipelined_16_64k",
    "doublering_32_32k",
    "resnet_16",
    "linbarrier_40",
    "gather_48_2k",
    "trace_sweep3d_4",
)


def ends(*ranks, parameters=SLOW):
    """Return the finishing times of ranks with these operations."""
    schedule = Whole([Operations.build(rows) for rows in ranks])
    return replay_ideal([Job(schedule)], parameters).ranks.end.tolist()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("parameters", ["slow", "fast"])
def test_reference(name, parameters):
    reference = json.loads(shared_file("goal", "loggopsim.json").read_text(encoding="utf-8"))
    schedule = read_goal(shared_file("goal", f"{name}.goal", f"{name}.goal.zst"))
    expected = reference["results"][name][parameters]
    result = replay_ideal([Job(schedule)], LogGOPS(**reference["parameters"][parameters]))
    assert result.run_time_ns == expected["max"]
    if expected["hosts"] is not None:
        assert result.ranks.end.tolist() == expected["hosts"]
    assert result.operations == schedule.total


@pytest.mark.parametrize("name", ["alltoallv_10", "released_4", "root_exchange_12"])
@pytest.mark.parametrize("parameters", ["slow", "fast"])
def test_many_operations_that_become_free_together(name, parameters):
    """Each rank starts them in the order of the file; LogGOPSim itself does so only if its sort is stable."""
    reference = json.loads(shared_file("goal", "many_free_operations.json").read_text(encoding="utf-8"))
    schedule = read_goal(shared_file("goal", f"{name}.goal"))
    ranks = replay_ideal([Job(schedule)], LogGOPS(**reference["parameters"][parameters])).ranks
    assert ranks.end.tolist() == reference["order"][name][parameters]["hosts"]
    # The reference simulator as it is orders more than 16 of them by an unstable sort.
    assert ranks.end.tolist() != reference["stock"][name][parameters]["hosts"]


def test_two_ranks():
    """The table of reference measurements, and times that follow from its parameters."""
    assert ends([(SEND, 1, 1, 0, [])], [(RECV, 0, 1, 0, [])]) == [1500, 5500]
    assert ends([(SEND, 1, 1024, 0, [])], [(RECV, 0, 1024, 0, [])]) == [1500, 11_638]
    two = [(SEND, 1, 1024, 0, []), (SEND, 1, 1024, 0, [0])], [(RECV, 0, 1024, 0, []), (RECV, 0, 1024, 0, [])]
    assert ends(*two) == [8638, 19_276]
    large = [(CALC, 0, 10_000, 0, []), (SEND, 1, 100_000, 0, [0])], [(RECV, 0, 100_000, 0, [])]
    assert ends(*large) == [14_000, 615_494]
    busy = [(SEND, 1, 100_000, 0, [])], [(CALC, 0, 1_000_000, 0, []), (RECV, 0, 100_000, 0, [0])]
    assert ends(*busy) == [1_000_000, 1_601_494]


def test_bytes_cost_the_cpu():
    parameters = LogGOPS(L=100, o=10, g=0, G=0, O=2, S=1000)
    assert ends([(SEND, 1, 51, 0, [])], [(RECV, 0, 51, 0, [])], parameters=parameters) == [110, 220]


@pytest.mark.parametrize(
    ("size", "ends_at"),
    [(1, [10, 120]), (3, [10, 120]), (5, [10, 121]), (1001, [10, 370])],
)
def test_a_gap_per_byte_may_be_a_fraction(size, ends_at):
    """10 + 100 + (size − 1) · 0.25 + 10; a time is a whole number of nanoseconds, rounded down."""
    parameters = LogGOPS(L=100, o=10, g=0, G=0.25, O=0, S=65535)
    assert ends([(SEND, 1, size, 0, [])], [(RECV, 0, size, 0, [])], parameters=parameters) == ends_at


def test_operations_wait_for_starts():
    """A second CPU starts when the first has started, or when it has ended."""
    rows = Operations.build([(CALC, 0, 100, 0, []), (CALC, 0, 30, 0, [0])])
    rows.cpu[1] = 1
    assert replay_ideal([Job(Whole([rows]))], SLOW).run_time_ns == 130
    rows.on_start[0] = True
    assert replay_ideal([Job(Whole([rows]))], SLOW).run_time_ns == 100


def test_interfaces_take_messages_at_once():
    """The gap of 1,000 between messages is a gap of one interface."""
    rows = [Operations.build([(SEND, 1, 1, 0, []), (SEND, 1, 1, 0, [])]) for _ in range(2)]
    parameters = LogGOPS(L=0, o=10, g=1000, G=0)
    receives = Operations.build([(RECV, 0, 1, 0, []), (RECV, 0, 1, 0, [])])
    assert replay_ideal([Job(Whole([rows[0], receives]))], parameters).ranks.end.tolist() == [1010, 1020]
    rows[1].nic[1] = 1
    assert replay_ideal([Job(Whole([rows[1], receives]))], parameters).ranks.end.tolist() == [20, 30]


def test_jobs_start_when_they_are_told():
    one = Whole([Operations.build([(SEND, 1, 1, 0, [])]), Operations.build([(RECV, 0, 1, 0, [])])])
    result = replay_ideal([Job(one), Job(one, start_ns=700)], SLOW)
    assert result.ranks.end.tolist() == [1500, 5500, 1500, 5500]
    assert result.jobs.tolist() == [0, 0, 1, 1]
    assert result.messages == 2


def test_who_waits_for_whom():
    circle = [[(RECV, 1 - rank, 8, 5, []), (SEND, 1 - rank, 8, 5, [0])] for rank in range(2)]
    with pytest.raises(StalledError, match="rank 0 waits for a message from rank 1, tag 5") as refusal:
        ends(*circle)
    assert "rank 1 waits for a message from rank 0, tag 5" in str(refusal.value)
    assert refusal.value.exit_code == 1
    with pytest.raises(StalledError, match="rank 0 waits for rank 1 to receive 70000 bytes, tag 0"):
        ends([(SEND, 1, 70_000, 0, [])], [])


def test_messages_that_nobody_receives():
    with pytest.raises(TsujiError, match="rank 1 did not receive 8 bytes from rank 0, tag 3") as refusal:
        ends([(SEND, 1, 8, 3, [])], [])
    assert refusal.value.exit_code == 2


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ((SEND, 2, 1, 0, []), "peer = 2: must be a rank from 0 to 1"),
        ((SEND, ANY, 1, 0, []), "peer = -1: must be a rank"),
        ((RECV, -2, 1, 0, []), "peer = -2"),
        ((SEND, 1, -1, 0, []), "size = -1: must be at least 0"),
        ((SEND, 1, 1, ANY, []), "tag = -1"),
        ((PROBE, 1, 1, 0, []), "kind = 4: must be SEND, RECV or CALC"),
        ((CALC, 0, 1, 0, [3]), "requires operation 3: there is none"),
    ],
)
def test_compiled_code_sees_no_bad_operation(row, text):
    with pytest.raises(TsujiError, match=text):
        ends([row], [])


def test_no_ranks():
    with pytest.raises(TsujiError, match="0 ranks: there must be at least one"):
        replay_ideal([Job(Whole([]))], SLOW)


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("L=1,L=2", "given twice"),
        ("x=3", "expected one of L=…"),
        ("L=fast", "expected a number"),
        ("L=-1", "ideal.L = -1"),
    ],
)
def test_parameters_are_checked(text, refusal):
    with pytest.raises(TsujiError, match=refusal):
        LogGOPS.parse(text)
    assert LogGOPS.parse("L=7,G=0.5") == LogGOPS(L=7, G=0.5)


def test_posting_while_it_runs():
    """An operation posted at a completion starts then; a probe leaves a message where it is."""
    executor = IdealExecutor(2, SLOW)
    send = executor.post(0, SEND, 1, 1024, 7)
    probe = executor.post(1, PROBE, tag=ANY)
    (done,) = executor.run()
    assert (done.handle, done.time, executor.now) == (send, 1500, 1500)
    (seen,) = executor.run()
    assert (seen.handle, seen.time, seen.peer, seen.tag, seen.size, seen.sender) == (probe, 11_638, 0, 7, 1024, send)
    assert executor.iprobe(1, 0, 8) is None
    found = executor.iprobe(1, ANY, 7)
    assert found is not None
    assert found.sender == send
    receive = executor.post(1, RECV, 0, tag=7)
    calculation = executor.post(0, CALC, size=30)
    (received,) = executor.run()
    assert (received.handle, received.time, received.sender) == (receive, 11_638, send)
    (calculated,) = executor.run()
    assert (calculated.handle, calculated.time) == (calculation, 11_668)
    assert executor.run() == []
    assert executor.unfinished == 0


def test_receives_match_in_order():
    """Messages of a pair never overtake, and the receive posted first takes the first message that matches."""
    executor = IdealExecutor(3, SLOW)
    any_tag = executor.post(2, RECV, tag=ANY)
    of_one = executor.post(2, RECV, 1, tag=ANY)
    sends = [executor.post(1, SEND, 2, 8, tag) for tag in (1, 2, 3)]
    matched = {}
    while done := executor.run():
        matched |= {each.handle: each.sender for each in done if each.kind == RECV}
    assert matched == {any_tag: sends[0], of_one: sends[1]}
    late = executor.post(2, RECV, tag=3)
    (found,) = executor.run()
    assert (found.handle, found.sender) == (late, sends[2])


@pytest.mark.parametrize(
    ("name", "value"), [("rank", 2), ("peer", 2), ("kind", 5), ("size", -1), ("tag", -1), ("cpu", 1), ("nic", 1)]
)
def test_posts_are_checked(name, value):
    executor = IdealExecutor(2, SLOW)
    with pytest.raises(TsujiError, match=f"{name} = {value}: must be from 0 to|kind = 5: must be from 1 to 4"):
        executor.post(**({"rank": 0, "kind": SEND, "peer": 1, "size": 1} | {name: value}))
