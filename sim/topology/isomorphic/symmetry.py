"""Symmetries of a pair of hypercubes: permutations of coordinates under which both planes stay as they are.

A second basis that a permutation of coordinates takes to itself loads all links of an orbit the same, in either plane,
so little of the load is lost to the most loaded link. And there are far fewer such bases: those of twelve dimensions
that a rotation of all coordinates takes to themselves are some thousand, each given by one vector.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FIRST, LENGTH, TERMS = range(3)  # columns of `Symmetry.orbits`


class Symmetry(NamedTuple):
    """A permutation of coordinates, and which vectors of a basis it takes to each other.

    Attributes
    ----------
    turned : array [2^n]
        Where the permutation takes each vector.
    orbits : array [g, 3]
        Of a basis: its first vector's place; how many vectors, each the one before it turned; and of how many turns of
        any vector the sum may stand there. Of a block that is one, the vector itself. A single vector must be taken to
        itself, which the sum over all turns is.
    """

    turned: NDArray[np.int64]
    orbits: NDArray[np.int64]


def rotation(bits: int, size: int) -> Symmetry:
    """Return what rotates each of as many blocks of coordinates as there are; what is left over stays.

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
    turned = ((vectors[:, None] >> place & 1) << to).sum(axis=1)
    blocks = [(first, size, 1) for first in range(0, moved, size)]
    return Symmetry(turned, np.array(blocks + [(k, 1, size) for k in range(moved, bits)], np.int64))


def symmetries(bits: int) -> list[Symmetry]:
    """Return the rotations of blocks of every size, those of few free vectors first, that of no symmetry last."""
    return sorted((rotation(bits, size) for size in range(1, bits + 1)), key=lambda each: len(each.orbits))
