"""Programs that violate MPI end with one error message; those that wait for ever, with which rank waits for which."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.errors import TsujiError
from sim.mpi.comm import Comm
from sim.mpi.errors import DeadlockError, ProgramError
from tests.sim.mpi.programs import run


def test_ranks_that_wait_for_ever_are_named() -> None:
    def program(comm: Comm) -> None:
        comm.recv(source=(comm.rank + 1) % comm.size, tag=7)

    with pytest.raises(DeadlockError) as caught:
        run(program, 3)
    assert caught.value.exit_code == 1
    assert str(caught.value).splitlines() == [
        "3 of 3 ranks wait for ever:",
        "  rank 0 in recv: a message from rank 1, tag 7",
        "  rank 1 in recv: a message from rank 2, tag 7",
        "  rank 2 in recv: a message from rank 0, tag 7",
    ]


def test_a_large_message_waits_for_its_receiver() -> None:
    def program(comm: Comm) -> None:
        comm.send(None, 1 - comm.rank, bytes=100_000)
        comm.recv(source=1 - comm.rank)

    with pytest.raises(DeadlockError, match="rank 1 in send: rank 0 to take 100000 bytes, tag 0"):
        run(program, 2)


def test_a_rank_that_misses_in_a_collective() -> None:
    def program(comm: Comm) -> None:
        if comm.rank:
            comm.barrier()

    with pytest.raises(DeadlockError, match="2 of 3 ranks wait for ever:\n  rank 1 in barrier: a message of rank 0"):
        run(program, 3)


def _by_rank(*functions: Callable[[Comm], Any]) -> Callable[[Comm], Any]:
    return lambda comm: functions[comm.rank](comm)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (
            _by_rank(lambda comm: comm.barrier(), lambda comm: comm.allreduce(1)),
            "rank 1: allreduce as collective 1 of all ranks, where rank 0 calls barrier: ranks must call the same",
        ),
        (
            _by_rank(lambda comm: comm.allreduce(np.zeros(3)), lambda comm: comm.allreduce(np.zeros(4))),
            "with bytes 32, where rank 0 has 24: must be the same for all ranks",
        ),
        (lambda comm: comm.bcast(1, root=comm.rank), "with root 1, where rank 0 has 0"),
        (lambda comm: comm.send(1, 5), "rank 0: dest = 5: must be a rank from 0 to 1"),
        (lambda comm: comm.recv(source=-7), "source = -7: must be a rank from 0 to 1"),
        (lambda comm: comm.send(1, 0, tag=-1), "tag = -1: must be from 0 to 2147483647"),
        (lambda comm: comm.send(lambda: 0, 1), "cannot be sent"),
        (lambda comm: comm.send(1, 1, bytes=-1), "bytes = -1: must be at least 0"),
        (lambda comm: comm.compute(-1.0), "must be at least 0"),
        (lambda comm: comm.compute(), "say either seconds or flops"),
        (lambda comm: comm.alltoall([1]), "alltoall: 1 objects: must be 2, one per rank"),
        (lambda comm: comm.Abort(3), "Abort(3)"),
        (lambda comm: comm.Recv(None, source=0), "None: must be a buffer"),
        (lambda comm: comm.Create_cart([3, 3]), "are 9 ranks: must be 1 to 2"),
        (
            _by_rank(lambda comm: comm.Send(np.zeros(4), 1), lambda comm: comm.Recv(np.zeros(3), 0)),
            "rank 1: Recv: 32 bytes came for a buffer of 24: truncated",
        ),
        (
            _by_rank(lambda comm: comm.send(1, 1, tag=4), lambda comm: None),
            "rank 1 did not receive 5 bytes from rank 0",
        ),
    ],
)
def test_what_mpi_does_not_allow(program: Callable[[Comm], Any], message: str) -> None:
    with pytest.raises(TsujiError) as caught:
        run(program, 2)
    assert message in str(caught.value)
    assert caught.value.exit_code == 2


def test_programs_that_fail_say_where(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text("from mpi4py import MPI\nif MPI.COMM_WORLD.rank == 1:\n    1 / 0\nMPI.COMM_WORLD.barrier()\n")
    with pytest.raises(ProgramError, match=r"rank 1: .*program\.py:3: ZeroDivisionError: division by zero"):
        run(script, 2)
    script.write_text("import sys\nsys.exit('no input')\n")
    with pytest.raises(ProgramError, match="rank 0: the program ended with 'no input'"):
        run(script, 1)
    script.write_text("def\n")
    with pytest.raises(ProgramError, match=r"program\.py:1: invalid syntax"):
        run(script, 1)
    script.write_text("from mpi4py import MPI\nMPI.File\n")
    with pytest.raises(ProgramError, match=r"MPI\.File \(files\) is not supported on a simulated network"):
        run(script, 1)
    with pytest.raises(TsujiError, match=r"nothing\.py: no such file"):
        run(tmp_path / "nothing.py", 1)


def test_no_ranks() -> None:
    with pytest.raises(TsujiError, match="ranks = 0: must be a whole number, 1 to 16384"):
        run(lambda comm: None, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"collectives": {"allreduce": "tree"}}, "collectives.allreduce = 'tree'"),
        ({"flops": 0.0}, "flops = 0.0"),
        ({"poll_ns": 0}, "poll_ns = 0"),
    ],
)
def test_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TsujiError, match=message):
        run(lambda comm: None, 1, **options)
