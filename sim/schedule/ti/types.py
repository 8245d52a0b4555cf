"""Numbers of MPI types in SimGrid's time-independent traces, and their sizes.

Source: SimGrid's table of predefined types (src/smpi/mpi/smpi_datatype.cpp, version 3.32 and
later), for 64-bit Linux.
"""

from __future__ import annotations

_SIZES = {
    1: (2, 6, 8, 9, 16, 17, 21, 51, 57),
    2: (3, 10, 18, 22, 46),
    4: (1, 5, 11, 15, 19, 23, 38, 39, 45, 47),
    8: (0, 4, 7, 12, 13, 20, 24, 25, 28, 29, 30, 33, 34, 35, 40, 42, 48, 52, 58, 59),
    16: (14, 26, 31, 32, 36, 37, 41, 43, 44, 49, 53),
    32: (27, 50, 54),
}
# A short beside an int (33) is padded to 8 bytes, a double or a long beside an int (32, 31) to 16.

TYPE_SIZES: dict[int, int] = {number: size for size, numbers in _SIZES.items() for number in numbers}
"""Bytes of an element, by the type's number."""

TYPE_OF_SIZE = {1: 6, 2: 3, 4: 1, 8: 0, 16: 43}
"""Type to write for elements of each size: byte, short, int, double, double complex."""

BYTE, DOUBLE = 6, 0
"""Types of counts whose lines name none: after plain `init`, and after `init 1`."""
