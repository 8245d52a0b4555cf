"""Kinds of vectors, to numba and to whoever asks: of how many bits a number is, and where that of a switch is.

A vector holds a number of each of 64 switches, of 8 bits or of 16: switch s is number s % 64 of vector s // 64. Of how
many bits is told by the type of an array of vectors, so that compiled it costs nothing to ask.
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

LANES = 64  # numbers of a vector
SHIFT = 6  # bits of a switch's number in its vector
WIDTHS = 8, 16  # bits of a number

Vector = Any  # to Python, numpy.ndarray: uint8 or uint16 [64]
WORD = ir.IntType(64)


class VectorType(types.Type):
    """Numba's type of a vector of so many bits."""

    def __init__(self, bits: int) -> None:
        super().__init__(name=f"Vector{bits}")
        self.bits = bits
        self.element = ir.IntType(bits)
        self.vector = ir.VectorType(self.element, LANES)
        # All that a copy of an array promises; it costs nothing to ask for no more.
        self.alignment = bits // 8


_KINDS = {bits: VectorType(bits) for bits in WIDTHS}


def vector_type(given: Any) -> VectorType:
    """Return the type of what is a vector, or an array of vectors."""
    return given if isinstance(given, VectorType) else _KINDS[given.dtype.bitwidth]


def number_type(given: Any) -> types.Type:
    """Return the type of a number, whatever is given."""
    return types.int64


def no_type(given: Any) -> types.Type:
    """Return the type of nothing."""
    return types.none


@register_model(VectorType)
class _VectorModel(PrimitiveModel):
    def __init__(self, manager: Any, kind: VectorType) -> None:
        super().__init__(manager, kind, kind.vector)


def batches_of(switches: int) -> int:
    """Return how many vectors so many switches are."""
    return -(-switches // LANES)


def register_intrinsic(
    function: Callable[..., Any], result: Callable[[Any], types.Type], *kinds: Any
) -> Callable[[Any], Any]:
    """Have compiled functions do what a function of vectors, arrays and numbers does, in place, without a call.

    `result` tells its type by that of the first argument.
    """

    def generic(self: Any, given: Any, named: Any) -> Any:
        fits = len(given) == len(kinds) and all(map(isinstance, given, kinds))
        return signature(result(given[0]), *given) if fits else None

    infer_global(function)(type(f"_{function.__name__}", (AbstractTemplate,), {"generic": generic}))
    return lower_builtin(function, *kinds)


def lane_bits(vectors: np.ndarray) -> int:
    """Return the bits of a number, of an array of vectors."""
    return 8 * vectors.dtype.itemsize


@register_intrinsic(lane_bits, number_type, types.Array)
def _bits(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return WORD(vector_type(signature.args[0]).bits)


@compiled
def batch_of(s: int) -> int:
    """Return the vector of a switch."""
    return s >> SHIFT


@compiled
def lane_of(s: int) -> int:
    """Return its number there."""
    return s & LANES - 1


@compiled
def place_of_number(s: int, vectors: int, which: int) -> int:
    """Return where the number of a switch is in one of so many vectors of each vector of switches.

    A sum, of which what is common to several of a switch is reckoned once.
    """
    return batch_of(s) * vectors * LANES + lane_of(s) + which * LANES


@compiled
def switch_in(vector: int, lane: int) -> int:
    """Return the switch with a number in a vector."""
    return vector << SHIFT | lane
