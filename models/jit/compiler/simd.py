"""SIMD operations in the compiler (`models.jit.simd`)."""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from models.jit.compiler.intrinsic import WORD, call, item_place, no_type, number_type, register_intrinsic
from models.jit.compiler.simd_type import VectorType, vector_type
from models.jit.simd import (
    VC_MASK,
    broadcast,
    compress_store,
    decode_one_hot,
    fill_bytes,
    movemask,
    nonzero_mask,
    number_in,
    permute,
    set_number,
    simd_load,
    simd_store,
)
from models.jit.simd_type import LANES

# Permutations across all lanes of 512 bits in one instruction, by lane width: LLVM's name and the processor feature.
PERMUTES = {
    8: ("llvm.x86.avx512.permvar.qi.512", "avx512vbmi"),
    16: ("llvm.x86.avx512.vpermi2var.hi.512", "avx512bw"),
}
STEP_BITS = 512
_BYTES = ir.VectorType(ir.IntType(8), LANES)


@register_intrinsic(simd_load, vector_type, types.Array, types.Integer)
def _lower_simd_load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    place = _vector_place(context, builder, signature, arguments)
    return builder.load(place, align=vector_type(signature.args[0]).alignment)


@register_intrinsic(simd_store, no_type, types.Array, types.Integer, VectorType)
def _lower_simd_store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    place = _vector_place(context, builder, signature, arguments)
    builder.store(arguments[2], place, align=vector_type(signature.args[0]).alignment)
    return context.get_dummy_value()


def _vector_place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = vector_type(signature.args[0])
    return builder.bitcast(item_place(context, builder, signature, arguments, LANES), kind.vector.as_pointer())


@register_intrinsic(number_in, number_type, types.Array, types.Integer)
def _lower_number_in(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    number = builder.load(item_place(context, builder, signature, arguments))
    return number if number.type == WORD else builder.zext(number, WORD)


@register_intrinsic(set_number, no_type, types.Array, types.Integer, types.Integer)
def _lower_set_number(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    place = item_place(context, builder, signature, arguments)
    number = context.cast(builder, arguments[2], signature.args[2], types.int64)
    wide = place.type.pointee == WORD
    builder.store(number if wide else builder.trunc(number, place.type.pointee), place)
    return context.get_dummy_value()


@register_intrinsic(broadcast, vector_type, types.Array | VectorType, types.Integer)
def _lower_broadcast(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    number = context.cast(builder, arguments[1], signature.args[1], types.int64)
    return _all(builder, signature.return_type.vector, number)


def _all(builder: Any, vector: Any, number: Any) -> Any:
    """Return a vector with `number` in each lane."""
    one = builder.insert_element(vector(ir.Undefined), builder.trunc(number, vector.element), ir.IntType(32)(0))
    return builder.shuffle_vector(one, vector(ir.Undefined), ir.VectorType(ir.IntType(32), LANES)([0] * LANES))


@register_intrinsic(nonzero_mask, vector_type, types.Array | VectorType, VectorType)
def _lower_nonzero_mask(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.sext(_any(builder, signature.args[1], arguments[1]), signature.return_type.vector)


@register_intrinsic(broadcast, number_type, types.Integer, types.Integer)
def _lower_number(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return context.cast(builder, arguments[1], signature.args[1], types.int64)


@register_intrinsic(nonzero_mask, number_type, types.Integer, types.Integer)
def _lower_nonzero_number(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    number = _lower_number(context, builder, signature, arguments)
    return builder.sext(builder.icmp_unsigned("!=", number, WORD(0)), WORD)


@register_intrinsic(movemask, number_type, VectorType)
def _lower_movemask(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.bitcast(_any(builder, signature.args[0], arguments[0]), WORD)


@register_intrinsic(compress_store, number_type, types.Array, types.Integer, VectorType)
def _lower_compress_store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    places = builder.bitcast(item_place(context, builder, signature, arguments), _BYTES.as_pointer())
    lanes = _any(builder, signature.args[2], arguments[2])
    if _has(context, "avx512vbmi2"):
        every = _BYTES(list(range(LANES)))
        found = call(builder, "llvm.x86.avx512.mask.compress.v64i8", _BYTES, [every, _BYTES(None), lanes])
        builder.store(found, places, align=1)
        return builder.ctpop(builder.bitcast(lanes, WORD))
    rest = cgutils.alloca_once_value(builder, builder.bitcast(lanes, WORD))
    first = builder.bitcast(places, ir.IntType(8).as_pointer())
    count = builder.ctpop(builder.load(rest))
    with cgutils.for_range(builder, count) as loop:
        mask = builder.load(rest)
        lane = builder.trunc(builder.cttz(mask, ir.IntType(1)(1)), ir.IntType(8))
        builder.store(lane, builder.gep(first, [loop.index], inbounds=True))
        builder.store(builder.and_(mask, builder.sub(mask, WORD(1))), rest)
    return count


@register_intrinsic(fill_bytes, no_type, types.Array, types.Integer, types.Integer)
def _lower_fill_bytes(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    number = context.cast(builder, arguments[2], signature.args[2], types.int64)
    places = builder.bitcast(item_place(context, builder, signature, arguments), _BYTES.as_pointer())
    builder.store(_all(builder, _BYTES, number), places, align=1)
    return context.get_dummy_value()


@register_intrinsic(decode_one_hot, vector_type, VectorType)
def _lower_decode_one_hot(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind, vector = signature.return_type, arguments[0]
    if kind.bits == 8 and _has(context, "avx512bw"):
        # pshufb reads the lowest four bits, and the highest bit, which is never set here.
        table = _BYTES([1 << n >> 1 & 255 for n in range(VC_MASK + 1)] * (LANES // (VC_MASK + 1)))
        return call(builder, "llvm.x86.avx512.pshuf.b.512", _BYTES, [table, vector])
    wide = ir.VectorType(ir.IntType(16), LANES)
    number = vector if kind.bits == 16 else builder.zext(vector, wide)
    number = builder.and_(number, wide([VC_MASK] * LANES))
    found = builder.lshr(builder.shl(wide([1] * LANES), number), wide([1] * LANES))
    return found if kind.bits == 16 else builder.trunc(found, kind.vector)


@register_intrinsic(permute, vector_type, VectorType, VectorType)
def _lower_permute(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = signature.return_type
    vector, places = arguments
    instruction, needed = PERMUTES[kind.bits]
    if _has(context, needed):
        if kind.bits * LANES == STEP_BITS:
            return call(builder, instruction, kind.vector, [vector, places])
        lower, upper = _halves(builder, vector)
        found = [call(builder, instruction, lower.type, [lower, half, upper]) for half in _halves(builder, places)]
        return builder.shuffle_vector(*found, ir.VectorType(ir.IntType(32), LANES)(list(range(LANES))))
    there = cgutils.alloca_once_value(builder, vector)
    numbers = builder.bitcast(there, kind.element.as_pointer())
    found = kind.vector(ir.Undefined)
    for lane in map(ir.IntType(32), range(LANES)):
        place = builder.zext(builder.extract_element(places, lane), WORD)
        number = builder.load(builder.gep(numbers, [builder.and_(place, WORD(LANES - 1))], inbounds=True))
        found = builder.insert_element(found, number, lane)
    return found


def _has(context: Any, feature: str) -> bool:
    """Return whether the target processor has `feature`."""
    _, _, features = context.codegen().magic_tuple()
    return f"+{feature}" in features.split(",")


def _halves(builder: Any, vector: Any) -> list[Any]:
    """Return the lower and the upper half of a vector."""
    places = ir.VectorType(ir.IntType(32), LANES // 2)
    ranges = range(LANES // 2), range(LANES // 2, LANES)
    return [builder.shuffle_vector(vector, vector.type(ir.Undefined), places(list(each))) for each in ranges]


def _any(builder: Any, kind: VectorType, vector: Any) -> Any:
    return builder.icmp_unsigned("!=", vector, kind.vector(None))


def _register_operator(function: Any, method: str, operands: int) -> None:
    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return getattr(builder, method)(*arguments)

    register_intrinsic(function, vector_type, *[VectorType] * operands)(lower)


for _operator, _method, _operands in (
    (operator.and_, "and_", 2),
    (operator.or_, "or_", 2),
    (operator.xor, "xor", 2),
    (operator.add, "add", 2),
    (operator.invert, "not_", 1),
    (operator.neg, "neg", 1),
):
    _register_operator(_operator, _method, _operands)
