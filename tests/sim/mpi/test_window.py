"""Windows with fences: values by hand, the cost of a fence, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim.mpi.comm import Comm
from sim.mpi.constants import MODE_NOPRECEDE, MODE_NOSUCCEED, PROC_NULL
from sim.mpi.datatype import DATATYPES
from sim.mpi.errors import ERROR_CLASSES, MpiError
from sim.mpi.op import OPS, Op
from sim.mpi.window import Win
from tests.sim.mpi.programs import run


def test_puts_gets_and_accumulates() -> None:
    def program(comm: Comm) -> Any:
        memory = np.zeros(4)
        window = Win.Create(memory, disp_unit=8, comm=comm)
        window.Fence(MODE_NOPRECEDE)
        for target in range(comm.size):
            window.Put(np.array([float(comm.rank)]), target, comm.rank)
            window.Accumulate(np.array([1.0]), target, 3)
        window.Put(np.ones(1), PROC_NULL)
        window.Fence()
        got, old = np.zeros(2), np.zeros(1)
        every_other = DATATYPES["DOUBLE"].Create_vector(2, 1, 2).Commit()
        window.Get(got, (comm.rank + 1) % 3, (1, 1, every_other))
        window.Get_accumulate(np.array([5.0]), old, 0, 3, op=OPS["MAX"])
        window.Fence(MODE_NOSUCCEED)
        window.Free()
        return memory.tolist(), got.tolist(), old[0] in (3.0, 5.0)

    values = run(program, 3)[1]
    assert [value[0] for value in values] == [[0.0, 1.0, 2.0, 5.0], [0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0]]
    assert [value[1][0] for value in values] == [1.0, 1.0, 1.0]
    assert all(value[2] for value in values)


def test_an_access_is_a_message_of_its_data_and_a_header() -> None:
    def program(comm: Comm, size: int) -> None:
        window = Win.Allocate(1000, comm=comm)
        window.Fence()
        if comm.rank == 0 and size:
            window.Put(np.zeros(size, np.uint8), 1)
        window.Fence()

    without, (with_put) = (run(lambda comm, size=size: program(comm, size), 2)[0] for size in (0, 1000))
    assert (with_put.messages - without.messages, with_put.bytes - without.bytes) == (1, 1000 + 16)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda window: window.Put(np.ones(1), 7), "ERR_RANK"),
        (lambda window: window.Put(np.ones(3), 0, 2), "ERR_RMA_RANGE"),
        (lambda window: window.Get(np.ones(1), 0, -1), "ERR_RMA_RANGE"),
        (lambda window: window.Accumulate(np.ones(1), 0, op=Op.Create(max)), "ERR_OP"),
        (lambda window: window.Fence(MODE_NOSUCCEED) or window.Put(np.ones(1), 0), "ERR_RMA_SYNC"),
        (lambda window: window.Put(np.ones(1), 0) or window.Fence(MODE_NOPRECEDE), "ERR_RMA_SYNC"),
    ],
)
def test_accesses_that_are_refused(call: Any, name: str) -> None:
    def program(comm: Comm) -> None:
        window = Win.Create(np.zeros(4), 8, comm=comm)
        with pytest.raises(MpiError) as caught:
            window.Get(np.zeros(1), 0)
        assert caught.value.Get_error_class() == ERROR_CLASSES["ERR_RMA_SYNC"]
        window.Fence()
        with pytest.raises(MpiError) as caught:
            call(window)
        assert caught.value.Get_error_class() == ERROR_CLASSES[name]

    run(program, 1)


def test_windows_that_are_refused() -> None:
    def program(comm: Comm) -> None:
        with pytest.raises(ValueError, match="give the communicator"):
            Win.Create(np.zeros(1))
        with pytest.raises(TypeError, match="not read-only"):
            Win.Create(b"abc", comm=comm)
        with pytest.raises(MpiError, match="disp_unit = 0"):
            Win.Create(np.zeros(1), 0, comm=comm)
        with pytest.raises(AttributeError, match=r"MPI\.Win\.Lock .*other than with fences"):
            Win.Create(None, comm=comm).Lock(0)  # type: ignore[attr-defined]

    run(program, 1)
