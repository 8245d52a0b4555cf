"""Numba types of SIMD vectors (`models.jit.simd_type`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.datamodel.models import PrimitiveModel
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import register_model

from models.jit.simd_type import LANES, WIDTHS, lane_bits

WORD = ir.IntType(64)


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


def number_type(given: Any) -> types.Type:
    """Return the type of a number, whatever the argument is."""
    return types.int64


def no_type(given: Any) -> types.Type:
    """Return the type of a function without a result."""
    return types.none


@register_model(VectorType)
class _VectorModel(PrimitiveModel):
    def __init__(self, manager: Any, kind: VectorType) -> None:
        super().__init__(manager, kind, kind.vector)


def register_intrinsic(
    function: Callable[..., Any], result: Callable[[Any], types.Type], *kinds: Any
) -> Callable[[Any], Any]:
    """Register an LLVM expression as the compiled form of a function of vectors, arrays and numbers.

    `result` maps the type of the first argument to the type of the result; `kinds` are the classes of argument types.
    """

    def generic(self: Any, given: Any, named: Any) -> Any:
        fits = len(given) == len(kinds) and all(map(isinstance, given, kinds))
        return signature(result(given[0]), *given) if fits else None

    infer_global(function)(type(f"_{function.__name__}", (AbstractTemplate,), {"generic": generic}))
    decorator: Callable[[Any], Any] = lower_builtin(function, *kinds)
    return decorator


@register_intrinsic(lane_bits, number_type, types.Array)
def _bits(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return WORD(vector_type(signature.args[0]).bits)
