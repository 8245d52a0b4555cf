"""Operations: MPI's own, functions of objects, and functions of buffers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim.mpi.comm import Comm
from sim.mpi.errors import ERROR_CLASSES, MpiError
from sim.mpi.op import OPS, Op
from sim.schedule.collectives.registry import algorithms
from tests.sim.mpi.programs import run


def _first(left: Any, right: Any, kind: Any) -> None:
    """Keep the left operand: associative, and its operands cannot be exchanged."""
    right[:] = left[:]


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("name", algorithms()["reduce_scatter"])
def test_operands_stay_in_the_order_of_ranks(name: str, ranks: int) -> None:
    def program(comm: Comm) -> None:
        n, r = comm.size, comm.rank
        first = Op.Create(_first)
        got = np.empty(2)
        comm.Allreduce(np.full(2, float(r)), got, first)
        assert got.tolist() == [0.0, 0.0]
        comm.Reduce_scatter(np.arange(2.0 * n) + 1000 * r, got, op=first)
        assert got.tolist() == [2.0 * r, 2.0 * r + 1]
        assert comm.scan(str(r), lambda a, b: a + b) == "".join(map(str, range(r + 1)))
        assert comm.reduce_scatter([[r, k] for k in range(n)], lambda a, b: a + b) == [
            v for k in range(n) for v in (k, r)
        ]

    run(program, ranks, collectives={"reduce_scatter": name})


def test_a_function_of_buffers_gets_bytes_and_the_type() -> None:
    kinds = []

    def longest(left: Any, right: Any, kind: Any) -> None:
        kinds.append(kind.Get_name())
        a, b = np.frombuffer(left, "i4"), np.frombuffer(right, "i4")
        b[:] = np.where(abs(a) > abs(b), a, b)

    def program(comm: Comm) -> Any:
        got = np.empty(2, "i4")
        comm.Allreduce(np.array([-comm.rank, 2 - comm.rank], "i4"), got, Op.Create(longest, commute=True))
        return got.tolist()

    assert run(program, 3)[1] == [[-2, 2]] * 3
    assert set(kinds) == {"MPI_INT"}


def test_results_have_the_type_of_the_buffers() -> None:
    def program(comm: Comm) -> Any:
        got = np.empty(3, np.int16)
        comm.Allreduce(np.array([2, comm.rank, 0], np.int16), got, OPS["LAND"])
        return got.tolist()

    assert run(program, 2)[1] == [[1, 0, 0]] * 2


def test_calls_of_an_operation() -> None:
    assert (OPS["MAXLOC"]((3, 1), (3, 0)), OPS["REPLACE"](1, 2), OPS["NO_OP"](1, 2)) == ((3, 0), 2, 1)
    assert Op.Create(lambda a, b, kind: (a, b, kind))(1, 2) == (1, 2, None)
    assert (OPS["SUM"].is_predefined, Op.Create(max).is_predefined, OPS["SUM"].Is_commutative()) == (True, False, True)
    total = np.ones(2)
    OPS["SUM"].Reduce_local(np.full(2, 3.0), total)
    assert total.tolist() == [4.0, 4.0]


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda comm: comm.allreduce(1, 3), TypeError, "op = 3: must be an operation of MPI or a function"),
        (lambda comm: comm.Allreduce(np.ones(1), np.ones(1), max), TypeError, "MPI.Op.Create makes one"),
        (lambda comm: comm.Allreduce(np.ones(2), np.ones(2), OPS["MINLOC"]), MpiError, "needs a type of pairs"),
    ],
)
def test_what_is_no_operation(call: Any, kind: type[Exception], text: str) -> None:
    def program(comm: Comm) -> None:
        with pytest.raises(kind, match=text) as caught:
            call(comm)
        assert kind is TypeError or caught.value.Get_error_class() == ERROR_CLASSES["ERR_OP"]  # type: ignore[attr-defined]

    run(program, 1)
