"""The region of interest of a program: named by the program, or by two of its calls."""

import numpy as np
import pytest

import tsuji
from models.errors import TsujiError
from sim.messages.loggops import LogGOPS
from sim.mpi.region import region_of_interest
from sim.schedule.ti.timed_part import TimedPart
from sim.workload.mpi_run import ProgramOptions, run_mpi
from tests.sim.workload.networks import config

IDEAL = LogGOPS(L=1000, o=100, g=0, G=1.0)


def program(comm):
    comm.compute(5e-6)
    comm.barrier()
    with tsuji.region_of_interest():
        comm.compute(2e-6 if comm.rank == 0 else 1e-6)
        comm.allreduce(0, bytes=64)
    comm.barrier()
    comm.compute(7e-6)


def marked(comm):
    """The same without the name."""
    comm.compute(5e-6)
    comm.barrier()
    comm.compute(2e-6 if comm.rank == 0 else 1e-6)
    comm.allreduce(0, bytes=64)
    comm.barrier()
    comm.compute(7e-6)


def nested(comm):
    with region_of_interest(), region_of_interest():
        comm.barrier()


def run(body, ranks=4, begin=None, end=None, network=None):
    options = ProgramOptions(part=TimedPart.parse(begin, end))
    return run_mpi(body, ranks, network, IDEAL, options)[0]


def test_a_region_has_times_and_messages_of_its_own():
    alone = run(lambda comm: comm.allreduce(0, bytes=64))
    result = run(program)
    assert result.region is not None
    assert result.region.messages == alone.messages
    assert result.region.bytes == alone.bytes
    assert result.region.run_time_ns >= 2000 + alone.run_time_ns
    assert result.region.run_time_ns < result.run_time_ns - 12_000
    assert result.region.ranks.compute.tolist() == [2000, 1000, 1000, 1000]
    assert result.document()["region"]["run_time_ns"] == result.region.run_time_ns


def test_two_calls_name_the_same_region():
    said, named = run(program).region, run(marked, begin="barrier 1", end="barrier 1").region
    for name in ("end", "compute", "overhead"):
        assert getattr(said.ranks, name).tolist() == getattr(named.ranks, name).tolist()
    assert (said.messages, said.bytes) == (named.messages, named.bytes)


def test_a_region_without_one_end():
    whole = run(marked)
    assert whole.region is None
    until = run(marked, end="barrier 1").region
    assert until.ranks.end.tolist() == [5000] * 4
    assert until.messages == 0
    rest = run(marked, begin="barrier").region
    assert rest.run_time_ns < whole.run_time_ns - 5000
    assert rest.ranks.compute.tolist() == [9000, 8000, 8000, 8000]


def test_a_region_entered_again_adds_up():
    def twice(comm):
        for _ in range(2):
            with region_of_interest():
                comm.compute(1e-6)
            comm.compute(3e-6)

    assert run(twice).region.ranks.end.tolist() == [2000] * 4


def test_a_region_on_a_network_has_a_slow_down():
    """The program itself is not changed by it."""
    network = config()
    result, plain = run(program, network=network), run(marked, network=network)
    assert result.run_time_ns == plain.run_time_ns
    assert result.region.slow_down == result.region.run_time_ns / result.region.ideal_ranks.end.max()
    assert np.all(result.region.ranks.end < result.ranks.end)


@pytest.mark.parametrize(
    ("body", "marks", "message"),
    [
        (marked, {"begin": "barrier 3"}, "rank .: 2 of `barrier` where the region needs 3"),
        (marked, {"begin": "bcast"}, "0 of `bcast` where the region needs 1"),
        (program, {"begin": "barrier 1"}, "--from or --until names a region, too"),
        (nested, {}, "in the region already"),
    ],
)
def test_what_is_no_region_is_refused(body, marks, message):
    with pytest.raises(TsujiError, match=message):
        run(body, **marks)


def test_elsewhere_nothing_happens():
    with region_of_interest():
        pass


@pytest.mark.parametrize(
    ("body", "creates"),
    [
        (lambda comm: comm.Create_cart([2, 2]), True),
        (lambda comm: comm.Dup(), True),
        (lambda comm: (comm.isend(None, comm.rank ^ 1), comm.recv(), comm.Split(0))[0].wait(), True),
        (lambda comm: comm.barrier(), False),
    ],
    ids=["Create_cart", "Dup", "Split", "barrier"],
)
def test_messages_that_create_communicators_are_counted_apart(body, creates):
    """Each rank gets the colour and key of the others: 8 bytes per rank."""
    result = run(body)
    alone = run(lambda comm: comm.allgather(0, bytes=8))
    expected = (alone.messages, alone.bytes) if creates else (0, 0)
    assert result.set_up == expected
    assert result.messages >= result.set_up[0]


@pytest.mark.parametrize("part", [{"begin": "barier 1"}, {"begin": "barrier 1", "end": "wtf 2"}])
def test_a_call_that_mpi_lacks_is_refused_before_the_program_runs(part):
    """Not at its end, which may be hours later."""
    begun = []
    with pytest.raises(TsujiError, match=r"'(barier 1|wtf 2)': MPI has no such call; name one such as `barrier [12]`"):
        run(begun.append, **part)
    assert not begun


@pytest.mark.parametrize("call", ["compute 1", "Allreduce 1", "Isend 2", "neighbor_alltoall 1"])
def test_calls_may_be_written_as_mpi4py_does(call):
    with pytest.raises(TsujiError, match="0 of `"):
        run(lambda comm: None, begin=call)
