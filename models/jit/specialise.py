"""Code for one switch: its parameters, and where its state lies, as constants of the compiled functions.

Ordinary compiled functions serve every switch: they load parameters and multiply indices by sizes. Where a `Known`
stands in place of the `Constants` of a state, every set of parameters is a numba type of its own, for which the engine
is compiled anew: in ten seconds, to run half as fast again. Results are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.core import ir
from numba.core.imputils import lower_getattr_generic
from numba.core.ir_utils import get_definition, guard
from numba.core.rewrites import Rewrite, register_rewrite
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox


class Pin(NamedTuple):
    """The place of an array in a block.

    Attributes
    ----------
    path : tuple of str
        Fields that lead to it.
    offset : int
        Bytes behind the first array of the block.
    shape, strides : tuple of int
        Its shape but for the first dimension, and bytes from one element to the next in each dimension.
    """

    path: tuple[str, ...]
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class Known:
    """A tuple of numbers that are constants of compiled code; its fields are read as those of the tuple.

    Parameters
    ----------
    values : NamedTuple
        Ints and bools.
    pins : sequence of Pin
        Arrays of one block; the first one, which lies beside it in the state, has offset 0.
    tables : dict
        Arrays beside it in the state that never change, by name.
    """

    def __init__(self, values: Any, pins: tuple[Pin, ...] = (), tables: Mapping[str, np.ndarray] | None = None) -> None:
        self.values, self.pins, self.tables = values, pins, dict(tables or {})

    def __getattr__(self, name: str) -> Any:
        if name in ("values", "pins", "tables"):  # not there yet: it is being copied
            raise AttributeError(name)
        return getattr(self.values, name)


def pins(state: Any, first: tuple[str, ...]) -> tuple[Pin, ...]:
    """Return the arrays of a tuple of tuples that lie in one block with the array at `first`, that one before all."""
    origin = state
    for name in first:
        origin = getattr(origin, name)
    begin = _address(origin)
    end = begin + origin.shape[0] * origin.strides[0]
    found = [Pin(path, *_place(array, begin)) for path, array in _arrays(state, ()) if begin <= _address(array) < end]
    return tuple(sorted(found, key=lambda pin: (pin.path != first, pin.path)))


def _arrays(state: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], np.ndarray]]:
    for name, value in zip(state._fields, state, strict=True):
        if isinstance(value, np.ndarray):
            yield (*path, name), value
        elif isinstance(value, tuple):
            yield from _arrays(value, (*path, name))


def _address(array: np.ndarray) -> int:
    return int(array.ctypes.data)


def _place(array: np.ndarray, begin: int) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    return _address(array) - begin, array.shape[1:], array.strides


class ConstantType(types.Type):
    """Numba's type of one `Known`."""

    def __init__(self, values: Any, pins: tuple[Pin, ...], tables: dict[str, np.ndarray]) -> None:
        known = values, pins, {name: (array.dtype.str, array.tolist()) for name, array in tables.items()}
        super().__init__(name=f"Known({sha256(repr(known).encode()).hexdigest()[:16]})")
        self.values, self.pins, self.tables = values, pins, tables


@typeof_impl.register(Known)
def _typeof(value: Known, context: Any) -> ConstantType:
    return ConstantType(value.values, value.pins, value.tables)


register_model(ConstantType)(models.OpaqueModel)


@unbox(ConstantType)
def _unbox(kind: ConstantType, value: Any, c: Any) -> NativeValue:
    return NativeValue(c.context.get_dummy_value())


def _kind(value: bool | int) -> types.Type:
    return types.boolean if isinstance(value, bool) else types.int64


@infer_getattr
class _Fields(AttributeTemplate):
    key = ConstantType

    def generic_resolve(self, kind: ConstantType, name: str) -> types.Type:  # type: ignore[override]
        return _kind(getattr(kind.values, name))


@lower_getattr_generic(ConstantType)
def _constant(context: Any, builder: Any, kind: ConstantType, value: Any, name: str) -> Any:
    found = getattr(kind.values, name)
    return context.get_constant(_kind(found), found)


@register_rewrite("before-inference")
class _KnownChoices(Rewrite):
    """Replaces boolean parameters by literals before types are inferred, so that numba prunes dead branches.

    The optimiser would remove them as well, but only after they were compiled, which takes as long as live ones.
    Integers are left to the optimiser: typed as literals, they made code that is a few per cent slower.
    """

    def __init__(self, state: Any) -> None:
        self._arguments: tuple[types.Type, ...] = state.args

    def match(self, func_ir: Any, block: Any, typemap: Any, calltypes: Any) -> bool:
        """Return whether a block reads such a parameter."""
        self._func_ir, self._block = func_ir, block
        return any(self._choice(each) is not None for each in block.body)

    def apply(self) -> Any:
        """Return the block with the literals."""
        found = ir.Block(self._block.scope, self._block.loc)
        for each in self._block.body:
            choice = self._choice(each)
            if choice is not None:
                each = ir.Assign(ir.Const(choice, each.loc), each.target, each.loc)
                self._func_ir._definitions[each.target.name] = [each.value]
            found.append(each)
        return found

    def _choice(self, statement: Any) -> bool | None:
        value = statement.value if isinstance(statement, ir.Assign) else None
        if not isinstance(value, ir.Expr) or value.op != "getattr":
            return None
        kind = self._kind(value.value)
        if not isinstance(kind, ConstantType):
            return None
        found = getattr(kind.values, value.attr)
        return found if isinstance(found, bool) else None

    def _kind(self, variable: Any) -> types.Type | None:
        """Return the type of a variable that is an argument, or in a tuple that is."""
        found = guard(get_definition, self._func_ir, variable)
        if isinstance(found, ir.Arg):
            return self._arguments[found.index]
        if isinstance(found, ir.Expr) and found.op == "getattr":
            whole: Any = self._kind(found.value)
            kind: types.Type | None = whole.field(found.attr) if hasattr(whole, "field") else None
            return kind
        return None
