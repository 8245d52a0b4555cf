"""Arrays at constant offsets within a block of memory (`models.jit.specialise`).

The address of an element is computed from the block's address: switch, port and VC are added first, the array's offset
last, as an immediate of the load or store. So the address of a switch, port or VC is a common subexpression of all
arrays. In numba's own order each array has its own base address, and there are more of these than registers, so that
they spill to the stack.
"""

from __future__ import annotations

import operator
from math import prod
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import ArrayModel
from numba.core.imputils import impl_ret_borrowed, lower_builtin
from numba.extending import register_model
from numba.np import arrayobj

from models.jit.specialise import Pin

WORD = ir.IntType(64)
BYTES = ir.IntType(8).as_pointer()


class PinnedArray(types.Array):
    """Numba's type of an array within a block.

    Parameters
    ----------
    kind : numba.types.Array
        Type of the array in other places.
    pin : Pin
        Position of the array in the block.
    """

    def __init__(self, kind: types.Array, pin: Pin) -> None:
        self.pin = pin
        name = f"pinned({kind}, {pin})"
        super().__init__(kind.dtype, kind.ndim, kind.layout, readonly=not kind.mutable, name=name, aligned=kind.aligned)

    @property
    def key(self) -> tuple[Any, ...]:
        """Key by which types are compared."""
        return (*super().key, self.pin)


register_model(PinnedArray)(ArrayModel)


def pinned(context: Any, builder: Any, kind: PinnedArray, block: Any, length: Any) -> Any:
    """Return the array of a block that starts at address `block`; `length` is the size of its first dimension."""
    array = context.make_array(kind)(context, builder)
    place = builder.gep(builder.bitcast(block, BYTES), [WORD(kind.pin.offset)], inbounds=True)
    array.data = builder.bitcast(place, array.data.type)
    array.shape = cgutils.pack_array(builder, [length, *map(WORD, kind.pin.shape)])
    array.strides = cgutils.pack_array(builder, [*map(WORD, kind.pin.strides)])
    array.nitems = builder.mul(length, WORD(prod(kind.pin.shape)))
    array.itemsize = WORD(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    return array._getvalue()


def _element(context: Any, builder: Any, kind: PinnedArray, value: Any, index_kind: Any, index: Any) -> Any:
    """Return the address of the element that `index` denotes, or None if it denotes several elements."""
    several = isinstance(index_kind, types.BaseTuple)
    kinds = tuple(index_kind.types) if several else (index_kind,)
    indices = cgutils.unpack_tuple(builder, index, len(kinds)) if several else (index,)
    kinds, indices = arrayobj.normalize_indices(context, builder, kinds, indices)
    if len(kinds) != kind.ndim or not all(isinstance(each, types.Integer) for each in kinds):
        return None
    array = context.make_array(kind)(context, builder, value)
    sizes = cgutils.unpack_tuple(builder, array.shape, kind.ndim)
    place = builder.gep(builder.bitcast(array.data, BYTES), [WORD(-kind.pin.offset)], inbounds=True)
    for each, number, size, stride in zip(kinds, indices, sizes, kind.pin.strides, strict=True):
        number = arrayobj.fix_integer_index(context, builder, each, number, size)
        place = builder.gep(place, [builder.mul(number, WORD(stride))], inbounds=True)
    return builder.bitcast(builder.gep(place, [WORD(kind.pin.offset)], inbounds=True), array.data.type)


@lower_builtin(operator.getitem, PinnedArray, types.Integer)
@lower_builtin(operator.getitem, PinnedArray, types.BaseTuple)
def _get(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind, index_kind = signature.args
    place = _element(context, builder, kind, arguments[0], index_kind, arguments[1])
    if place is None:
        whole = index_kind if isinstance(index_kind, types.BaseTuple) else None
        implementation = arrayobj.getitem_arraynd_intp if whole is None else arrayobj.getitem_array_tuple
        return implementation(context, builder, signature, arguments)
    item = place if isinstance(kind.dtype, types.Record) else arrayobj.load_item(context, builder, kind, place)
    return impl_ret_borrowed(context, builder, signature.return_type, item)


@lower_builtin(operator.setitem, PinnedArray, types.Any, types.Any)
def _set(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind, index_kind, value_kind = signature.args
    place = _element(context, builder, kind, arguments[0], index_kind, arguments[1])
    if place is None:
        return arrayobj.setitem_array(context, builder, signature, arguments)
    value = context.cast(builder, arguments[2], value_kind, kind.dtype)
    arrayobj.store_item(context, builder, kind, value, place)
    return context.get_dummy_value()
