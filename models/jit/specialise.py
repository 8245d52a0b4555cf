"""Code for one switch: its parameters, and where its state lies, as constants of the compiled functions.

Ordinary compiled functions serve every switch: they load parameters and multiply indices by sizes. Where a `Known`
stands in place of the `Constants` of a state, every set of parameters is a numba type of its own, for which the engine
is compiled anew: in ten seconds, to run half as fast again. Results are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np


class Pin(NamedTuple):
    """The place of an array in a block.

    Attributes
    ----------
    path : tuple of str
        Fields that lead to it.
    offset : int
        Bytes behind the first array of the block.
    shape, strides : tuple of int
        Its shape but for the first dimension, and bytes from one element to the next in each dimension.
    """

    path: tuple[str, ...]
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class Known:
    """A tuple of numbers that are constants of compiled code; its fields are read as those of the tuple.

    Parameters
    ----------
    values : NamedTuple
        Ints and bools.
    pins : sequence of Pin
        Arrays of one block; the first one, which lies beside it in the state, has offset 0.
    tables : dict
        Arrays beside it in the state that never change, by name.
    """

    def __init__(self, values: Any, pins: tuple[Pin, ...] = (), tables: Mapping[str, np.ndarray] | None = None) -> None:
        self.values, self.pins, self.tables = values, pins, dict(tables or {})

    def __getattr__(self, name: str) -> Any:
        if name in ("values", "pins", "tables"):  # not there yet: it is being copied
            raise AttributeError(name)
        return getattr(self.values, name)

    @cached_property
    def digest(self) -> str:
        """What is known, as a hash."""
        tables = {name: (array.dtype.str, array.tolist()) for name, array in self.tables.items()}
        return sha256(repr((self.values, self.pins, tables)).encode()).hexdigest()[:16]


def pins(state: Any, first: tuple[str, ...]) -> tuple[Pin, ...]:
    """Return the arrays of a tuple of tuples that lie in one block with the array at `first`, that one before all."""
    origin = state
    for name in first:
        origin = getattr(origin, name)
    begin = _address(origin)
    end = begin + origin.shape[0] * origin.strides[0]
    found = [Pin(path, *_place(array, begin)) for path, array in _arrays(state, ()) if begin <= _address(array) < end]
    return tuple(sorted(found, key=lambda pin: (pin.path != first, pin.path)))


def _arrays(state: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], np.ndarray]]:
    for name, value in zip(state._fields, state, strict=True):
        if isinstance(value, np.ndarray):
            yield (*path, name), value
        elif isinstance(value, tuple):
            yield from _arrays(value, (*path, name))


def _address(array: np.ndarray) -> int:
    return int(array.ctypes.data)


def _place(array: np.ndarray, begin: int) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    return _address(array) - begin, array.shape[1:], array.strides
