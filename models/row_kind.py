"""Kinds of rows, to numba and to whoever asks: how many switches are in one, with how many bits each.

A row holds 16 bits of each of 32 switches, or 8 of each of 64. With 32, switch s is number s % 32 of row s // 32. Which
it is is told by the type of an array of rows, so that compiled it costs nothing to ask.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.datamodel.models import PrimitiveModel
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import register_model

from models.compiled import compiled

VECTOR_BITS = 512
WIDTHS = 8, 16  # bits of a number

Row = Any  # to Python, numpy.ndarray: uint8 [64] or uint16 [32]
WORD = ir.IntType(64)


class RowType(types.Type):
    """Numba's type of a row of numbers of so many bits."""

    def __init__(self, bits: int) -> None:
        super().__init__(name=f"Row{bits}")
        self.bits = bits
        self.lanes = VECTOR_BITS // bits
        self.element = ir.IntType(bits)
        self.vector = ir.VectorType(self.element, self.lanes)
        # All that a copy of an array promises; it costs nothing to ask for no more.
        self.alignment = bits // 8


_KINDS = {bits: RowType(bits) for bits in WIDTHS}


def row_type(given: Any) -> RowType:
    """Return the type of what is a row, or an array of rows."""
    return given if isinstance(given, RowType) else _KINDS[given.dtype.bitwidth]


def number_type(given: Any) -> types.Type:
    """Return the type of a number, whatever is given."""
    return types.int64


def no_type(given: Any) -> types.Type:
    """Return the type of nothing."""
    return types.none


@register_model(RowType)
class _RowModel(PrimitiveModel):
    def __init__(self, manager: Any, kind: RowType) -> None:
        super().__init__(manager, kind, kind.vector)


def rows_of(switches: int, bits: int) -> int:
    """Return how many rows so many switches are, of numbers of so many bits."""
    return -(-switches * bits // VECTOR_BITS)


def in_place(function: Callable[..., Any], result: Callable[[Any], types.Type], *kinds: Any) -> Callable[[Any], Any]:
    """Have compiled functions do what a function of rows, arrays and numbers does, in place, without a call.

    `result` tells its type by that of the first argument.
    """

    def generic(self: Any, given: Any, named: Any) -> Any:
        fits = len(given) == len(kinds) and all(map(isinstance, given, kinds))
        return signature(result(given[0]), *given) if fits else None

    infer_global(function)(type(f"_{function.__name__}", (AbstractTemplate,), {"generic": generic}))
    return lower_builtin(function, *kinds)


def row_bits(rows: np.ndarray) -> int:
    """Return the bits of a number, of an array of rows."""
    return 8 * rows.dtype.itemsize


@in_place(row_bits, number_type, types.Array)
def _bits(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return WORD(row_type(signature.args[0]).bits)


def row_size(rows: np.ndarray) -> int:
    """Return how many switches are in a row."""
    return VECTOR_BITS // row_bits(rows)


@in_place(row_size, number_type, types.Array)
def _size(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return WORD(row_type(signature.args[0]).lanes)


def row_shift(rows: np.ndarray) -> int:
    """Return of how many bits a switch's number in its row is."""
    return row_size(rows).bit_length() - 1


@in_place(row_shift, number_type, types.Array)
def _shift(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return WORD(row_type(signature.args[0]).lanes.bit_length() - 1)


@compiled
def row_of(rows: np.ndarray, s: int) -> int:
    """Return the row of a switch."""
    return s >> row_shift(rows)


@compiled
def lane_of(rows: np.ndarray, s: int) -> int:
    """Return its number there."""
    return s & (row_size(rows) - 1)


@compiled
def switch_in(rows: np.ndarray, row: int, lane: int) -> int:
    """Return the switch with a number in a row."""
    return row << row_shift(rows) | lane
