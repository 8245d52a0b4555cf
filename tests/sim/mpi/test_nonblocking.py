"""Nonblocking and persistent collectives: their times by hand, several under way at once, and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim.mpi.comm import Comm
from sim.mpi.errors import ERROR_CLASSES, DeadlockError, MpiError, ProgramError
from sim.mpi.op import OPS
from sim.mpi.request import Request
from tests.sim.mpi.programs import SLOW, run

EXCHANGE = 2 * SLOW.o + SLOW.L + 7 * SLOW.G  # of messages of 8 bytes, in both directions at once


def test_messages_move_while_a_rank_calculates() -> None:
    """The overhead of the send comes before the calculation, and that of the receive after it; L is hidden."""

    def program(comm: Comm) -> float:
        total = np.empty(1)
        request = comm.Iallreduce(np.array([comm.rank + 1.0]), total)
        comm.compute(50e-6)
        request.Wait()
        return float(total[0])

    result, values = run(program, 2)
    assert values == [3.0, 3.0]
    assert result.run_time_ns == SLOW.o + 50_000 + SLOW.o + 7 * SLOW.G
    assert result.run_time_ns < 50_000 + EXCHANGE


def test_rounds_go_on_while_a_rank_waits_for_another_message() -> None:
    """Rank 1 waits for a message of rank 3, which gets the broadcast through rank 2 and then sends it."""

    def program(comm: Comm) -> Any:
        value = np.full(1, float(comm.rank))
        request = comm.Ibcast(value, root=0)
        if comm.rank == 1:
            return comm.recv(source=3)
        request.Wait()
        if comm.rank == 3:
            comm.send(value[0], 1)
        return value[0]

    assert run(program, 4, collectives={"bcast": "chain"})[1] == [0.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8])
def test_several_under_way_at_once_do_not_mix(ranks: int) -> None:
    def program(comm: Comm) -> None:
        r, n = comm.rank, comm.size
        results = [np.empty(3) for _ in range(6)]
        requests = [
            comm.Iallreduce(np.full(3, float(r + k)), results[k], op=OPS["MAX"] if k % 2 else OPS["SUM"])
            for k in range(6)
        ]
        other = comm.Dup()
        gathered = np.empty(n)
        requests.append(other.Iallgather(np.array([float(r)]), gathered))
        comm.compute(r * 3e-6)
        assert comm.allreduce(r) == n * (n - 1) // 2
        comm.barrier()
        for number in reversed(range(7)):
            requests[number].Wait()
        for k, result in enumerate(results):
            expected = n - 1 + k if k % 2 else n * (n - 1) / 2 + n * k
            assert (result == expected).all(), (k, result)
        assert gathered.tolist() == list(range(n))

    run(program, ranks)


@pytest.mark.parametrize("algorithm", ["recursive_doubling", "ring", "rabenseifner"])
def test_the_algorithm_is_the_chosen_one(algorithm: str) -> None:
    def blocking(comm: Comm) -> None:
        comm.Allreduce(np.zeros(64), np.empty(64))

    def nonblocking(comm: Comm) -> None:
        comm.Iallreduce(np.zeros(64), np.empty(64)).Wait()

    one, other = (run(program, 8, collectives={"allreduce": algorithm})[0] for program in (blocking, nonblocking))
    assert (one.run_time_ns, one.messages, one.bytes) == (other.run_time_ns, other.messages, other.bytes)


def test_they_mix_with_messages_in_waits_and_tests() -> None:
    def program(comm: Comm) -> Any:
        peer = 1 - comm.rank
        requests = [comm.Ibarrier(), comm.irecv(source=peer), comm.isend(comm.rank, peer)]
        seen: set[int] = set()
        while (over := Request.Testsome(requests)) is not None:
            seen |= set(over)
        assert Request.Testall(requests)
        return sorted(seen)

    assert run(program, 2)[1] == [[0, 1, 2], [0, 1, 2]]


def test_a_persistent_collective_reads_its_buffer_at_each_start() -> None:
    def program(comm: Comm) -> Any:
        sent, got, found = np.empty(1), np.empty(1), []
        request = comm.Allreduce_init(sent, got)
        for turn in range(3):
            sent[0] = turn * (comm.rank + 1)
            request.Start()
            request.Wait()
            found.append(got[0])
        request.Free()
        with pytest.raises(MpiError, match="released"):
            request.Start()
        return found

    assert run(program, 3)[1] == [[0.0, 6.0, 12.0]] * 3


def test_what_is_wrong_is_told_where_it_is_called() -> None:
    def program(comm: Comm) -> None:
        with pytest.raises(TypeError, match="must be a buffer"):
            comm.Iallreduce(None, np.empty(1))
        with pytest.raises(TypeError, match="argument"):
            comm.Ibarrier(1)
        with pytest.raises(MpiError, match="root = 5") as caught:
            comm.Ibcast(np.empty(1), root=5)
        assert caught.value.Get_error_class() == ERROR_CLASSES["ERR_ROOT"]
        value = np.zeros(2 if comm.rank == 0 else 1)
        request = comm.Ibcast(value)
        if comm.rank == 0:
            request.Wait()
        else:
            with pytest.raises(MpiError, match="truncated") as caught:
                request.Wait()
            assert caught.value.Get_error_class() == ERROR_CLASSES["ERR_TRUNCATE"]
        assert not request

    run(program, 2)


def test_blocking_and_nonblocking_do_not_match() -> None:
    with pytest.raises(ProgramError, match="rank 1: ibarrier as collective 1 of all ranks, where rank 0 calls barrier"):
        run(lambda comm: comm.Ibarrier().Wait() if comm.rank else comm.Barrier(), 2)


def test_a_rank_that_misses_is_named() -> None:
    with pytest.raises(DeadlockError) as caught:
        run(lambda comm: comm.rank and comm.Ibarrier().Wait(), 3)
    assert str(caught.value).splitlines() == [
        "2 of 3 ranks wait for ever:",
        "  rank 1 in wait of Ibarrier: the end of Ibarrier",
        "  rank 1 in Ibarrier: a message of rank 0",
        "  rank 2 in wait of Ibarrier: the end of Ibarrier",
        "  rank 2 in Ibarrier: a message of rank 0",
    ]


def test_one_that_nobody_waits_for_ends_by_itself() -> None:
    result, _ = run(lambda comm: comm.Ibarrier() and None, 2)
    assert result.run_time_ns == 2 * SLOW.o + SLOW.L
