"""Types of SIMD vectors in numba, and the lane of a switch.

A vector has 64 lanes of 8 or of 16 bits: switch s is lane s % 64 of vector s // 64, its batch. The width of a lane
follows from the type of an array of vectors, so that it is a constant of compiled code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.datamodel.models import PrimitiveModel
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import register_model

from models.jit.compiled import compiled

LANES = 64  # lanes of a vector: the switches of a batch
SHIFT = 6  # bits of the number of a lane
WIDTHS = 8, 16  # bits of a lane

Vector = Any  # to Python, numpy.ndarray: uint8 or uint16 [64]
WORD = ir.IntType(64)


class VectorType(types.Type):
    """Numba's type of a vector, by the bits of a lane."""

    def __init__(self, bits: int) -> None:
        super().__init__(name=f"Vector{bits}")
        self.bits = bits
        self.element = ir.IntType(bits)
        self.vector = ir.VectorType(self.element, LANES)
        # Arrays are aligned to elements at least; unaligned loads of aligned data cost nothing.
        self.alignment = bits // 8


_KINDS = {bits: VectorType(bits) for bits in WIDTHS}


def vector_type(given: Any) -> VectorType:
    """Return the vector type of a vector, or of an array of vectors."""
    return given if isinstance(given, VectorType) else _KINDS[given.dtype.bitwidth]


def number_type(given: Any) -> types.Type:
    """Return the type of a number, whatever the argument."""
    return types.int64


def no_type(given: Any) -> types.Type:
    """Return the type of a function without a result."""
    return types.none


@register_model(VectorType)
class _VectorModel(PrimitiveModel):
    def __init__(self, manager: Any, kind: VectorType) -> None:
        super().__init__(manager, kind, kind.vector)


def batches_of(switches: int) -> int:
    """Return the batches of so many switches."""
    return -(-switches // LANES)


def register_intrinsic(
    function: Callable[..., Any], result: Callable[[Any], types.Type], *kinds: Any
) -> Callable[[Any], Any]:
    """Register an LLVM expression as the compiled form of a function of vectors, arrays and numbers.

    `result` maps the type of the first argument to that of the result, `kinds` are the classes of argument types.
    """

    def generic(self: Any, given: Any, named: Any) -> Any:
        fits = len(given) == len(kinds) and all(map(isinstance, given, kinds))
        return signature(result(given[0]), *given) if fits else None

    infer_global(function)(type(f"_{function.__name__}", (AbstractTemplate,), {"generic": generic}))
    decorator: Callable[[Any], Any] = lower_builtin(function, *kinds)
    return decorator


def lane_bits(vectors: np.ndarray) -> int:
    """Return the bits of a lane, of an array of vectors."""
    return 8 * vectors.dtype.itemsize


@register_intrinsic(lane_bits, number_type, types.Array)
def _bits(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return WORD(vector_type(signature.args[0]).bits)


@compiled
def batch_of(s: int) -> int:
    """Return the batch of a switch."""
    return s >> SHIFT


@compiled
def lane_of(s: int) -> int:
    """Return the lane of a switch."""
    return s & LANES - 1


@compiled
def place_of_number(s: int, vectors: int, which: int) -> int:
    """Return the index of the lane of a switch in vector `which` of the `vectors` of its batch.

    A sum whose first two terms are common to all vectors, so that they are computed once.
    """
    return batch_of(s) * vectors * LANES + lane_of(s) + which * LANES


@compiled
def switch_in(vector: int, lane: int) -> int:
    """Return the switch in a lane of a batch."""
    return vector << SHIFT | lane
