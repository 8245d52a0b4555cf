"""Bit masks: sets of ports or VCs as integers, of which only the members are visited."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable

from models.jit.compiled import compiled

INT1, INT32, INT64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)
Generate = Callable[[Any, Any], Any]  # with numba's builder and an int64


def _register_intrinsic(function: Callable[[int], int]) -> Callable[[Generate], Generate]:
    """Register an LLVM expression as the compiled form of a function of an integer."""

    @type_callable(function)
    def _typed(context: Any) -> Callable[[types.Type], types.Type | None]:
        return lambda number: types.int64 if isinstance(number, types.Integer | types.Boolean) else None

    def register(generate: Generate) -> Generate:
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return generate(builder, context.cast(builder, arguments[0], signature.args[0], types.int64))

        lower_builtin(function, types.Integer)(lower)
        lower_builtin(function, types.Boolean)(lower)
        return generate

    return register


def assume_u32(number: int) -> int:
    """Return a number that is known to be from 0 to 2^32 − 1.

    An index that cannot be negative needs no test for Python's counting from the end. Compiled, nothing is checked.
    """
    assert 0 <= number < 1 << 32
    return int(number)


@_register_intrinsic(assume_u32)
def _lower_assume_u32(builder: Any, number: Any) -> Any:
    return builder.zext(builder.trunc(number, INT32), INT64)


def mask_from_bit(bit: int) -> int:
    """Return a mask of all bits if `bit` is 1, of none if it is 0.

    Compiled, it is opaque to the optimiser, which would otherwise make a branch of the two cases: where 0 and 1 are
    equally likely, masking is faster than a mispredicted branch.
    """
    return -int(bit)


@_register_intrinsic(mask_from_bit)
def _lower_mask_from_bit(builder: Any, bit: Any) -> Any:
    return builder.asm(ir.FunctionType(INT64, [INT64]), "", "=r,0", [builder.neg(bit)], False)


def count_trailing_zeros(mask: int) -> int:
    """Return the number of the lowest set bit of a mask that is not 0."""
    return (int(mask) & -int(mask)).bit_length() - 1


@_register_intrinsic(count_trailing_zeros)
def _lower_count_trailing_zeros(builder: Any, mask: Any) -> Any:
    return builder.cttz(mask, INT1(1))


@compiled
def popcount(mask: int) -> int:
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
    return count_trailing_zeros(upper) if upper else count_trailing_zeros(mask)


@compiled
def wrap_index(number: int, size: int) -> int:
    """Return a number below 2 · `size` as an index of a ring buffer of that size."""
    if size & (size - 1):
        return number if number < size else number - size
    return number & (size - 1)
