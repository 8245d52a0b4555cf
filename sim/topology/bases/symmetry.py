"""Symmetries of a pair of hypercubes: permutations of coordinates that map both planes to themselves.

If a permutation of coordinates maps the second basis to itself, all links of an orbit have the same load in each plane,
so the most loaded link is near the mean. And there are far fewer such bases: in twelve dimensions, a rotation of all
coordinates maps 128 bases to themselves, each given by any of its vectors.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Symmetry(NamedTuple):
    """A permutation of coordinates, and the orbits of a basis that it maps to itself.

    Attributes
    ----------
    image : array [2^n]
        int64: image of each vector.
    orbits : array [g, 3]
        int64, one row per orbit of the basis: index of its first vector; its length; and the number of images that are
        summed when that vector changes: 1 if any vector is possible, else the order of the permutation, because the sum
        over all images is a vector that the permutation fixes.
    """

    image: NDArray[np.int64]
    orbits: NDArray[np.int64]


def rotation(bits: int, size: int) -> Symmetry:
    """Return the rotation by one of each block of `size` coordinates; coordinates that fill no block stay.

    Parameters
    ----------
    bits : int
        Dimensions n.
    size : int
        Coordinates per block, 1 (identity) to n.
    """
    moved = bits - bits % size
    place = np.arange(bits)
    to = np.where(place < moved, place - place % size + (place + 1) % size, place)
    vectors = np.arange(1 << bits, dtype=np.int64)
    image = ((vectors[:, None] >> place & 1) << to).sum(axis=1)
    blocks = [(first, size, 1) for first in range(0, moved, size)]
    return Symmetry(image, np.array(blocks + [(k, 1, size) for k in range(moved, bits)], np.int64))


def symmetries(bits: int) -> list[Symmetry]:
    """Return the rotations of blocks of every size, those of few orbits first, the identity last."""
    return sorted((rotation(bits, size) for size in range(1, bits + 1)), key=lambda each: len(each.orbits))
