"""Rows: a number of each of some switches in one, for what is done with all of them at once.

Such a number is a set of ports or VCs, a bit each, or one of them as the only bit; how many there are, and of how many
bits, is the row's kind (`models.row_kind`). Arrays of rows are flat. Compiled, a row is a vector of the processor; to
Python it is an array.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.imputils import lower_builtin

from models.compiled import compiled
from models.row_kind import WORD, Row, RowType, in_place, no_type, number_type, row_bits, row_shift, row_size, row_type


def row_load(rows: np.ndarray, n: int) -> Row:
    """Return row `n` of an array of rows."""
    size = row_size(rows)
    return rows[size * n : size * (n + 1)].copy()


@in_place(row_load, row_type, types.Array, types.Integer)
def _load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    place = _row_place(context, builder, signature, arguments)
    return builder.load(place, align=row_type(signature.args[0]).alignment)


def row_store(rows: np.ndarray, n: int, row: Row) -> None:
    """Write row `n` of an array of rows."""
    size = row_size(rows)
    rows[size * n : size * (n + 1)] = row


@in_place(row_store, no_type, types.Array, types.Integer, RowType)
def _store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    place = _row_place(context, builder, signature, arguments)
    builder.store(arguments[2], place, align=row_type(signature.args[0]).alignment)
    return context.get_dummy_value()


def _place(context: Any, builder: Any, signature: Any, arguments: Any, size: int) -> Any:
    """Return where something of an array is, of so many elements each: nothing is asked, not even if n is below 0."""
    rows = context.make_array(signature.args[0])(context, builder, value=arguments[0])
    n = context.cast(builder, arguments[1], signature.args[1], types.int64)
    return builder.gep(rows.data, [builder.mul(n, WORD(size))], inbounds=True)


def _row_place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = row_type(signature.args[0])
    return builder.bitcast(_place(context, builder, signature, arguments, kind.lanes), kind.vector.as_pointer())


def number_in(rows: np.ndarray, n: int) -> int:
    """Return number `n`, counted from its beginning, of an array of rows or of what goes with them."""
    return int(rows[n])


@in_place(number_in, number_type, types.Array, types.Integer)
def _number_in(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    number = builder.load(_place(context, builder, signature, arguments, 1))
    return number if number.type == WORD else builder.zext(number, WORD)


def set_number(rows: np.ndarray, n: int, number: int) -> None:
    """Write number `n` of an array of rows or of what goes with them."""
    rows[n] = number


@in_place(set_number, no_type, types.Array, types.Integer, types.Integer)
def _set_number(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    place = _place(context, builder, signature, arguments, 1)
    number = context.cast(builder, arguments[2], signature.args[2], types.int64)
    wide = place.type.pointee == WORD
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


in_place(row_spread, row_type, (types.Array, RowType), types.Integer)
for _kind in types.Array, RowType:
    lower_builtin(row_spread, _kind, types.Integer)(_spread)


def _shuffle(builder: Any, kind: RowType, row: Any, places: list[int]) -> Any:
    return builder.shuffle_vector(row, kind.vector(ir.Undefined), ir.VectorType(ir.IntType(32), kind.lanes)(places))


def row_some(row: Row) -> Row:
    """Return all bits where a row has any, none where it has none."""
    return (row != 0) * row.dtype.type(-1 & (1 << row_bits(row)) - 1)


@in_place(row_some, row_type, RowType)
def _some(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.sext(_any(builder, signature, arguments), signature.return_type.vector)


def row_lanes(row: Row) -> int:
    """Return which numbers of a row are not 0, a bit each; compiled, 64 of them are a number below 0."""
    return sum(1 << int(lane) for lane in np.flatnonzero(row))


@in_place(row_lanes, number_type, RowType)
def _lanes(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    lanes = builder.bitcast(_any(builder, signature, arguments), ir.IntType(signature.args[0].lanes))
    return lanes if lanes.type == WORD else builder.zext(lanes, WORD)


def row_swap(row: Row, swaps: np.ndarray, n: int) -> Row:
    """Return a row whose numbers changed places, in as many steps as a switch's number in a row has bits.

    Step b takes the number 2^b places away where row `n` + b of `swaps` has all bits, where it has none that which is
    there: a butterfly network.
    """
    for step in range(row_shift(row)):
        mask = row_load(swaps, n + step)
        row = row[np.arange(len(row)) ^ 1 << step] & mask | row & ~mask
    return row


@in_place(row_swap, row_type, RowType, types.Array, types.Integer)
def _swap(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = signature.return_type
    row, swaps, n = arguments
    first = context.cast(builder, n, signature.args[2], types.int64)
    for step in range(kind.lanes.bit_length() - 1):
        at = builder.add(first, WORD(step))
        place = _row_place(context, builder, types.void(signature.args[1], types.int64), (swaps, at))
        mask = builder.load(place, align=kind.alignment)
        other = _shuffle(builder, kind, row, [lane ^ 1 << step for lane in range(kind.lanes)])
        row = builder.or_(builder.and_(other, mask), builder.and_(row, builder.not_(mask)))
    return row


def _any(builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.icmp_unsigned("!=", arguments[0], signature.args[0].vector(None))


@in_place(operator.and_, row_type, RowType, RowType)
def _and(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.and_(*arguments)


@in_place(operator.or_, row_type, RowType, RowType)
def _or(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.or_(*arguments)


@in_place(operator.xor, row_type, RowType, RowType)
def _xor(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.xor(*arguments)


@in_place(operator.add, row_type, RowType, RowType)
def _add(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.add(*arguments)


@in_place(operator.invert, row_type, RowType)
def _invert(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.not_(arguments[0])


@in_place(operator.neg, row_type, RowType)
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
