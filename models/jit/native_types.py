"""Kinds of the arguments of compiled functions, and their layout in memory.

A kind stands for one type of the compiler, without importing it: "i", "u", "f", "b" for int64, uint64, double, boolean;
a tuple for an array, for a named tuple that is passed by reference (`models.jit.struct_pointer`), and for the constants
of specialised code (`models.jit.specialise`). All other integers are int64. Kinds are the keys of compiled code: as
objects in memory, by their `repr` on disk.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from models.jit.specialise import Known
from models.jit.struct_pointer import REFERENCES

Kind = Any
WORD = 8  # bytes
ARRAY_WORDS = 5  # owner (2, null), number of elements, element size in bytes, address; then shape and strides
INT, UNSIGNED, FLOAT, BOOL = "i", "u", "f", "b"


class DtypeNames(dict[np.dtype, str]):
    """Names of data types, unique for each: record types include all fields."""

    def __missing__(self, dtype: np.dtype) -> str:
        """Make it."""
        name = self[dtype] = f"{dtype!r}{dtype.type.__name__}{dtype.isalignedstruct}"
        return name


_NAMES = DtypeNames()


def kinds_of(arguments: tuple[Any, ...]) -> tuple[Kind, ...]:
    """Return the kind of each argument.

    Raises
    ------
    TypeError
        If an argument is of a type that compiled functions do not take.
    """
    return tuple(map(kind_of, arguments))


def kind_of(value: Any) -> Kind:
    """Return the kind of an argument, or of a field of an argument.

    Raises
    ------
    TypeError
        If it is of a type that compiled functions do not take.
    """
    if isinstance(value, np.ndarray):
        return _of_array(value)
    kind = type(value)
    if kind in REFERENCES:
        return (f"{kind.__module__}.{kind.__qualname__}", *map(kind_of, value))
    if isinstance(value, bool | np.bool_):
        return BOOL
    if isinstance(value, np.uint64):
        return UNSIGNED
    if isinstance(value, int | np.integer):
        return INT
    if isinstance(value, float | np.floating):
        return FLOAT
    if isinstance(value, Known):
        return ("known", value.digest)
    raise TypeError(f"{value!r}: no argument of a compiled function")


def _of_array(array: np.ndarray) -> Kind:
    flags = array.flags
    layout = "A" if is_strided(array) else "C" if flags.c_contiguous else "F"
    # Flags as bits of one number, for speed: some hundred arrays are inspected when a network begins.
    return (_NAMES[array.dtype], array.ndim, layout, flags.writeable << 1 | flags.aligned)


def is_strided(array: np.ndarray) -> bool:
    """Return whether an array is a strided view, which is not contiguous.

    Unlike in numpy, strides along axes of length 1 count, too: a view into the block of a single switch must have the
    same type, and so the same compiled code, as a view into the block of many.
    """
    stride = array.itemsize
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        return False
    for length, given in zip(reversed(array.shape), reversed(array.strides), strict=True):
        if given != stride:
            return array.size > 0
        stride *= length
    return False


def array_words(array: np.ndarray) -> list[int]:
    """Return the words that describe an array to compiled code."""
    return [0, 0, array.size, array.itemsize, array.ctypes.data, *array.shape, *array.strides]


def tuple_layout(kind: Kind) -> tuple[list[int], int]:
    """Return the offset of each field of a named tuple in memory, and the tuple's size, in bytes.

    Fields follow one another, aligned to words; booleans are single bytes.
    """
    offsets, end, align = [], 0, 1
    for field in kind[1:]:
        size, step = _size(field)
        end = -(-end // step) * step
        offsets.append(end)
        end += size
        align = max(align, step)
    return offsets, -(-end // align) * align


def _size(kind: Kind) -> tuple[int, int]:
    """Return the size and the alignment of a field, in bytes."""
    if kind == BOOL:
        return 1, 1
    if isinstance(kind, str) or kind[0] == "known":
        return WORD, WORD
    if is_array(kind):
        return (ARRAY_WORDS + 2 * kind[1]) * WORD, WORD
    return tuple_layout(kind)[1], max((_size(field)[1] for field in kind[1:]), default=1)


def is_array(kind: Kind) -> bool:
    """Return whether a kind is that of an array."""
    return isinstance(kind, tuple) and len(kind) == 4 and isinstance(kind[1], int)
