"""Prefetch in the compiler (`models.jit.prefetch`)."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from models.jit.compiler.intrinsic import call, no_type, register_intrinsic
from models.jit.prefetch import prefetch

WRITE, KEEP, DATA = 1, 3, 1  # arguments of LLVM's prefetch: for writing, keep in all caches, data (not instructions)


@register_intrinsic(prefetch, no_type, types.Array, types.BaseTuple)
def _lower_prefetch(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = signature.args[0]
    values = context.make_array(array)(context, builder, value=arguments[0])
    shape = cgutils.unpack_tuple(builder, values.shape)
    strides = cgutils.unpack_tuple(builder, values.strides)
    indices = [builder.extract_value(arguments[1], d) for d in range(array.ndim)]
    pointer = cgutils.get_item_pointer2(context, builder, values.data, shape, strides, array.layout, indices)
    byte = ir.IntType(8).as_pointer()
    number = ir.IntType(32)
    given = [builder.bitcast(pointer, byte), number(WRITE), number(KEEP), number(DATA)]
    call(builder, "llvm.prefetch.p0i8", ir.VoidType(), given)
    return context.get_dummy_value()
