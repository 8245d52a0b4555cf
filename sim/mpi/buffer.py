"""Buffers: arrays, or lists of an array, counts, displacements and a type, as mpi4py takes them.

The elements of a message are a flat array. A buffer says where they are: all elements of an array, also of one with
strides; a number of them; or those that a derived type picks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.mpi.constants import IN_PLACE
from sim.mpi.datatype import Datatype, Places
from sim.mpi.errors import MpiError, TypeMisusedError, ValueMisusedError

Array = NDArray[Any]


class Buffer:
    """Elements of an array.

    Parameters
    ----------
    array : array
        The array, of any shape and strides.
    places : slice or array
        Places of the elements in the flat array, in its order in memory.
    """

    def __init__(self, array: Array, places: slice | Places) -> None:
        if array.flags.f_contiguous:
            array = array.T  # in the order of memory
        # `flat` assigns to the elements of an array with strides, of which no flat view exists.
        self._flat: Any = array.reshape(-1) if array.flags.c_contiguous else array.flat
        self._places = places
        self._writeable = bool(array.flags.writeable)
        self.dtype = array.dtype
        self.size = places.stop - places.start if isinstance(places, slice) else len(places)
        self.nbytes = self.size * array.itemsize

    def read(self) -> Array:
        """Return the elements; a view where possible."""
        found: Array = self._flat[self._places]
        return found

    def to_write(self) -> Buffer:
        """Return the buffer itself.

        Raises
        ------
        ValueMisusedError
            If it cannot be written.
        """
        if not self._writeable:
            raise ValueMisusedError("a buffer that is read-only cannot receive")
        return self

    def write(self, got: Any, call: str) -> None:
        """Store the elements of a received message, if any.

        Raises
        ------
        MpiError
            If they are more than the buffer holds.
        """
        if got is None:  # from PROC_NULL
            return
        array = got.reshape(-1) if isinstance(got, np.ndarray) else np.frombuffer(_bytes_of(got), np.uint8)
        if array.nbytes > self.nbytes:
            text = f"{call}: {array.nbytes} bytes came for a buffer of {self.nbytes}: truncated"
            raise MpiError.of("TRUNCATE", text)
        if array.dtype != self.dtype:
            if array.nbytes % self.dtype.itemsize:
                raise MpiError.of("TYPE", f"{call}: {array.nbytes} bytes came for elements of {self.dtype.itemsize}")
            array = array.view(self.dtype)
        here = self._places
        if isinstance(here, slice):
            self._flat[here.start : here.start + len(array)] = array
        else:
            self._flat[here[: len(array)]] = array


def _bytes_of(got: Any) -> Any:
    if isinstance(got, bytes | bytearray | memoryview):
        return got
    raise MpiError.of("TYPE", f"a buffer received {type(got).__name__}, an object: receive it in lower case")


class Spec:
    """What a program gave as a buffer: array, counts, displacements and type.

    Raises
    ------
    TypeMisusedError, ValueMisusedError
        If it is none of the forms of mpi4py.
    """

    def __init__(self, buf: Any) -> None:
        self.counts: Any = None
        self.displacements: Any = None
        self.kind: Datatype | None = None
        self.kinds: Sequence[Datatype] | None = None
        if isinstance(buf, list | tuple):
            if not 1 < len(buf) <= 4:
                raise ValueMisusedError(f"a list of {len(buf)} as a buffer: must be array, counts, displacements, type")
            buf, *rest = buf
            rest = self._without_kind(rest)
            if rest and isinstance(rest[0], tuple) and len(rest) == 1 and len(rest[0]) == 2 and _nested(rest[0]):
                rest = list(rest[0])
            self.counts, self.displacements = [*rest, None, None][:2]
        self.array = _array(buf)

    def _without_kind(self, rest: list[Any]) -> list[Any]:
        """Remember the type or types at the end; return what is before them."""
        last = rest[-1]
        if isinstance(last, str):
            last = Datatype.fromcode(last)
        if isinstance(last, Datatype):
            self.kind = last
            return rest[:-1]
        if isinstance(last, list | tuple) and last and all(isinstance(each, Datatype) for each in last):
            self.kinds = last
            return rest[:-1]
        return rest[:-1] if last is None else rest

    def typed(self, kind: Datatype | None) -> tuple[Array, Datatype]:
        """Return the array as one of a type's basic elements, and the type."""
        array = self.array
        if kind is None:
            return array, Datatype(str(array.dtype), array.dtype)
        if not kind.committed:
            raise MpiError.of("TYPE", f"{kind}: must be committed before it is used")
        if array.dtype != kind.dtype:
            array = _viewed(array, kind)
        return array, kind

    def whole(self) -> Buffer:
        """Return all elements, or as many as it counts, from its displacement on."""
        array, kind = self.typed(self.kind)
        begin = 0 if self.displacements is None else int(self.displacements)
        count = self._inferred(array, kind, begin) if self.counts is None else int(self.counts)
        return picked(array, kind, count, begin * kind.step)

    def parts(self, ranks: int, call: str) -> list[Buffer]:
        """Return the part of each rank: by counts and displacements, or equal parts."""
        array, kind = self.typed(self.kind)
        counts, begins = self._layout(array, kind, ranks, call)
        return [picked(array, kind, count, begin * kind.step) for count, begin in zip(counts, begins, strict=True)]

    def typed_parts(self, ranks: int, call: str) -> list[Buffer]:
        """Return parts that each have a type, a count, and a displacement in bytes."""
        kinds = list(self.kinds or [])
        counts = [1] * ranks if self.counts is None else [int(each) for each in self.counts]
        begins = [0] * ranks if self.displacements is None else [int(each) for each in self.displacements]
        if not len(kinds) == len(counts) == len(begins) == ranks:
            raise ValueMisusedError(f"{call}: types, counts and displacements must be of {ranks} ranks each")
        found = []
        for kind, count, begin in zip(kinds, counts, begins, strict=True):
            array, _ = self.typed(kind)
            if begin % array.itemsize:
                raise ValueMisusedError(
                    f"{call}: displacement {begin}: must be whole elements of {array.itemsize} bytes"
                )
            found.append(picked(array, kind, count, begin // array.itemsize))
        return found

    def _inferred(self, array: Array, kind: Datatype, begin: int) -> int:
        """Return how many elements of a type the array has from `begin` on."""
        size = array.size - begin * kind.step
        if size % max(1, kind.step):
            raise ValueMisusedError(f"{array.nbytes} bytes are no whole number of {kind}, of {kind.extent} bytes each")
        return size // max(1, kind.step)

    def _layout(self, array: Array, kind: Datatype, ranks: int, call: str) -> tuple[list[int], list[int]]:
        if self.counts is None or isinstance(self.counts, int | np.integer):
            if self.counts is None:
                total = self._inferred(array, kind, 0)
                if total % ranks:
                    raise ValueMisusedError(f"{call}: {total} elements are no whole number for each of {ranks} ranks")
            size = total // ranks if self.counts is None else int(self.counts)
            return [size] * ranks, [size * rank for rank in range(ranks)]
        counts = [int(each) for each in self.counts]
        if self.displacements is None:
            begins = [int(each) for each in np.cumsum([0, *counts[:-1]])]
        else:
            begins = [int(each) for each in self.displacements]
        if len(counts) != ranks or len(begins) != ranks:
            raise ValueMisusedError(f"{call}: counts or displacements of {len(counts)} ranks: must be of {ranks}")
        return counts, begins


def flat(buf: Any) -> Buffer:
    """Return the elements of what a program gave as a buffer."""
    return Spec(buf).whole()


def parts(buf: Any, ranks: int, call: str) -> list[Buffer]:
    """Return the part of each rank of what a program gave as a buffer."""
    return Spec(buf).parts(ranks, call)


def picked(array: Array, kind: Datatype, count: int, begin: int) -> Buffer:
    """Return `count` elements of a type, the first of them at the basic element `begin`.

    Raises
    ------
    ValueMisusedError
        If they are not all in the array.
    """
    places: slice | Places
    if kind.simple:
        places = slice(begin, begin + count * kind.step)
        low, high = places.start, places.stop
    else:
        places = (begin + np.arange(max(0, count))[:, None] * kind.step + kind.places).reshape(-1)
        low, high = (int(places.min()), int(places.max()) + 1) if len(places) else (0, 0)
    if count < 0 or low < 0 or high > array.size:
        raise ValueMisusedError(f"{count} elements of a buffer from {begin} on: the buffer has {array.size}")
    return Buffer(array, places)


def _nested(pair: tuple[Any, Any]) -> bool:
    """Return whether a pair is counts and displacements, rather than the counts of two ranks."""
    return isinstance(pair[0], list | tuple | np.ndarray) or pair[1] is None


def _array(buf: Any) -> Array:
    if buf is None or buf is IN_PLACE:
        raise TypeMisusedError(f"{buf}: must be a buffer, such as an array of NumPy")
    try:
        array = buf if isinstance(buf, np.ndarray) else _from_buffer(buf)
    except (TypeError, ValueError) as error:
        raise TypeMisusedError(
            f"{type(buf).__name__}: must be a buffer, such as an array of NumPy ({error})"
        ) from error
    if array.dtype == object:
        raise TypeMisusedError("an array of objects: must be of numbers; send it by a function in lower case")
    return array


def _from_buffer(buf: Any) -> Array:
    """Return the array that a buffer other than an array of NumPy is."""
    view = memoryview(buf)
    return np.asarray(view) if view.nbytes else np.empty(0, np.uint8)


def _viewed(array: Array, kind: Datatype) -> Array:
    """Return an array as one of a type's basic elements, without a change of its bytes."""
    if array.itemsize == kind.dtype.itemsize:
        return array.view(kind.dtype)
    if array.flags.f_contiguous:
        array = array.T
    if not array.flags.c_contiguous:
        raise ValueMisusedError(
            f"a buffer of shape {array.shape} with strides, as {kind}: must be one of {array.dtype}"
        )
    if array.nbytes % kind.dtype.itemsize:
        raise ValueMisusedError(f"{array.nbytes} bytes are no whole number of {kind}")
    return array.reshape(-1).view(kind.dtype)
