"""Specialisation: parameters of a switch, and the addresses of its state, as constants of compiled code.

Ordinary compiled functions serve every switch: they load parameters and multiply indices by sizes. If a `Known`
replaces the `Constants` of a state, each set of parameters is a numba type of its own, for which the engine is compiled
anew. This takes some twenty seconds, and the engine runs 1.6 times as fast or more. Results are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np


class Pin(NamedTuple):
    """Position of an array in a block.

    Attributes
    ----------
    path : tuple of str
        Names of the fields that lead to it.
    offset : int
        Bytes from the first array of the block.
    shape, strides : tuple of int
        Shape without the first dimension; bytes from one element to the next in each dimension.
    """

    path: tuple[str, ...]
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class Known:
    """A named tuple of numbers that are constants of compiled code; fields are read as those of the tuple.

    Parameters
    ----------
    values : NamedTuple
        Integers and booleans.
    pins : sequence of Pin
        Arrays of one block; the first one, beside this tuple in the state, has offset 0.
    tables : dict
        Arrays beside this tuple in the state that never change, by name.
    """

    def __init__(self, values: Any, pins: tuple[Pin, ...] = (), tables: Mapping[str, np.ndarray] | None = None) -> None:
        self.values, self.pins, self.tables = values, pins, dict(tables or {})

    def __getattr__(self, name: str) -> Any:
        if name in ("values", "pins", "tables"):  # not set yet, while being copied
            raise AttributeError(name)
        return getattr(self.values, name)

    @cached_property
    def digest(self) -> str:
        """Hash of all that is known."""
        tables = {name: (array.dtype.str, array.tolist()) for name, array in self.tables.items()}
        return sha256(repr((self.values, self.pins, tables)).encode()).hexdigest()[:16]


def pins(state: Any, first: tuple[str, ...]) -> tuple[Pin, ...]:
    """Return the arrays of nested tuples that lie in one block with the array at path `first`, which comes first."""
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
