"""Derived types: their elements, sizes and extents by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sim.mpi.buffer import flat
from sim.mpi.constants import ORDER_FORTRAN
from sim.mpi.datatype import DATATYPES, Datatype
from sim.mpi.errors import MpiError

INT = DATATYPES["INT"]
MEMORY = np.arange(24, dtype=np.int32)


@pytest.mark.parametrize(
    ("kind", "elements", "extent"),
    [
        (INT.Create_contiguous(3), [0, 1, 2], 12),
        (INT.Create_vector(3, 2, 4), [0, 1, 4, 5, 8, 9], 40),
        (INT.Create_hvector(2, 1, 20), [0, 5], 24),
        (INT.Create_indexed([2, 1], [3, 7]), [3, 4, 7], 20),
        (INT.Create_hindexed([1, 2], [8, 0]), [2, 0, 1], 12),
        (INT.Create_indexed_block(2, [4, 0]), [4, 5, 0, 1], 24),
        (INT.Create_subarray([4, 6], [2, 2], [1, 3]), [9, 10, 15, 16], 96),
        (INT.Create_subarray([4, 6], [2, 2], [1, 3], ORDER_FORTRAN), [13, 14, 17, 18], 96),
        (INT.Create_vector(2, 1, 2).Create_vector(2, 1, 2), [0, 2, 6, 8], 36),
        (INT.Create_contiguous(2).Create_resized(0, 12).Create_contiguous(2), [0, 1, 3, 4], 24),
    ],
)
def test_elements_and_extents(kind: Datatype, elements: list[int], extent: int) -> None:
    kind.Commit()
    assert flat([MEMORY, 1, kind]).read().tolist() == elements
    assert (kind.size, kind.extent, kind.ub - kind.lb) == (4 * len(elements), extent, extent)
    into = np.full(24, -1, np.int32)
    flat([into, 1, kind]).write(np.array(elements, np.int32), "Recv")
    assert all(into[place] == place for place in elements)
    assert (into >= 0).sum() == len(elements)


def test_several_elements_are_an_extent_apart() -> None:
    column = INT.Create_vector(2, 1, 4).Create_resized(0, 4).Commit()
    assert flat([MEMORY, 3, column]).read().tolist() == [0, 4, 1, 5, 2, 6]


def test_bounds_and_names() -> None:
    kind = INT.Create_indexed([1], [2])
    assert (kind.Get_extent(), kind.lb, kind.ub) == ((8, 4), 8, 12)
    assert (INT.name, kind.name, INT.is_predefined, kind.is_named) == ("MPI_INT", "", True, False)
    assert Datatype.fromcode("d") is Datatype.fromcode("f8")
    assert Datatype.fromcode("d").tocode() == "f8"


def test_what_is_no_type() -> None:
    with pytest.raises(MpiError, match="count = -1"):
        INT.Create_contiguous(1).Create_vector(-1, 1, 1)
    with pytest.raises(MpiError, match="6 bytes: must be whole elements of 4 bytes"):
        INT.Create_hvector(2, 1, 6)
    with pytest.raises(MpiError, match="3 from 2 on in a dimension of 4"):
        INT.Create_subarray([4], [3], [2])
    with pytest.raises(ValueError, match="2 lengths of blocks for 1 displacements"):
        INT.Create_indexed([1, 2], [0])
    outside = INT.Create_indexed([1], [-1]).Commit()
    with pytest.raises(ValueError, match="elements of a buffer"):
        flat([MEMORY, 1, outside])
