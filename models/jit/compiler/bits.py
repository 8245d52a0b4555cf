"""Bit-mask functions in the compiler (`models.jit.bits`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable

from models.jit.bits import assume_u32, count_trailing_zeros, mask_from_bit

INT1, INT32, INT64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)
Generate = Callable[[Any, Any], Any]  # called with numba's builder and an int64


def _register_intrinsic(function: Callable[[int], int]) -> Callable[[Generate], Generate]:
    """Register an LLVM expression as the compiled form of a function of one integer."""

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


@_register_intrinsic(assume_u32)
def _lower_assume_u32(builder: Any, number: Any) -> Any:
    return builder.zext(builder.trunc(number, INT32), INT64)


@_register_intrinsic(mask_from_bit)
def _lower_mask_from_bit(builder: Any, bit: Any) -> Any:
    return builder.asm(ir.FunctionType(INT64, [INT64]), "", "=r,0", [builder.neg(bit)], False)


@_register_intrinsic(count_trailing_zeros)
def _lower_count_trailing_zeros(builder: Any, mask: Any) -> Any:
    return builder.cttz(mask, INT1(1))
