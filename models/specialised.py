"""Code for one switch: its parameters, and where its state lies, as constants of the compiled functions.

Ordinary compiled functions serve every switch: they look up parameters and multiply indices by sizes as they go. Where
a `Known` stands in place of the `Constants` of a state, numba takes every set of parameters for a type of its own, and
compiles anew: once for minutes, to be a fifth faster ever after. What is computed is the same. Places are known where a
function says so by `pinned`; what it calls apart has to say so itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, intrinsic, models, overload, register_model, typeof_impl, unbox

BYTE, WORD = ir.IntType(8), ir.IntType(64)


class Pin(NamedTuple):
    """Where an array of a block lies.

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
    """A tuple of numbers that compiled functions know; its fields are read as those of the tuple.

    Parameters
    ----------
    values : NamedTuple
        Of int and bool.
    pins : sequence of Pin
        Arrays of one block, beside it in the state; the first one has offset 0.
    """

    def __init__(self, values: Any, pins: tuple[Pin, ...] = ()) -> None:
        self.values, self.pins = values, pins

    def __getattr__(self, name: str) -> Any:
        if name in ("values", "pins"):  # not there yet: it is being copied
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
        elif hasattr(value, "_fields"):
            yield from _arrays(value, (*path, name))


def _address(array: np.ndarray) -> int:
    return int(array.ctypes.data)


def _place(array: np.ndarray, begin: int) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    return _address(array) - begin, array.shape[1:], array.strides


class KnownType(types.Type):
    """Numba's type of one `Known`."""

    def __init__(self, values: Any, pins: tuple[Pin, ...]) -> None:
        digest = sha256(repr((values, pins)).encode()).hexdigest()
        super().__init__(name=f"Known({digest[:16]})")
        self.values, self.pins = values, pins


@typeof_impl.register(Known)
def _typeof(value: Known, context: Any) -> KnownType:
    return KnownType(value.values, value.pins)


register_model(KnownType)(models.OpaqueModel)


@unbox(KnownType)
def _unbox(kind: KnownType, value: Any, c: Any) -> NativeValue:
    return NativeValue(c.context.get_dummy_value())


def _kind(value: bool | int) -> types.Type:
    return types.boolean if isinstance(value, bool) else types.int64


@infer_getattr
class _Fields(AttributeTemplate):
    key = KnownType

    def generic_resolve(self, kind: KnownType, name: str) -> types.Type:  # type: ignore[override]
        return _kind(getattr(kind.values, name))


@lower_getattr_generic(KnownType)
def _constant(context: Any, builder: Any, kind: KnownType, value: Any, name: str) -> Any:
    found = getattr(kind.values, name)
    return context.get_constant(_kind(found), found)


def _known(kind: types.Type) -> KnownType | None:
    """Return the first `Known` in a type of tuples."""
    if isinstance(kind, KnownType):
        return kind
    inner = (_known(each) for each in kind.types) if isinstance(kind, types.NamedTuple) else iter(())
    return next((each for each in inner if each is not None), None)


def pinned(state: Any) -> Any:
    """Return a tuple of tuples whose arrays lie where its `Known` says, if there is one in it; else as it is."""
    return state


@overload(pinned)
def _pinned_compiled(state):  # type: ignore[no-untyped-def]  # numba compares the bare signatures
    known = _known(state)
    if known is None or not known.pins:
        return lambda state: state
    return lambda state: _pin(state)  # type: ignore[call-arg]


@intrinsic
def _pin(typing_context: Any, state: Any) -> Any:
    known = _known(state)
    assert known is not None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first = _array(context, builder, state, arguments[0], known.pins[0].path)
        base = builder.bitcast(first.data, BYTE.as_pointer())
        whole = arguments[0]
        for pin in known.pins:
            array = _array(context, builder, state, whole, pin.path)
            array.data = builder.bitcast(builder.gep(base, [WORD(pin.offset)]), array.data.type)
            length = builder.extract_value(array.shape, 0)
            array.shape = cgutils.pack_array(builder, [length, *map(WORD, pin.shape)])
            array.strides = cgutils.pack_array(builder, [*map(WORD, pin.strides)])
            whole = builder.insert_value(whole, array._getvalue(), _indices(state, pin.path)[0])
        return impl_ret_borrowed(context, builder, signature.return_type, whole)

    return state(state), generate


def _indices(kind: types.NamedTuple, path: tuple[str, ...]) -> tuple[list[int], types.Type]:
    """Return the numbers of the fields of a path, and the type of what is there."""
    numbers = []
    for name in path:
        numbers.append(kind.fields.index(name))
        kind = kind.types[numbers[-1]]
    return numbers, kind


def _array(context: Any, builder: Any, kind: types.NamedTuple, value: Any, path: tuple[str, ...]) -> Any:
    numbers, there = _indices(kind, path)
    return context.make_array(there)(context, builder, value=builder.extract_value(value, numbers))
