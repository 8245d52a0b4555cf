"""Matched probes: nobody else gets the message."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim.mpi.comm import Comm
from sim.mpi.constants import ANY_SOURCE, PROC_NULL
from sim.mpi.errors import MpiError
from sim.mpi.message import Message
from sim.mpi.status import Status
from tests.sim.mpi.programs import run


@pytest.mark.parametrize("size", [8, 100_000])  # the larger one waits for its receiver
def test_no_other_receive_gets_it(size: int) -> None:
    def program(comm: Comm) -> Any:
        if comm.rank:
            comm.compute(comm.rank * 50e-6)
            comm.send(f"of {comm.rank}", 0, tag=comm.rank, bytes=size)
            return None
        status = Status()
        message = comm.mprobe(status=status)
        assert (status.source, status.tag, status.count) == (1, 1, size)
        other = comm.recv(source=ANY_SOURCE)
        return message.recv(), other

    assert run(program, 3)[1][0] == ("of 1", "of 2")


def test_improbe_returns_none_until_there_is_one() -> None:
    def program(comm: Comm) -> Any:
        if comm.rank == 0:
            comm.compute(10e-6)
            comm.Send(np.arange(3.0), 1, 2)
            return None
        looks = 0
        while (message := Message.iprobe(comm, 0, 2)) is None:
            looks += 1
        into = np.zeros(3)
        message.Irecv(into).Wait()
        assert message == Message()
        with pytest.raises(MpiError, match="received already"):
            message.recv()
        return looks, into.tolist()

    looks, received = run(program, 2)[1][1]
    assert 130 < looks < 145  # 100 ns each, until 10 µs + 2 overheads and the latency, less the last bytes, have passed
    assert received == [0.0, 1.0, 2.0]


def test_a_message_from_nobody() -> None:
    def program(comm: Comm) -> None:
        message = comm.Mprobe(PROC_NULL)
        assert message == Message(from_nobody=True)
        assert message.recv() is None
        assert not Message()

    run(program, 1)
