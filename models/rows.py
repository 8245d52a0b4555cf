"""Rows: a number of each of some switches in one, for what is done with all of them at once.

A row holds 16 bits of each of 32 switches, or 8 of each of 64: sets of ports or VCs, a bit each, or one of them as the
only bit. With 32, switch s is number s % 32 of row s // 32. Arrays of rows are flat: row n begins at 32 n. Of what kind
they are is told by an array's type, so that it costs nothing to ask. Compiled, a row is a vector of the processor; to
Python it is an array.
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

VECTOR_BITS = 512
WIDTHS = 8, 16  # bits of a number

Row = Any  # to Python, numpy.ndarray: uint8 [64] or uint16 [32]
_WORD = ir.IntType(64)


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


_ROWS = {bits: RowType(bits) for bits in WIDTHS}


def _row_type(given: Any) -> RowType:
    """Return the type of what is a row, or an array of rows."""
    return given if isinstance(given, RowType) else _ROWS[given.dtype.bitwidth]


def _number(given: Any) -> types.Type:
    return types.int64


def _nothing(given: Any) -> types.Type:
    return types.none


@register_model(RowType)
class _RowModel(PrimitiveModel):
    def __init__(self, manager: Any, kind: RowType) -> None:
        super().__init__(manager, kind, kind.vector)


def rows_of(switches: int, bits: int) -> int:
    """Return how many rows so many switches are, of numbers of so many bits."""
    return -(-switches * bits // VECTOR_BITS)


def _in_place(function: Callable[..., Any], result: Callable[[Any], types.Type], *kinds: Any) -> Callable[[Any], Any]:
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


@_in_place(row_bits, _number, types.Array)
def _bits(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return _WORD(_row_type(signature.args[0]).bits)


def row_size(rows: np.ndarray) -> int:
    """Return how many switches are in a row."""
    return VECTOR_BITS // row_bits(rows)


@_in_place(row_size, _number, types.Array)
def _size(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return _WORD(_row_type(signature.args[0]).lanes)


def row_shift(rows: np.ndarray) -> int:
    """Return of how many bits a switch's number in its row is."""
    return row_size(rows).bit_length() - 1


@_in_place(row_shift, _number, types.Array)
def _shift(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return _WORD(_row_type(signature.args[0]).lanes.bit_length() - 1)


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


def row_load(rows: np.ndarray, n: int) -> Row:
    """Return row `n` of an array of rows."""
    size = row_size(rows)
    return rows[size * n : size * (n + 1)].copy()


@_in_place(row_load, _row_type, types.Array, types.Integer)
def _load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    place = _row_place(context, builder, signature, arguments)
    return builder.load(place, align=_row_type(signature.args[0]).alignment)


def row_store(rows: np.ndarray, n: int, row: Row) -> None:
    """Write row `n` of an array of rows."""
    size = row_size(rows)
    rows[size * n : size * (n + 1)] = row


@_in_place(row_store, _nothing, types.Array, types.Integer, RowType)
def _store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    place = _row_place(context, builder, signature, arguments)
    builder.store(arguments[2], place, align=_row_type(signature.args[0]).alignment)
    return context.get_dummy_value()


def _place(context: Any, builder: Any, signature: Any, arguments: Any, size: int) -> Any:
    """Return where something of an array is, of so many elements each: nothing is asked, not even if n is below 0."""
    rows = context.make_array(signature.args[0])(context, builder, value=arguments[0])
    n = context.cast(builder, arguments[1], signature.args[1], types.int64)
    return builder.gep(rows.data, [builder.mul(n, _WORD(size))], inbounds=True)


def _row_place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = _row_type(signature.args[0])
    return builder.bitcast(_place(context, builder, signature, arguments, kind.lanes), kind.vector.as_pointer())


def number_in(rows: np.ndarray, n: int) -> int:
    """Return number `n`, counted from its beginning, of an array of rows or of what goes with them."""
    return int(rows[n])


@_in_place(number_in, _number, types.Array, types.Integer)
def _number_in(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    number = builder.load(_place(context, builder, signature, arguments, 1))
    return number if number.type == _WORD else builder.zext(number, _WORD)


def set_number(rows: np.ndarray, n: int, number: int) -> None:
    """Write number `n` of an array of rows or of what goes with them."""
    rows[n] = number


@_in_place(set_number, _nothing, types.Array, types.Integer, types.Integer)
def _set_number(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    place = _place(context, builder, signature, arguments, 1)
    number = context.cast(builder, arguments[2], signature.args[2], types.int64)
    wide = place.type.pointee == _WORD
    builder.store(number if wide else builder.trunc(number, place.type.pointee), place)
    return context.get_dummy_value()


def row_spread(like: np.ndarray | Row, number: int) -> Row:
    """Return a row, of the kind of another or of an array's, of which every number is this one."""
    return np.full(row_size(like), number, like.dtype)


def _spread(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = signature.return_type
    number = context.cast(builder, arguments[1], signature.args[1], types.int64)
    one = builder.insert_element(kind.vector(ir.Undefined), builder.trunc(number, kind.element), ir.IntType(32)(0))
    return _shuffle(builder, kind, one, [0] * kind.lanes)


_in_place(row_spread, _row_type, (types.Array, RowType), types.Integer)
for _kind in types.Array, RowType:
    lower_builtin(row_spread, _kind, types.Integer)(_spread)


def _shuffle(builder: Any, kind: RowType, row: Any, places: list[int]) -> Any:
    return builder.shuffle_vector(row, kind.vector(ir.Undefined), ir.VectorType(ir.IntType(32), kind.lanes)(places))


def row_some(row: Row) -> Row:
    """Return all bits where a row has any, none where it has none."""
    return (row != 0) * row.dtype.type(-1 & (1 << row_bits(row)) - 1)


@_in_place(row_some, _row_type, RowType)
def _some(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.sext(_any(builder, signature, arguments), signature.return_type.vector)


def row_lanes(row: Row) -> int:
    """Return which numbers of a row are not 0, a bit each; compiled, 64 of them are a number below 0."""
    return sum(1 << int(lane) for lane in np.flatnonzero(row))


@_in_place(row_lanes, _number, RowType)
def _lanes(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = builder.bitcast(_any(builder, signature, arguments), ir.IntType(signature.args[0].lanes))
    return lanes if lanes.type == _WORD else builder.zext(lanes, _WORD)


def row_swap(row: Row, swaps: np.ndarray, n: int) -> Row:
    """Return a row whose numbers changed places, in as many steps as a switch's number in a row has bits.

    Step b takes the number 2^b places away where row `n` + b of `swaps` has all bits, where it has none that which is
    there: a butterfly network.
    """
    for step in range(row_shift(row)):
        mask = row_load(swaps, n + step)
        row = row[np.arange(len(row)) ^ 1 << step] & mask | row & ~mask
    return row


@_in_place(row_swap, _row_type, RowType, types.Array, types.Integer)
def _swap(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = signature.return_type
    row, swaps, n = arguments
    first = context.cast(builder, n, signature.args[2], types.int64)
    for step in range(kind.lanes.bit_length() - 1):
        at = builder.add(first, _WORD(step))
        place = _row_place(context, builder, types.void(signature.args[1], types.int64), (swaps, at))
        mask = builder.load(place, align=kind.alignment)
        other = _shuffle(builder, kind, row, [lane ^ 1 << step for lane in range(kind.lanes)])
        row = builder.or_(builder.and_(other, mask), builder.and_(row, builder.not_(mask)))
    return row


def _any(builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.icmp_unsigned("!=", arguments[0], signature.args[0].vector(None))


@_in_place(operator.and_, _row_type, RowType, RowType)
def _and(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.and_(*arguments)


@_in_place(operator.or_, _row_type, RowType, RowType)
def _or(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.or_(*arguments)


@_in_place(operator.xor, _row_type, RowType, RowType)
def _xor(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.xor(*arguments)


@_in_place(operator.add, _row_type, RowType, RowType)
def _add(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.add(*arguments)


@_in_place(operator.invert, _row_type, RowType)
def _invert(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.not_(arguments[0])


@_in_place(operator.neg, _row_type, RowType)
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
    last = row_some(member & row_spread(member, 1 << size - 1))
    return up & row_spread(member, (1 << size) - 1) | last & row_spread(member, 1)
