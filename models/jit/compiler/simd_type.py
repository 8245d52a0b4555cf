"""Numba types of SIMD vectors (`models.jit.simd_type`)."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.datamodel.models import PrimitiveModel
from numba.extending import register_model

from models.jit.compiler.intrinsic import WORD, number_type, register_intrinsic
from models.jit.simd_type import LANES, WIDTHS, lane_bits


class VectorType(types.Type):
    """Numba's type of a vector with lanes of `bits` bits."""

    def __init__(self, bits: int) -> None:
        super().__init__(name=f"Vector{bits}")
        self.bits = bits
        self.element = ir.IntType(bits)
        self.vector = ir.VectorType(self.element, LANES)
        # Arrays are aligned to their elements at least; unaligned load instructions cost nothing on aligned data.
        self.alignment = bits // 8


_KINDS = {bits: VectorType(bits) for bits in WIDTHS}


def vector_type(given: Any) -> VectorType:
    """Return the vector type of `given`, a vector or an array of vectors."""
    return given if isinstance(given, VectorType) else _KINDS[given.dtype.bitwidth]


@register_model(VectorType)
class _VectorModel(PrimitiveModel):
    def __init__(self, manager: Any, kind: VectorType) -> None:
        super().__init__(manager, kind, kind.vector)


@register_intrinsic(lane_bits, number_type, types.Array)
def _bits(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return WORD(vector_type(signature.args[0]).bits)
