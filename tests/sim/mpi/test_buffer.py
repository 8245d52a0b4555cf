"""Buffers: elements in arrays of any order and strides, the forms in which mpi4py takes them, and what is refused."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import pytest

from sim.mpi.buffer import Spec, flat, parts
from sim.mpi.comm import Comm
from sim.mpi.constants import IN_PLACE
from sim.mpi.datatype import DATATYPES
from sim.mpi.errors import MpiError
from tests.sim.mpi.programs import run

DOUBLE, INT = DATATYPES["DOUBLE"], DATATYPES["INT"]


def test_arrays_with_strides_are_read_and_written_in_place() -> None:
    def program(comm: Comm) -> Any:
        field = np.arange(12.0).reshape(3, 4) + 100 * comm.rank
        peer = 1 - comm.rank
        comm.Sendrecv(field[:, 1], peer, 0, field[:, 3], peer, 0)
        comm.Isend(field[::2, ::-1], peer, 1)
        other = np.zeros((4, 4))
        comm.Recv(other[1:3, :], peer, 1)
        return field[:, 3].tolist(), other.tolist()

    column, rows = run(program, 2)[1][0]
    assert column == [101.0, 105.0, 109.0]
    # The peer's column 3 is our column 1 by then: its rows 0 and 2, backwards.
    assert rows == [[0.0] * 4, [1.0, 102.0, 101.0, 100.0], [9.0, 110.0, 109.0, 108.0], [0.0] * 4]


def test_arrays_of_fortran_are_in_the_order_of_memory() -> None:
    fortran = np.asfortranarray(np.arange(6).reshape(2, 3))
    assert flat(fortran).read().tolist() == [0, 3, 1, 4, 2, 5]


@pytest.mark.parametrize(
    ("given", "elements"),
    [
        (np.arange(3.0), [0.0, 1.0, 2.0]),
        ([np.arange(3.0), 2], [0.0, 1.0]),
        ([np.arange(3.0), DOUBLE], [0.0, 1.0, 2.0]),
        ([np.arange(3.0), "d"], [0.0, 1.0, 2.0]),
        ([np.arange(3.0), 1, DOUBLE], [0.0]),
        ([np.arange(3.0), 1, 2, DOUBLE], [2.0]),
        (array("i", [4, 5]), [4, 5]),
        ([bytearray(b"\1\0\0\0\2\0\0\0"), INT], [1, 2]),
        (memoryview(b"ab"), [97, 98]),
        (bytearray(), []),
    ],
)
def test_forms_of_a_buffer(given: Any, elements: list[Any]) -> None:
    assert flat(given).read().tolist() == elements


@pytest.mark.parametrize(
    ("given", "begins"),
    [
        (np.arange(6), [[0, 1], [2, 3], [4, 5]]),
        ([np.arange(6), [1, 2, 3]], [[0], [1, 2], [3, 4, 5]]),
        ([np.arange(6), [1, 2, 1], [5, 0, 3]], [[5], [0, 1], [3]]),
        ([np.arange(6), ([1, 2, 1], [5, 0, 3])], [[5], [0, 1], [3]]),
        ([np.arange(6), ([1, 2, 1], None), DATATYPES["LONG"]], [[0], [1, 2], [3]]),
        ([np.arange(6), 1, DATATYPES["LONG"]], [[0], [1], [2]]),
    ],
)
def test_parts_of_a_buffer(given: Any, begins: list[list[int]]) -> None:
    assert [part.read().tolist() for part in parts(given, 3, "Gather")] == begins


@pytest.mark.parametrize(
    ("given", "kind", "text"),
    [
        (None, TypeError, "None: must be a buffer"),
        (IN_PLACE, TypeError, "MPI.IN_PLACE: must be a buffer"),
        ([1, 2], TypeError, "int: must be a buffer"),
        ("text", TypeError, "str: must be a buffer"),
        (np.array([None]), TypeError, "an array of objects"),
        ([np.zeros(2), -1], ValueError, "-1 elements"),
        ([np.zeros(2), 3], ValueError, "3 elements of a buffer from 0 on: the buffer has 2"),
        ([bytearray(5), INT], ValueError, "5 bytes are no whole number"),
        ([np.zeros((4, 4))[:, :2], INT], ValueError, "with strides, as MPI.INT: must be one of float64"),
        ([np.zeros(2), DOUBLE.Create_contiguous(2)], MpiError, "must be committed"),
        ([np.zeros(2)], ValueError, "a list of 1 as a buffer"),
        ([np.zeros(2), "nothing"], ValueError, "no type of elements"),
    ],
)
def test_what_is_no_buffer(given: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        flat(given)


def test_what_cannot_receive() -> None:
    with pytest.raises(ValueError, match="read-only"):
        flat(b"abc").to_write()
    with pytest.raises(MpiError, match="Recv: 24 bytes came for a buffer of 16: truncated"):
        flat(np.zeros(2)).write(np.zeros(3), "Recv")
    with pytest.raises(MpiError, match="an object: receive it in lower case"):
        flat(np.zeros(2)).write({"a": 1}, "Recv")
    with pytest.raises(MpiError, match="12 bytes came for elements of 8"):
        flat(np.zeros(2)).write(np.zeros(3, "f4"), "Recv")


def test_parts_of_several_types_count_in_bytes() -> None:
    memory = np.arange(6, dtype=np.int32)
    spec = Spec([memory, ([1, 2], [8, 16]), [INT, INT]])
    assert [part.read().tolist() for part in spec.typed_parts(2, "Alltoallw")] == [[2], [4, 5]]
    with pytest.raises(ValueError, match="displacement 2: must be"):
        Spec([memory, ([1, 1], [0, 2]), [INT, INT]]).typed_parts(2, "Alltoallw")
    with pytest.raises(ValueError, match="must be of 3 ranks each"):
        spec.typed_parts(3, "Alltoallw")
