"""Rows: a number of each of 32 switches in one, for what is done with all of them at once.

A row holds 16 bits of each of its switches: sets of ports or VCs, a bit each, or one of them as the only bit. Switch s
is number s % 32 of row s // 32. Arrays of rows are flat: row n begins at 32 n. Compiled, a row is a vector of the
processor; to Python it is an array.
"""

from __future__ import annotations

import operator
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

ROW = 32  # switches
ROW_BITS = 16  # of each
ROW_SHIFT = ROW.bit_length() - 1
ALL = (1 << ROW_BITS) - 1

Row = Any  # to Python, numpy.ndarray: uint16 [32]
_ELEMENT, _LANES, _WORD = ir.IntType(ROW_BITS), ir.IntType(ROW), ir.IntType(64)
_VECTOR = ir.VectorType(_ELEMENT, ROW)
_ALIGNMENT = ROW_BITS // 8  # all that a copy of an array promises; it costs nothing to ask for no more


class RowType(types.Type):
    """Numba's type of a row."""

    def __init__(self) -> None:
        super().__init__(name="Row")


_ROW = RowType()


@register_model(RowType)
class _RowModel(PrimitiveModel):
    def __init__(self, manager: Any, kind: types.Type) -> None:
        super().__init__(manager, kind, _VECTOR)


@compiled
def row_of(s: int) -> int:
    """Return the row of a switch."""
    return s >> ROW_SHIFT


@compiled
def lane_of(s: int) -> int:
    """Return its number there."""
    return s & (ROW - 1)


def rows_of(switches: int) -> int:
    """Return how many rows so many switches are."""
    return -(-switches // ROW)


def _in_place(function: Callable[..., Any], result: types.Type, *kinds: Any) -> Callable[[Any], Any]:
    """Have compiled functions do what a function of rows, arrays and numbers does, in place, without a call."""

    def generic(self: Any, given: Any, named: Any) -> Any:
        fits = len(given) == len(kinds) and all(map(isinstance, given, kinds))
        return signature(result, *given) if fits else None

    infer_global(function)(type(f"_{function.__name__}", (AbstractTemplate,), {"generic": generic}))
    return lower_builtin(function, *kinds)


def row_load(rows: np.ndarray, n: int) -> Row:
    """Return row `n` of an array of rows, uint16 [32 times as many]."""
    return rows[ROW * n : ROW * (n + 1)].copy()


@_in_place(row_load, _ROW, types.Array, types.Integer)
def _load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.load(_row_place(context, builder, signature, arguments), align=_ALIGNMENT)


def row_store(rows: np.ndarray, n: int, row: Row) -> None:
    """Write row `n` of an array of rows."""
    rows[ROW * n : ROW * (n + 1)] = row


@_in_place(row_store, types.none, types.Array, types.Integer, RowType)
def _store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    builder.store(arguments[2], _row_place(context, builder, signature, arguments), align=_ALIGNMENT)
    return context.get_dummy_value()


def _place(context: Any, builder: Any, signature: Any, arguments: Any, size: int) -> Any:
    """Return where something of an array is, of so many elements each: nothing is asked, not even if n is below 0."""
    rows = context.make_array(signature.args[0])(context, builder, value=arguments[0])
    n = context.cast(builder, arguments[1], signature.args[1], types.int64)
    return builder.gep(rows.data, [builder.mul(n, _WORD(size))], inbounds=True)


def _row_place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.bitcast(_place(context, builder, signature, arguments, ROW), _VECTOR.as_pointer())


def number_in(rows: np.ndarray, n: int) -> int:
    """Return number `n`, counted from its beginning, of an array of rows or of what goes with them."""
    return int(rows[n])


@_in_place(number_in, types.int64, types.Array, types.Integer)
def _number(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    number = builder.load(_place(context, builder, signature, arguments, 1))
    return number if number.type == _WORD else builder.zext(number, _WORD)


def set_number(rows: np.ndarray, n: int, number: int) -> None:
    """Write number `n` of an array of rows or of what goes with them."""
    rows[n] = number


@_in_place(set_number, types.none, types.Array, types.Integer, types.Integer)
def _set_number(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    place = _place(context, builder, signature, arguments, 1)
    number = context.cast(builder, arguments[2], signature.args[2], types.int64)
    wide = place.type.pointee == _WORD
    builder.store(number if wide else builder.trunc(number, place.type.pointee), place)
    return context.get_dummy_value()


def row_spread(number: int) -> Row:
    """Return a row of which every number is this one."""
    return np.full(ROW, number, np.uint16)


@_in_place(row_spread, _ROW, types.Integer)
def _spread(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    number = context.cast(builder, arguments[0], signature.args[0], types.int64)
    one = builder.insert_element(_VECTOR(ir.Undefined), builder.trunc(number, _ELEMENT), ir.IntType(32)(0))
    return builder.shuffle_vector(one, _VECTOR(ir.Undefined), ir.VectorType(ir.IntType(32), ROW)([0] * ROW))


def row_some(row: Row) -> Row:
    """Return all bits where a row has any, none where it has none."""
    return np.where(row != 0, ALL, 0).astype(np.uint16)


@_in_place(row_some, _ROW, RowType)
def _some(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.sext(_any(builder, arguments[0]), _VECTOR)


def row_lanes(row: Row) -> int:
    """Return which numbers of a row are not 0, a bit each."""
    return sum(1 << int(lane) for lane in np.flatnonzero(row))


@_in_place(row_lanes, types.int64, RowType)
def _lanes(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.zext(builder.bitcast(_any(builder, arguments[0]), _LANES), _WORD)


def _any(builder: Any, row: Any) -> Any:
    return builder.icmp_unsigned("!=", row, _VECTOR(None))


@_in_place(operator.and_, _ROW, RowType, RowType)
def _and(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.and_(*arguments)


@_in_place(operator.or_, _ROW, RowType, RowType)
def _or(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.or_(*arguments)


@_in_place(operator.xor, _ROW, RowType, RowType)
def _xor(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.xor(*arguments)


@_in_place(operator.add, _ROW, RowType, RowType)
def _add(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.add(*arguments)


@_in_place(operator.invert, _ROW, RowType)
def _invert(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.not_(arguments[0])


@_in_place(operator.neg, _ROW, RowType)
def _neg(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.neg(arguments[0])


@compiled
def row_where(mask: Row, yes: Row, no: Row) -> Row:
    """Return the numbers of `yes` where `mask` is all bits, of `no` where it is none."""
    return yes & mask | no & ~mask


@compiled
def row_first(sets: Row, start: Row) -> Row:
    """Return of each set, if it is not empty, its first member at or after `start`, cyclically: as the only bit."""
    upper = sets & -start
    found = row_where(row_some(upper), upper, sets)
    return found & -found


@compiled
def row_next(member: Row, size: int) -> Row:
    """Return what follows each member, of numbers below `size`, cyclically: as the only bit."""
    up = member + member
    last = row_some(member & row_spread(1 << size - 1))
    return up & row_spread((1 << size) - 1) | last & row_spread(1)
