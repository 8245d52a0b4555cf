"""Sizes of grids."""

from __future__ import annotations

import pytest

from sim.mpi.dims import compute_dims
from sim.mpi.errors import MpiError


def test_sizes_of_dimensions() -> None:
    assert compute_dims(64, 3) == [4, 4, 4]
    assert compute_dims(12, 2) == [4, 3]
    assert compute_dims(12, [0, 2, 0]) == [3, 2, 2]
    with pytest.raises(MpiError, match="do not divide 12 ranks"):
        compute_dims(12, [5, 0])
