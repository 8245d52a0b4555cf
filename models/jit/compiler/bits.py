"""Bit-mask functions in the compiler (`models.jit.bits`)."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import StructModel
from numba.core.imputils import RefType, iternext_impl
from numba.extending import lower_builtin, register_model

from models.jit.bits import assume_u32, count_trailing_zeros, each_member, mask_from_bit
from models.jit.compiler.intrinsic import number_type, register_intrinsic

INT1, INT32, INT64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)
NUMBER = types.Integer | types.Boolean


def _argument(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return the only argument as an int64."""
    return context.cast(builder, arguments[0], signature.args[0], types.int64)


@register_intrinsic(assume_u32, number_type, NUMBER)
def _lower_assume_u32(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    number = _argument(context, builder, signature, arguments)
    return builder.zext(builder.trunc(number, INT32), INT64)


@register_intrinsic(mask_from_bit, number_type, NUMBER)
def _lower_mask_from_bit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    mask = builder.neg(_argument(context, builder, signature, arguments))
    return builder.asm(ir.FunctionType(INT64, [INT64]), "", "=r,0", [mask], False)


@register_intrinsic(count_trailing_zeros, number_type, NUMBER)
def _lower_count_trailing_zeros(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.cttz(_argument(context, builder, signature, arguments), INT1(1))


class MembersType(types.SimpleIteratorType):
    """Numba's type of the iterator over the members of a set; its state, the members left, LLVM keeps in a register."""

    def __init__(self) -> None:
        super().__init__("members", types.int64)


MEMBERS = MembersType()


@register_model(MembersType)
class _MembersModel(StructModel):
    def __init__(self, manager: Any, kind: MembersType) -> None:
        super().__init__(manager, kind, [("rest", types.EphemeralPointer(types.int64))])


@register_intrinsic(each_member, lambda mask: MEMBERS, types.Integer)
def _lower_members(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    iterator = cgutils.create_struct_proxy(MEMBERS)(context, builder)
    iterator.rest = cgutils.alloca_once_value(builder, _argument(context, builder, signature, arguments))
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
