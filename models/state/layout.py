"""Memory layout: the state of a switch in one block, an array of structures, for locality.

A flit that moves touches some words of its switch, of two ports and of a VC. With an array for each register, each word
would cost a cache line and, in large networks, a page; adjacent registers share them. Arrays are strided views into the
blocks, so that their users need not know.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from models.jit.compiled import COMPILES
from models.state.plain_records import plain_records

LINE = 64  # bytes of a cache line
WORD = 8


class Place(NamedTuple):
    """An array of a block.

    Attributes
    ----------
    name : str
        Name of the array.
    dtype : numpy data type
        Type of an element; of records, the array is a `numpy.recarray`, or stands in for one
        (`models.state.plain_records`).
    shape : tuple of int
        Elements of each switch, port or VC.
    """

    name: str
    dtype: Any
    shape: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Bytes for one switch, port or VC, padded to whole words."""
        return -(-np.dtype((self.dtype, self.shape)).itemsize // WORD) * WORD


def aligned(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Return zeros aligned to a cache line; of records, a `numpy.recarray` or its stand-in."""
    kind = np.dtype(dtype)
    size = int(kind.itemsize * np.prod(shape, dtype=np.int64))
    memory = np.zeros(size + LINE, np.uint8)
    first = -memory.ctypes.data % LINE
    return _named(memory[first : first + size].view(kind).reshape(shape))


def blocks(counts: tuple[int, ...], levels: tuple[list[Place], ...]) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return arrays of zeros, by name, in one block per switch, and the memory of the blocks.

    Parameters
    ----------
    counts : tuple of int
        Switches, ports of a switch, VCs of a port.
    levels : tuple of list of Place
        Arrays of switches, of ports, of VCs, each in the order of memory. The arrays of a switch come first, then port
        by port those of the port, and VC by VC those of the VC; each group is aligned to a cache line.

    Returns
    -------
    dict of array
        Shapes [switches, …], [switches, ports, …], [switches, ports, VCs, …].
    array
        int64 [switches, words].
    """
    widths = [-(-sum(place.size for place in places) // LINE) * LINE for places in levels]
    strides = [0] * len(levels)  # bytes from one switch, port, VC to the next, what is within it included
    for level in reversed(range(len(levels))):
        within = counts[level + 1] * strides[level + 1] if level + 1 < len(levels) else 0
        strides[level] = widths[level] + within
    # An odd number of lines: with a power of two, a register of all switches would map to few of a cache's sets.
    strides[0] = (strides[0] // LINE | 1) * LINE if strides[0] else 0
    if [place.size for places in levels for place in places] == strides[:1]:
        strides[0] += 2 * LINE  # an array that fills its block would be contiguous, and so of a type of its own
    memory = aligned((counts[0], strides[0]), np.uint8)
    arrays = {}
    for level, places in enumerate(levels):
        offset = sum(widths[:level])
        for place in places:
            kind = np.dtype((place.dtype, place.shape))  # numpy appends the dimensions of such a type to the array's
            arrays[place.name] = _named(
                np.ndarray(counts[: level + 1], kind, memory.data, offset, strides[: level + 1])
            )
            offset += place.size
    return arrays, memory.view(np.int64)


def absent(dtype: Any, dimensions: int) -> np.ndarray:
    """Return a placeholder for an array that a switch does not have: of the same numba type as a view into a block."""
    return _named(np.zeros((1,) * (dimensions - 1) + (4,), dtype))[..., ::2]


def _named(array: np.ndarray) -> np.ndarray:
    if not array.dtype.names:
        return array
    return array.view(np.recarray) if COMPILES else plain_records(array)
