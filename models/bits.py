"""Bit masks: sets of ports or VCs as integers, visited without looking at empty places."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from models.compiled import compiled


@intrinsic
def _count_trailing_zeros(typing_context: Any, mask: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.int64), generate


@intrinsic
def _zero_extended(typing_context: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        narrow = arguments[0]
        if narrow.type.width > 32:
            narrow = builder.trunc(narrow, context.get_value_type(types.int32))
        return builder.zext(narrow, context.get_value_type(types.int64))

    return types.int64(number), generate


def index(number: int) -> int:
    """Return a number from 0 to 2^32 − 1 that is known to be none below 0.

    What is indexed by it need not ask whether to count from the end. Compiled, nothing is checked.
    """
    assert 0 <= number < 1 << 32
    return int(number)


@overload(index)
def _index_compiled(number):  # type: ignore[no-untyped-def]  # numba compares the bare signatures
    return lambda number: _zero_extended(number)  # type: ignore[call-arg]


@intrinsic
def _hidden(typing_context: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = arguments[0].type
        return builder.asm(ir.FunctionType(kind, [kind]), "", "=r,0", arguments, False)

    return types.int64(types.int64), generate


def all_if(bit: int) -> int:
    """Return a mask of all bits if `bit` is 1, of none if it is 0.

    Compiled, it is kept from the compiler that there are but two cases, for each of which it would else write code,
    and a branch between them: where it is as often 0 as 1, to mask is faster.
    """
    return -int(bit)


@overload(all_if)
def _all_if_compiled(bit):  # type: ignore[no-untyped-def]  # numba compares the bare signatures
    return lambda bit: _hidden(-int(bit))  # type: ignore[call-arg]


def lowest(mask: int) -> int:
    """Return the number of the lowest set bit of a mask that is not 0."""
    return (int(mask) & -int(mask)).bit_length() - 1


@overload(lowest)
def _lowest_compiled(mask):  # type: ignore[no-untyped-def]  # numba compares the bare signatures
    return lambda mask: _count_trailing_zeros(mask)  # type: ignore[call-arg]


@compiled
def weight(mask: int) -> int:
    """Return how many bits of a mask are set."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@compiled
def first_from(mask: int, start: int) -> int:
    """Return the first set bit at or after `start`, cyclically; `mask` is not 0."""
    upper = mask & (-1 << start)
    return lowest(upper) if upper else lowest(mask)


@compiled
def wrapped(number: int, size: int) -> int:
    """Return a number below 2 · `size` as a place in a ring of that size."""
    if size & (size - 1):
        return number if number < size else number - size
    return number & (size - 1)
