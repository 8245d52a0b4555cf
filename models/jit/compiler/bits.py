"""Bit-mask functions in the compiler (`models.jit.bits`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import StructModel
from numba.core.imputils import RefType, iternext_impl
from numba.extending import lower_builtin, register_model, type_callable

from models.jit.bits import assume_u32, count_trailing_zeros, each_member, mask_from_bit

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


class MembersType(types.SimpleIteratorType):
    """Numba's type of the iterator over the members of a set; its state, the members left, LLVM keeps in a register."""

    def __init__(self) -> None:
        super().__init__("members", types.int64)


MEMBERS = MembersType()


@register_model(MembersType)
class _MembersModel(StructModel):
    def __init__(self, manager: Any, kind: MembersType) -> None:
        super().__init__(manager, kind, [("rest", types.EphemeralPointer(types.int64))])


@type_callable(each_member)
def _type_members(context: Any) -> Callable[[types.Type], types.Type | None]:
    return lambda mask: MEMBERS if isinstance(mask, types.Integer) else None


@lower_builtin(each_member, types.Integer)
def _lower_members(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    iterator = cgutils.create_struct_proxy(MEMBERS)(context, builder)
    mask = context.cast(builder, arguments[0], signature.args[0], types.int64)
    iterator.rest = cgutils.alloca_once_value(builder, mask)
    return iterator._getvalue()


@lower_builtin("iternext", MembersType)
@iternext_impl(RefType.UNTRACKED)
def _lower_next_member(context: Any, builder: Any, signature: Any, arguments: Any, result: Any) -> None:
    place = cgutils.create_struct_proxy(MEMBERS)(context, builder, value=arguments[0]).rest
    rest = builder.load(place)
    is_left = builder.icmp_unsigned("!=", rest, INT64(0))
    result.set_valid(is_left)
    with builder.if_then(is_left):
        result.yield_(builder.cttz(rest, INT1(1)))
        builder.store(builder.and_(rest, builder.sub(rest, INT64(1))), place)
