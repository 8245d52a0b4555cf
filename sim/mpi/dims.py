"""Sizes of grids."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sim.mpi.errors import MpiError


def compute_dims(ranks: int, dims: int | Sequence[int]) -> list[int]:
    """Return sizes of dimensions, as equal as possible, whose product is `ranks`; nonzero sizes in `dims` are kept.

    Raises
    ------
    MpiError
        If the given sizes do not divide the number of ranks.
    """
    given = [0] * dims if isinstance(dims, int) else list(dims)
    fixed = math.prod(size for size in given if size)
    if ranks < 1 or fixed < 1 or ranks % fixed:
        raise MpiError.of("DIMS", f"Compute_dims: {given} do not divide {ranks} ranks")
    free = given.count(0)
    if not free and fixed != ranks:
        raise MpiError.of("DIMS", f"Compute_dims: {given} are {fixed} ranks, not {ranks}")
    sizes = [1] * free
    for prime in sorted(_primes(ranks // fixed), reverse=True):
        sizes[sizes.index(min(sizes))] *= prime
    left = iter(sorted(sizes, reverse=True))
    return [size or next(left) for size in given]


def _primes(number: int) -> list[int]:
    found = []
    divisor = 2
    while number > 1:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1
    return found
