"""Types of elements: those of MPI that NumPy has, too, and types derived from them, which pick elements of a buffer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sim.mpi.constants import ORDER_C, ORDER_FORTRAN
from sim.mpi.errors import MpiError, ValueMisusedError
from sim.mpi.refusal import refuse_missing

Places = NDArray[np.int64]

# The names are MPI's, as in mpi4py.
# ruff: noqa: N802


@refuse_missing("Datatype")
class Datatype:
    """A type of elements.

    Parameters
    ----------
    name : str
        Name in MPI, without its prefix; empty for a derived type.
    dtype : numpy type
        Type of the basic elements.
    places : array or None
        Positions of the basic elements of one element, in basic elements from its origin; None: one, at the origin.
    lower, extent : int
        Lower bound of an element, and distance of two elements that follow each other, in basic elements.
    """

    def __init__(self, name: str, dtype: Any, places: Places | None = None, lower: int = 0, extent: int = 1) -> None:
        self._name = name
        self.dtype = np.dtype(dtype)
        self.places = np.zeros(1, np.int64) if places is None else places
        self.step = extent
        self._lower = lower
        self.committed = bool(name)

    @property
    def simple(self) -> bool:
        """Whether elements follow each other without gaps, in their order."""
        return self.step == len(self.places) and bool((self.places == np.arange(self.step)).all())

    def Get_size(self) -> int:
        """Return the bytes of the data of an element."""
        return len(self.places) * int(self.dtype.itemsize)

    @property
    def size(self) -> int:
        """Bytes of the data of an element."""
        return self.Get_size()

    def Get_extent(self) -> tuple[int, int]:
        """Return the lower bound and the extent, in bytes."""
        return self._lower * self.dtype.itemsize, self.step * self.dtype.itemsize

    @property
    def lb(self) -> int:
        """Lower bound, in bytes."""
        return self.Get_extent()[0]

    @property
    def extent(self) -> int:
        """Extent, in bytes."""
        return self.Get_extent()[1]

    @property
    def ub(self) -> int:
        """Upper bound, in bytes."""
        return self.lb + self.extent

    @property
    def is_predefined(self) -> bool:
        """Whether the type is one of MPI's own."""
        return bool(self._name)

    is_named = is_predefined

    def Get_name(self) -> str:
        """Return the name of one of MPI's own types; empty for others."""
        return f"MPI_{self._name}" if self._name else ""

    name = property(Get_name)

    def Commit(self) -> Datatype:
        """Allow the use of the type in messages; return it."""
        self.committed = True
        return self

    def Free(self) -> None:
        """Do nothing: there is nothing to free."""

    def Dup(self) -> Datatype:
        """Return a type that is equal."""
        other = Datatype("", self.dtype, self.places, self._lower, self.step)
        other.committed = self.committed
        return other

    Create_dup = Dup

    def Create_contiguous(self, count: int) -> Datatype:
        """Return the type of `count` elements in a row."""
        return self._blocks([count], [0])

    def Create_vector(self, count: int, blocklength: int, stride: int) -> Datatype:
        """Return the type of `count` blocks of elements, `stride` elements apart."""
        _at_least_zero("count", count)
        return self._blocks([blocklength] * count, [number * stride for number in range(count)])

    def Create_hvector(self, count: int, blocklength: int, stride: int) -> Datatype:
        """Return the type of `count` blocks of elements, `stride` bytes apart."""
        _at_least_zero("count", count)
        return self._blocks_at([blocklength] * count, [self._whole(number * stride) for number in range(count)])

    def Create_indexed(self, blocklengths: Sequence[int], displacements: Sequence[int]) -> Datatype:
        """Return the type of blocks of elements at displacements, in elements."""
        return self._blocks(blocklengths, displacements)

    def Create_hindexed(self, blocklengths: Sequence[int], displacements: Sequence[int]) -> Datatype:
        """Return the type of blocks of elements at displacements, in bytes."""
        return self._blocks_at(blocklengths, [self._whole(each) for each in displacements])

    def Create_indexed_block(self, blocklength: int, displacements: Sequence[int]) -> Datatype:
        """Return the type of blocks of equal length at displacements, in elements."""
        return self._blocks([blocklength] * len(displacements), displacements)

    def Create_hindexed_block(self, blocklength: int, displacements: Sequence[int]) -> Datatype:
        """Return the type of blocks of equal length at displacements, in bytes."""
        return self.Create_hindexed([blocklength] * len(displacements), displacements)

    def Create_subarray(
        self, sizes: Sequence[int], subsizes: Sequence[int], starts: Sequence[int], order: int = ORDER_C
    ) -> Datatype:
        """Return the type of a part of an array of `sizes` elements; its extent is that of the array."""
        if not len(sizes) == len(subsizes) == len(starts) or order not in (ORDER_C, ORDER_FORTRAN):
            raise ValueMisusedError(f"Create_subarray: sizes {sizes}, subsizes {subsizes}, starts {starts} differ")
        for size, part, start in zip(sizes, subsizes, starts, strict=True):
            if not (part >= 1 and start >= 0 and start + part <= size):
                raise MpiError.of("ARG", f"Create_subarray: {part} from {start} on in a dimension of {size}")
        shape: Literal["C", "F"] = "C" if order == ORDER_C else "F"
        array = np.arange(math.prod(sizes), dtype=np.int64).reshape(tuple(sizes), order=shape)
        part_of = array[tuple(slice(start, start + part) for start, part in zip(starts, subsizes, strict=True))]
        picked = self._shifted(part_of.reshape(-1, order=shape) * self.step)
        return Datatype("", self.dtype, picked, 0, array.size * self.step)

    def Create_resized(self, lb: int, extent: int) -> Datatype:
        """Return the same type with another lower bound and extent, in bytes."""
        return Datatype("", self.dtype, self.places, self._whole(lb), self._whole(extent))

    Resized = Create_resized

    def _blocks(self, lengths: Sequence[int], displacements: Sequence[int]) -> Datatype:
        return self._blocks_at(lengths, [each * self.step for each in displacements])

    def _blocks_at(self, lengths: Sequence[int], origins: Sequence[int]) -> Datatype:
        """Return the type of blocks of `lengths` elements whose first ones are at `origins`, in basic elements."""
        if len(lengths) != len(origins):
            raise ValueMisusedError(f"{len(lengths)} lengths of blocks for {len(origins)} displacements")
        for length in lengths:
            _at_least_zero("a block's length", length)
        pairs = zip(lengths, origins, strict=True)
        starts = [origin + number * self.step for length, origin in pairs for number in range(length)]
        lower = min(starts, default=0) + self._lower
        upper = max(starts, default=0) + self._lower + self.step if starts else 0
        return Datatype("", self.dtype, self._shifted(np.array(starts, np.int64)), lower, upper - lower)

    def _shifted(self, origins: Places) -> Places:
        """Return the positions of the basic elements of elements at `origins`."""
        return (origins[:, None] + self.places).reshape(-1)

    def _whole(self, size: int) -> int:
        """Return bytes as basic elements."""
        if size % self.dtype.itemsize:
            raise MpiError.of("ARG", f"{size} bytes: must be whole elements of {self.dtype.itemsize} bytes")
        return size // int(self.dtype.itemsize)

    @classmethod
    def fromcode(cls, code: str) -> Datatype:
        """Return MPI's own type for a type code such as "d" or "i4"."""
        try:
            dtype = np.dtype(code)
        except TypeError as error:
            raise ValueMisusedError(f"{code!r}: no type of elements") from error
        return of_dtype(dtype)

    def tocode(self) -> str:
        """Return the type code."""
        return self.dtype.str[1:] if self.is_predefined else f"{len(self.places)}{self.dtype.str[1:]}"

    @property
    def typestr(self) -> str:
        """Type code."""
        return self.tocode()

    @property
    def typechar(self) -> str:
        """Type code of one letter."""
        return str(self.dtype.char)

    def __repr__(self) -> str:
        return f"MPI.{self._name}" if self._name else f"<derived type of {len(self.places)} {self.dtype}>"


def _at_least_zero(name: str, value: int) -> None:
    if value < 0:
        raise MpiError.of("COUNT" if name == "count" else "ARG", f"{name} = {value}: must be at least 0")


_CODES = {
    "u1": "BYTE PACKED UNSIGNED_CHAR UINT8_T",
    "i1": "CHAR SIGNED_CHAR INT8_T SINT8_T INTEGER1",
    "i2": "SHORT SIGNED_SHORT INT16_T SINT16_T INTEGER2",
    "u2": "UNSIGNED_SHORT UINT16_T",
    "i4": "INT SIGNED_INT INT32_T SINT32_T INTEGER4 INTEGER F_INT WCHAR",
    "u4": "UNSIGNED UNSIGNED_INT UINT32_T",
    "i8": "LONG SIGNED_LONG LONG_LONG SIGNED_LONG_LONG INT64_T SINT64_T INTEGER8 AINT OFFSET COUNT",
    "u8": "UNSIGNED_LONG UNSIGNED_LONG_LONG UINT64_T",
    "f2": "FLOAT16_T REAL2",
    "f4": "FLOAT FLOAT32_T REAL REAL4 F_FLOAT",
    "f8": "DOUBLE FLOAT64_T DOUBLE_PRECISION REAL8 F_DOUBLE",
    "c8": "C_COMPLEX C_FLOAT_COMPLEX CXX_FLOAT_COMPLEX COMPLEX COMPLEX8 F_COMPLEX F_FLOAT_COMPLEX",
    "c16": "C_DOUBLE_COMPLEX CXX_DOUBLE_COMPLEX DOUBLE_COMPLEX COMPLEX16 F_DOUBLE_COMPLEX",
    "?": "C_BOOL BOOL CXX_BOOL",
}
DATATYPES = {name: Datatype(name, code) for code, names in _CODES.items() for name in names.split()}
"""MPI's own types by name."""
_BY_DTYPE = {np.dtype(code): DATATYPES[names.split()[0]] for code, names in _CODES.items()}


def of_dtype(dtype: np.dtype[Any]) -> Datatype:
    """Return MPI's own type of a type of NumPy; of one that MPI lacks, a type of that size."""
    return _BY_DTYPE.get(dtype) or Datatype(str(dtype), dtype)
