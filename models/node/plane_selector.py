"""Plane selector of a node: nearest plane and route value (Hosomi et al., 2021: paper D; microarchitecture.md, 14).

Bit k of a route value is 1 if the path takes the link of generator k; its weight is the distance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.jit.compiled import compiled
from models.jit.sets import popcount
from models.jit.struct_pointer import struct_pointer
from models.params.planes import PlaneParams
from models.route.hypercube import shorter


@struct_pointer
class Planes(NamedTuple):
    """Constants of the planes for compiled functions.

    Parameters
    ----------
    inverse : numpy.ndarray
        int64 [plane, address bit]: route value of an address with only that bit set.
    fold : numpy.ndarray
        int64 [plane]: route value, without the last generator, of the last generator of a folded plane; 0 if not
        folded.
    """

    inverse: np.ndarray
    fold: np.ndarray


def plane_tables(params: PlaneParams) -> Planes:
    """Return the constants of the planes."""
    planes = range(len(params.planes))
    inverse = np.array([params.inverse(plane) for plane in planes], np.int64)
    return Planes(inverse, np.array([params.fold(plane) for plane in planes], np.int64))


@compiled
def route_value(difference: int, plane: int, planes: Planes) -> int:
    """Return the shortest route value in `plane` between nodes whose addresses differ by `difference`.

    In a folded plane, the route value without the last generator unless the other one is shorter.
    """
    bits = planes.inverse.shape[1]
    route = 0
    for bit in range(bits):
        if difference >> bit & 1:
            route ^= planes.inverse[plane, bit]
    return shorter(route, planes.fold[plane], bits)


@compiled
def select_plane(difference: int, start: int, planes: Planes) -> tuple[int, bool]:
    """Return the first nearest plane in cyclic order from `start`, and whether other planes are equally near."""
    count = len(planes.fold)
    shortest = planes.inverse.shape[1] + 1
    nearest = 0
    tie = False
    for step in range(count):
        plane = start + step if start + step < count else start + step - count
        distance = popcount(route_value(difference, plane, planes))
        if distance < shortest:
            shortest, nearest, tie = distance, plane, False
        elif distance == shortest:
            tie = True
    return nearest, tie


@compiled
def start_after(plane: int, planes: Planes) -> int:
    """Return, for tie = "alternate", the next `start` after a tie in which `plane` was taken."""
    return plane + 1 if plane + 1 < len(planes.fold) else 0


@compiled
def hashed_start(source: int, destination: int, planes: Planes) -> int:
    """Return, for tie = "hash", `start` as a hash of the addresses.

    `start` has B bits, the width of a plane number. Bit b is the parity of bits 2b, 2b + 2B, ... of `source` and of
    bits 2b + 1, 2b + 1 + 2B, ... of `destination`.
    """
    count = len(planes.fold)
    hash_bits = 1
    while count > 1 << hash_bits:
        hash_bits += 1
    start = 0
    for bit in range(planes.inverse.shape[1]):
        address = destination if bit & 1 else source
        start ^= (address >> bit & 1) << (bit // 2 % hash_bits)
    return start if start < count else start - count
