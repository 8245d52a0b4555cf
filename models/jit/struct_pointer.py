"""Named tuples that are passed to compiled functions by pointer.

The state is a tuple of some hundred arrays, each of nine words or more in numba. Passed by value, each word would be an
argument, and most of the time of compilation would go into arguments. As the tuple itself never changes, only the
contents of its arrays, loads of its fields are invariant: the optimiser may merge or repeat them.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox

from models.jit.fixed_offset_array import BYTES, PinnedArray, pinned
from models.jit.specialise import ConstantType, Pin

T = TypeVar("T", bound=type)
_ARRAYS: dict[tuple[Any, ...], types.Type] = {}


class ReferenceType(types.Type):
    """Numba's type of a tuple that is passed by reference.

    Parameters
    ----------
    whole : numba.types.NamedTuple
        The tuple.
    """

    def __init__(self, whole: types.NamedTuple) -> None:
        kind = whole.instance_class
        digest = sha256(f"{kind.__module__}.{kind.__qualname__}{whole.fields}{whole}".encode()).hexdigest()
        super().__init__(name=f"{kind.__name__}({digest[:16]})")
        self.whole = whole
        self.tables: dict[str, np.ndarray] = {}  # fields that are constants with all their elements
        self.known: tuple[Pin, ...] = ()  # all arrays at fixed offsets (`models.jit.specialise`)
        self.pins: dict[str, Pin] = {}  # those of them that are its fields
        self.origin: tuple[str, ...] = ()  # path to the array that offsets are relative to
        self.above: tuple[str, ...] = ()  # path from the outermost tuple to this one
        for name, each in zip(whole.fields, whole.types, strict=True):
            if isinstance(each, ConstantType):
                self.tables = each.tables
                if each.pins:
                    *above, first = each.pins[0].path
                    self._know(each.pins, (first,), tuple(above))
            elif isinstance(each, ReferenceType) and each.known:
                self._know(each.known, (name, *each.origin), each.above[:-1])

    def _know(self, pins: tuple[Pin, ...], origin: tuple[str, ...], above: tuple[str, ...]) -> None:
        self.known, self.origin, self.above = pins, origin, above
        self.pins = {pin.path[-1]: pin for pin in pins if pin.path[:-1] == above}

    def field(self, name: str) -> types.Type:
        """Return the type of a field."""
        kind = self.whole.types[self.whole.fields.index(name)]
        return PinnedArray(kind, self.pins[name]) if name in self.pins else kind


def by_reference(kind: T) -> T:
    """Have a class of named tuples passed to compiled functions by reference."""
    known: dict[tuple[types.Type, ...], ReferenceType] = {}

    @typeof_impl.register(kind)
    def _typeof(value: Any, context: Any) -> ReferenceType:
        fields = tuple(_kind(each, context) for each in value)
        if fields not in known:
            known[fields] = ReferenceType(types.NamedTuple(fields, kind))
        return known[fields]

    return kind


def _kind(value: Any, context: Any) -> types.Type:
    """Return numba's type of a field, cached: numba takes a millisecond for all of them, at each call."""
    if not isinstance(value, np.ndarray):
        kind: types.Type = typeof_impl(value, context)
        return kind
    flags = value.flags
    strided = _strided(value)
    key = value.dtype, type(value), value.ndim, strided, flags.f_contiguous, flags.writeable, flags.aligned
    if key not in _ARRAYS:
        found = typeof_impl(value, context)
        _ARRAYS[key] = found.copy(layout="A") if strided else found
    return _ARRAYS[key]


def _strided(array: np.ndarray) -> bool:
    """Return whether an array is a strided view, and not contiguous.

    Strides along axes of length 1 count, too, unlike in numpy: a view into the block of a single switch must have the
    type, and so the compiled code, of one into many.
    """
    stride = array.itemsize
    for length, given in zip(reversed(array.shape), reversed(array.strides), strict=True):
        if given != stride:
            return array.size > 0
        stride *= length
    return False


register_model(ReferenceType)(models.OpaqueModel)


@infer_getattr
class _Fields(AttributeTemplate):
    key = ReferenceType

    def generic_resolve(self, kind: ReferenceType, name: str) -> types.Type | None:  # type: ignore[override]
        return kind.field(name) if name in kind.whole.fields else None


def _content(context: Any, kind: types.Type) -> ir.Type:
    """Return the LLVM type of a field in memory: a tuple within a tuple is a nested struct."""
    if isinstance(kind, ReferenceType):
        return ir.LiteralStructType([_content(context, each) for each in kind.whole.types])
    return context.get_value_type(kind)


@lower_getattr_generic(ReferenceType)
def _read(context: Any, builder: Any, kind: ReferenceType, value: Any, name: str) -> Any:
    place = _place(context, builder, kind, value, name)
    field = kind.field(name)
    if isinstance(field, ReferenceType):
        return builder.bitcast(place, BYTES)
    if name in kind.tables:
        return context.make_constant_array(builder, field, kind.tables[name])
    found = _load(builder, place)
    if isinstance(field, PinnedArray):
        length = builder.extract_value(context.make_array(field)(context, builder, value=found).shape, 0)
        found = pinned(context, builder, field, _block(context, builder, kind, value), length)
    return impl_ret_borrowed(context, builder, field, found)


def _place(context: Any, builder: Any, kind: ReferenceType, value: Any, name: str) -> Any:
    whole = builder.bitcast(value, _content(context, kind).as_pointer())
    return cgutils.gep_inbounds(builder, whole, 0, kind.whole.fields.index(name))


def _block(context: Any, builder: Any, kind: ReferenceType, value: Any) -> Any:
    """Return the address of the block with arrays at fixed offsets: that of its first array."""
    within: types.Type = kind
    for each in kind.origin:
        assert isinstance(within, ReferenceType)
        value = _place(context, builder, within, value, each)
        within = within.field(each)
    return context.make_array(within)(context, builder, value=_load(builder, value)).data


def _load(builder: Any, place: Any) -> Any:
    """Load an invariant field word by word: as a whole, an array would be loaded even for one word of it."""
    kind = place.type.pointee
    if not isinstance(kind, ir.Aggregate):
        word = builder.load(place)
        word.set_metadata("invariant.load", builder.module.add_metadata([]))
        return word
    whole = kind(ir.Undefined)
    for number in range(len(kind)):
        whole = builder.insert_value(whole, _load(builder, cgutils.gep_inbounds(builder, place, 0, number)), number)
    return whole


@unbox(ReferenceType)
def _unbox(kind: ReferenceType, value: Any, c: Any) -> NativeValue:
    builder = c.builder
    place = cgutils.alloca_once(builder, _content(c.context, kind))
    fields: list[tuple[types.Type, NativeValue]] = []
    wrong = _write(kind, value, place, fields, c)

    def release() -> None:
        for each, native in fields:
            if native.cleanup is not None:
                native.cleanup()
            if c.context.enable_nrt:
                c.context.nrt.decref(builder, each, native.value)

    # An optimisation barrier: invariant loads must not be moved before the stores above.
    address = builder.asm(ir.FunctionType(BYTES, [BYTES]), "", "=r,0,~{memory}", [builder.bitcast(place, BYTES)], True)
    return NativeValue(address, is_error=wrong, cleanup=release)


def _write(kind: ReferenceType, value: Any, place: Any, fields: list[tuple[types.Type, NativeValue]], c: Any) -> Any:
    """Unbox the fields of a Python tuple into memory; return whether any failed."""
    wrong = cgutils.false_bit
    for number, each in enumerate(kind.whole.types):
        item = c.pyapi.tuple_getitem(value, number)
        there = cgutils.gep_inbounds(c.builder, place, 0, number)
        if isinstance(each, ReferenceType):
            wrong = c.builder.or_(wrong, _write(each, item, there, fields, c))
            continue
        native = c.unbox(each, item)
        c.builder.store(native.value, there)
        wrong = c.builder.or_(wrong, native.is_error)
        fields.append((each, native))
    return wrong
