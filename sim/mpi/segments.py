"""Messages split into segments, for algorithms that split them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sim.mpi.payload import NOTHING, Payload, pack
from sim.schedule.collectives.rounds import split
from sim.schedule.ti.types import TYPE_OF_SIZE

Blocks = dict[int, Payload]


class Info(NamedTuple):
    """Description of a message that is split into segments.

    Attributes
    ----------
    segments : int
        Number of segments.
    shape : tuple of int or None
        Shape of the array; None: an object that cannot be split is in the first segment, the others have only its size.
    """

    segments: int
    shape: tuple[int, ...] | None


WHOLE = Info(1, None)


def elements(packed: Payload) -> tuple[int, int]:
    """Return a message's number of elements and their size in bytes, a size for which a trace has a type."""
    return (packed.items, packed.unit) if packed.unit in TYPE_OF_SIZE else (packed.size, 1)


def split_message(packed: Payload, parts: int) -> tuple[Blocks, Info]:
    """Split a message into segments."""
    if parts == 1:
        return {0: packed}, WHOLE
    count, unit = elements(packed)
    sizes = [part * unit for part in split(count, parts)]
    value = packed.unpack()
    if isinstance(value, np.ndarray) and (value.size, value.itemsize) == (packed.items, packed.unit):
        pieces = [pack(piece) for piece in np.array_split(value.reshape(-1), parts)]
        shape = value.shape
    else:
        pieces = [packed] + [packed._replace(unpack=NOTHING.unpack)] * (parts - 1)
        shape = None
    blocks = {
        number: piece._replace(size=size, items=size // unit, unit=unit)
        for number, (piece, size) in enumerate(zip(pieces, sizes, strict=True))
    }
    return blocks, Info(parts, shape)


def joined_message(blocks: Blocks, info: Info) -> Payload:
    """Return the message that segments make up."""
    if info.shape is None:
        return blocks[0]
    value = np.concatenate([blocks[number].unpack() for number in range(info.segments)])
    return pack(value.reshape(info.shape))
