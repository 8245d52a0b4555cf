"""LLVM code as the compiled form of functions of numbers, arrays and vectors."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, get_args

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

WORD = ir.IntType(64)


def number_type(given: Any) -> types.Type:
    """Return the type of a number, whatever the argument is."""
    return types.int64


def no_type(given: Any = None) -> types.Type:
    """Return the type of a function without a result."""
    return types.none


def register_intrinsic(
    function: Callable[..., Any], result: Callable[..., types.Type], *kinds: Any
) -> Callable[[Any], Any]:
    """Register an LLVM expression as the compiled form of a function of vectors, arrays and numbers.

    `result` maps the type of the first argument to the type of the result; `kinds` are the classes of argument types,
    or unions of classes.
    """

    def generic(self: Any, given: Any, named: Any) -> Any:
        fits = len(given) == len(kinds) and all(map(isinstance, given, kinds))
        return signature(result(*given[:1]), *given) if fits else None

    def register(lower: Any) -> Any:
        for each in product(*(get_args(kind) or (kind,) for kind in kinds)):
            lower_builtin(function, *each)(lower)
        return lower

    infer_global(function)(type(f"_{function.__name__}", (AbstractTemplate,), {"generic": generic}))
    return register


def item_place(context: Any, builder: Any, signature: Any, arguments: Any, size: int = 1) -> Any:
    """Return the address of item `n` of an array whose items are `size` elements long; bounds are not checked."""
    array = context.make_array(signature.args[0])(context, builder, value=arguments[0])
    n = context.cast(builder, arguments[1], signature.args[1], types.int64)
    return builder.gep(array.data, [builder.mul(n, WORD(size))], inbounds=True)


def call(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    """Call an LLVM intrinsic, or a function of the C library, that returns the LLVM type `result`."""
    kind = ir.FunctionType(result, [each.type for each in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)
