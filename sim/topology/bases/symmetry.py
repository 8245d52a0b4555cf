"""Symmetries of a pair of hypercubes: permutations of coordinates that take both planes to themselves.

A second basis that a permutation of coordinates takes to itself loads all links of an orbit the same, in either plane,
so little of the load is lost to the most loaded link. And there are far fewer such bases: of twelve dimensions there
are 128 that a rotation of all coordinates takes to themselves, each given by any of its vectors.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Symmetry(NamedTuple):
    """A permutation of coordinates, and the orbits of a basis that it takes to itself.

    Attributes
    ----------
    image : array [2^n]
        int64: image of each vector.
    orbits : array [g, 3]
        int64, a row an orbit of the basis: place of its first vector; its length; and how many images are added up when
        that vector changes, 1 where any vector may stand there, else the order of the permutation, as the sum over all
        images is a vector that the permutation leaves alone.
    """

    image: NDArray[np.int64]
    orbits: NDArray[np.int64]


def rotation(bits: int, size: int) -> Symmetry:
    """Return the rotation by one of each block of coordinates; coordinates that fill no block stay.

    Parameters
    ----------
    bits : int
        Dimensions n.
    size : int
        Coordinates a block, 1 (nothing moves) to n.
    """
    moved = bits - bits % size
    place = np.arange(bits)
    to = np.where(place < moved, place - place % size + (place + 1) % size, place)
    vectors = np.arange(1 << bits, dtype=np.int64)
    image = ((vectors[:, None] >> place & 1) << to).sum(axis=1)
    blocks = [(first, size, 1) for first in range(0, moved, size)]
    return Symmetry(image, np.array(blocks + [(k, 1, size) for k in range(moved, bits)], np.int64))


def symmetries(bits: int) -> list[Symmetry]:
    """Return the rotations of blocks of every size, those of few orbits first, that of no symmetry last."""
    return sorted((rotation(bits, size) for size in range(1, bits + 1)), key=lambda each: len(each.orbits))
