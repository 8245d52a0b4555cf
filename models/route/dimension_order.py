"""Dimension-order routing on meshes and tori, with datelines (Dally and Towles, 8.4, 14.2; microarchitecture.md, 5).

The rule is only here: the switch computes routes with it, and tables are filled with it.
"""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled
from models.state.route_word import route_drop, route_out, route_word

BY_PARITY = -1  # ties are not drawn by the source


@compiled
def _vc_class(upper: int, vcs: int) -> tuple[int, int]:
    """Return first and last VC of the upper (1) or lower (0) half of the VCs."""
    return vcs // 2 * upper, vcs // 2 - 1 + (vcs - vcs // 2) * upper


@compiled
def ring_plus(ahead: int, minus: int, k: int) -> int:
    """Return 1 if the way round a ring of `k` places goes +, 0 if −: the shorter, and half-way − if `minus` is 1.

    `ahead` is how many places the destination is ahead going +, 1 to k − 1.
    """
    return int(2 * ahead + minus <= k)


@compiled
def dateline_vc_class(plus: int, above: int, fixed: bool, vcs: int) -> tuple[int, int]:
    """Return first and last VC that a packet may take on a ring of 4 or more, which has two VC classes.

    The dateline is the link that wraps around. Before it, where a way + leads to a lower place or a way − to a higher
    one, a packet is in the lower class; from it on, or if it does not cross it at all, in the upper class.

    Parameters
    ----------
    plus : int
        1: the packet goes +, to the next higher place; 0: −.
    above : int
        1: its destination in this dimension is at a higher place than the switch; 0: at a lower one.
    fixed : bool
        The class is that of where the packet gets on, kept all the way: who crosses the dateline is in the upper class
        going +, in the lower one going −, and who does not, the other way round.
    vcs : int
        VCs per port; the upper class has one more if their number is odd.
    """
    return _vc_class(1 - (above if fixed else plus ^ above), vcs)


@compiled
def dimension_order_route(
    destination: np.ndarray,
    local: int,
    position: np.ndarray,
    radix: np.ndarray,
    wrap: int,
    fixed: bool,
    vcs: int,
    ties: int,
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
    wrap : int
        Mask of the dimensions that are rings; the ends of the others have no link between them.
    fixed : bool
        Whether a packet keeps, all the way round a ring, the class of the place where it enters (`kept_class` gives it
        at the places behind); otherwise its class is decided at each place.
    vcs : int
        VCs per port.
    ties : int
        Direction of ties, one bit per even dimension, the lowest dimension in the lowest bit: + (0) or − (1); or
        BY_PARITY: + from even and − from odd positions.

    Returns
    -------
    tuple of int
        Output port (2d: +, 2d+1: − of dimension d, then the local ports), first and last VC allowed.
    """
    for d in range(len(radix)):
        x = position[d]
        y = destination[d]
        k = radix[d]
        minus = int(x & 1 if ties < 0 else ties & 1)
        ring = wrap >> d & 1
        ties >>= ring & 1 - (k & 1)
        if x == y:
            continue
        # Without branches: the direction cannot be predicted.
        above = int(y > x)
        if not ring:
            return 2 * d + 1 - above, 0, vcs - 1
        ahead = y - x + k * (1 - above)
        plus = ring_plus(ahead, minus, k)
        out = 2 * d + 1 - plus
        if k <= 3:
            return out, 0, vcs - 1
        first, last = dateline_vc_class(plus, above, fixed, vcs)
        return out, first, last
    return 2 * len(radix) + local, 0, vcs - 1


@compiled
def kept_class(word: int, p: int, v: int, radix: np.ndarray, wrap: int, vcs: int) -> int:
    """Return route `word` at input VC (p, v) with fixed classes: straight on in a ring, the packet keeps its class."""
    out = route_out(word)
    if route_drop(word) or out != p ^ 1 or out >= 2 * len(radix) or radix[out >> 1] <= 3 or not wrap >> (out >> 1) & 1:
        return word
    first, last = _vc_class(int(v >= vcs // 2), vcs)
    return route_word(out, first, last, 0)


@compiled
def productive(destination: np.ndarray, position: np.ndarray, radix: np.ndarray, wrap: int) -> int:
    """Return the mask of output ports that lead nearer to the destination, among which adaptive routing may choose."""
    ports = 0
    for d in range(len(radix)):
        x = position[d]
        y = destination[d]
        if x == y:
            continue
        ahead = y - x if y > x else y - x + radix[d]
        if not wrap >> d & 1:
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
    """Write the coordinates of `tag` to `destination`; return its local port, or −1 if a field is out of range."""
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
