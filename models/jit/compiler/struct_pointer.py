"""Named tuples by reference in the compiler (`models.jit.struct_pointer`)."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import models, register_model

from models.jit.compiler.fixed_offset_array import BYTES, PinnedArray, pinned
from models.jit.compiler.specialise import ConstantType
from models.jit.specialise import Pin


class ReferenceType(types.Type):
    """Numba's type of a named tuple that is passed by reference.

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
        self.absent: frozenset[str] = getattr(kind, "ABSENT", frozenset())  # fields that are 0 or False
        self.tables: dict[str, np.ndarray] = {}  # fields whose elements are all constants
        self.known: tuple[Pin, ...] = ()  # arrays at fixed offsets (`models.jit.specialise`)
        self.pins: dict[str, Pin] = {}  # those of them that are fields of this tuple
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


register_model(ReferenceType)(models.OpaqueModel)


@infer_getattr
class _Fields(AttributeTemplate):
    key = ReferenceType

    def generic_resolve(self, kind: ReferenceType, name: str) -> types.Type | None:  # type: ignore[override]
        return kind.field(name) if name in kind.whole.fields else None


def _content(context: Any, kind: types.Type) -> ir.Type:
    """Return the LLVM type of a field in memory; a tuple within a tuple is a nested struct."""
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
    """Return the address of the block of arrays at fixed offsets, which is the address of its first array."""
    within: types.Type = kind
    for each in kind.origin:
        assert isinstance(within, ReferenceType)
        value = _place(context, builder, within, value, each)
        within = within.field(each)
    return context.make_array(within)(context, builder, value=_load(builder, value)).data


def _load(builder: Any, place: Any) -> Any:
    """Load an invariant field word by word: as a whole, all words of an array would be loaded for one of them."""
    kind = place.type.pointee
    if not isinstance(kind, ir.Aggregate):
        word = builder.load(place)
        word.set_metadata("invariant.load", builder.module.add_metadata([]))
        return word
    whole = kind(ir.Undefined)
    for number in range(len(kind)):
        whole = builder.insert_value(whole, _load(builder, cgutils.gep_inbounds(builder, place, 0, number)), number)
    return whole
