"""Constants of MPI, and its types of elements that have a size."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.messages.tags import MAX_TAG

ANY_SOURCE = -1
ANY_TAG = -1
PROC_NULL = -2
ROOT = -3
UNDEFINED = -32766
TAG_UB = MAX_TAG


class _InPlace:
    def __repr__(self) -> str:
        return "MPI.IN_PLACE"


IN_PLACE = _InPlace()
"""In place of a buffer: the other buffer is both input and output."""


class Datatype:
    """A type of elements.

    Parameters
    ----------
    name : str
        Name in MPI.
    dtype : numpy type
        Type of the same size.
    """

    def __init__(self, name: str, dtype: Any) -> None:
        self.name = name
        self.dtype = np.dtype(dtype)

    def Get_size(self) -> int:  # noqa: N802 - MPI's name
        """Return the bytes of an element."""
        return self.size

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return int(self.dtype.itemsize)

    def __repr__(self) -> str:
        return f"MPI.{self.name}"


DATATYPES = {
    name: Datatype(name, dtype)
    for name, dtype in {
        "BYTE": "u1",
        "CHAR": "i1",
        "SIGNED_CHAR": "i1",
        "UNSIGNED_CHAR": "u1",
        "SHORT": "i2",
        "UNSIGNED_SHORT": "u2",
        "INT": "i4",
        "UNSIGNED": "u4",
        "LONG": "i8",
        "UNSIGNED_LONG": "u8",
        "LONG_LONG": "i8",
        "UNSIGNED_LONG_LONG": "u8",
        "FLOAT": "f4",
        "DOUBLE": "f8",
        "BOOL": "?",
        "C_BOOL": "?",
        "INT8_T": "i1",
        "INT16_T": "i2",
        "INT32_T": "i4",
        "INT64_T": "i8",
        "UINT8_T": "u1",
        "UINT16_T": "u2",
        "UINT32_T": "u4",
        "UINT64_T": "u8",
        "COMPLEX": "c8",
        "FLOAT_COMPLEX": "c8",
        "DOUBLE_COMPLEX": "c16",
        "C_FLOAT_COMPLEX": "c8",
        "C_DOUBLE_COMPLEX": "c16",
        "REAL4": "f4",
        "REAL8": "f8",
        "INTEGER": "i4",
        "DOUBLE_PRECISION": "f8",
    }.items()
}
