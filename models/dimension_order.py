"""Dimension-order routing on meshes and tori, with dateline VC classes (docs/microarchitecture.md, section 5).

The one place that knows the rule: computed routes use it in the switch, and tables are filled from it.
"""

from __future__ import annotations

import numpy as np

from models.compiled import compiled


@compiled
def choose(
    destination: np.ndarray, local: int, position: np.ndarray, radix: np.ndarray, wrap: bool, vcs: int
) -> tuple[int, int, int]:
    """Return (out, vc_first, vc_last) at the switch at `position`.

    Parameters
    ----------
    destination, position : numpy.ndarray
        Coordinates, int64 [dimensions].
    local : int
        Local port of the destination, from 0.
    radix : numpy.ndarray
        Nodes in each dimension, int64 [dimensions].
    wrap : bool
        Torus (True) or mesh (False).
    vcs : int
        VCs a port.

    Returns
    -------
    tuple of int
        Output port (2d: +, 2d+1: − of dimension d, then the local ports), first and last VC allowed.
    """
    for d in range(len(radix)):
        x = position[d]
        y = destination[d]
        if x == y:
            continue
        # Without branches: which way it is could not be foreseen.
        k = radix[d]
        above = int(y > x)
        if not wrap:
            return 2 * d + 1 - above, 0, vcs - 1
        ahead = y - x + k * (1 - above)
        plus = int(2 * ahead + (x & 1) <= k)
        out = 2 * d + 1 - plus
        if k <= 3:
            return out, 0, vcs - 1
        # Not yet through the link that wraps around, where a way up leads to a lower place or a way down to a higher.
        crosses = plus ^ above
        return out, vcs // 2 * (1 - crosses), vcs - 1 - (vcs - vcs // 2) * crosses
    return 2 * len(radix) + local, 0, vcs - 1


@compiled
def productive(destination: np.ndarray, position: np.ndarray, radix: np.ndarray, wrap: bool) -> int:
    """Return the mask of output ports that lead nearer to the destination: what adaptive routing may choose."""
    ports = 0
    for d in range(len(radix)):
        x = position[d]
        y = destination[d]
        if x == y:
            continue
        ahead = y - x if y > x else y - x + radix[d]
        if not wrap:
            ahead = 0 if y > x else radix[d]
        if 2 * ahead <= radix[d]:
            ports |= 1 << (2 * d)
        if 2 * ahead >= radix[d]:
            ports |= 2 << (2 * d)
    return ports


@compiled
def decode(
    tag: int, coordinate_bits: np.ndarray, local_bits: int, radix: np.ndarray, local_ports: int, destination: np.ndarray
) -> int:
    """Write a tag's coordinates into `destination`; return its local port, or −1 if a field is out of range."""
    shift = 0
    for d in range(len(radix)):
        destination[d] = (tag >> shift) & ((1 << coordinate_bits[d]) - 1)
        shift += coordinate_bits[d]
        if destination[d] >= radix[d]:
            return -1
    return local_port(tag >> shift, local_bits, local_ports)


@compiled
def local_port(rest: int, local_bits: int, local_ports: int) -> int:
    """Return the local port in what is left of a tag without its coordinates, or −1 if it is out of range."""
    local = rest & ((1 << local_bits) - 1)
    return local if local < local_ports else -1


def encode(coordinates: tuple[int, ...], local: int, coordinate_bits: tuple[int, ...]) -> int:
    """Return the tag of a node from its coordinates and local port."""
    tag = shift = 0
    for x, bits in zip(coordinates, coordinate_bits, strict=True):
        tag |= x << shift
        shift += bits
    return tag | local << shift
