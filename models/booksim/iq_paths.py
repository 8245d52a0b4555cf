"""Where a head may go: the output and the VCs of its one or two routes."""

from __future__ import annotations

from models.booksim.iq_random import draw
from models.booksim.iq_state import Routers
from models.jit.compiled import compiled, compiled_noinline

# Routing functions: of meshes, of tori, of trees and butterflies, of flattened butterflies and the like.
TABLE, DEST_TAG, NCA_FATTREE, ANCA_FATTREE, NCA_QTREE, NCA_TREE4, ANCA_TREE4 = range(7)
DIM_ORDER, DIM_ORDER_NI, DIM_ORDER_PNI, XY_YX, ADAPTIVE_XY_YX = range(10, 15)
ROMM, ROMM_NI, VALIANT, MIN_ADAPT, PLANAR_ADAPT = range(15, 20)
DIM_ORDER_TORUS, DIM_ORDER_NI_TORUS, DIM_ORDER_BAL_TORUS, VALIANT_TORUS, MIN_ADAPT_TORUS = range(20, 25)
DOR_CMESH, DOR_NO_EXPRESS, XY_YX_CMESH, XY_YX_NO_EXPRESS = range(30, 34)
RAN_MIN, XYYX, ADAPTIVE_XYYX, VALIANT_FLATFLY, UGAL_FLATFLY, UGAL_PNI, UGAL_XYYX = range(40, 47)
MIN_DRAGONFLY, UGAL_DRAGONFLY = range(50, 52)


@compiled
def vcs_of(st: Routers, number: int) -> tuple[int, int]:
    """Return the first and the last VC that packets of its type may use."""
    kind = st.packet[number].type
    return st.shape.first_vc[kind], st.shape.last_vc[kind]


@compiled
def share_of(st: Routers, number: int, share: int, shares: int) -> tuple[int, int]:
    """Return the first and the last VC of one of equal shares of these VCs."""
    first, last = vcs_of(st, number)
    size = (last - first + 1) // shares
    return first + share * size, first + (share + 1) * size - 1


@compiled
def is_in_upper_half(st: Routers, number: int, vc: int) -> bool:
    """Return whether a VC is in the upper half of these VCs; of an odd number, the middle counts."""
    first, last = vcs_of(st, number)
    return vc >= first + (last - first + 1) // 2


@compiled_noinline
def differing(one: int, other: int, k: int, n: int, last: bool) -> tuple[int, int, int]:
    """Return the first dimension, or the last, in which two routers differ, and their places in it; `n` if none."""
    found = n, 0, 0
    for d in range(n):
        here, there = one % k, other % k
        if here != there:
            found = d, here, there
            if not last:
                break
        one //= k
        other //= k
    return found


@compiled
def routers_of_a_network(st: Routers) -> int:
    """Return how many routers each network has."""
    return len(st.ports) // st.k.subnets


@compiled
def under_way(st: Routers, number: int, r: int, out: int) -> int:
    """Return the flits under way behind an output of router `r` of a packet's network."""
    return st.used[(st.packet[number].subnet * routers_of_a_network(st) + r) * st.k.ports + out]


@compiled
def set_route(st: Routers, number: int, out: int, first: int, last: int) -> None:
    """Give a head one route."""
    packet = st.packet[number]
    packet.routes = 1
    packet.out[0] = out
    packet.first_vc[0] = first
    packet.last_vc[0] = last
    packet.rank[0] = 0


@compiled
def set_all(st: Routers, number: int, out: int) -> None:
    """Give a head one route, on all VCs that packets of its type may use."""
    first, last = vcs_of(st, number)
    set_route(st, number, out, first, last)


@compiled
def set_share(st: Routers, number: int, out: int, share: int, shares: int) -> None:
    """Give a head one route, on its share of the VCs."""
    first, last = share_of(st, number, share, shares)
    set_route(st, number, out, first, last)


@compiled
def set_half(st: Routers, number: int, out: int, upper: bool) -> None:
    """Give a head one route, on the lower or the upper half of the VCs; of an odd number, the middle is in both."""
    first, last = vcs_of(st, number)
    half = (last - first + 1) // 2
    if upper:
        set_route(st, number, out, first + half, last)
    else:
        set_route(st, number, out, first, last - half)


@compiled
def set_quarter(st: Routers, number: int, out: int, upper: bool, second: bool) -> None:
    """Give a head one route, on half of the VCs without its last or, if `second`, without its first quarter."""
    set_half(st, number, out, upper)
    packet, (first, last) = st.packet[number], vcs_of(st, number)
    quarter = (last - first + 1) // 4
    packet.first_vc[0] += quarter * second
    packet.last_vc[0] -= quarter * (not second)


@compiled
def set_by_order(st: Routers, r: int, number: int, vc: int, injected: bool, drawn: bool, up: int, down: int) -> None:
    """Give a head one route: dimensions up or down, as `drawn`, or as credits say, at the first router."""
    used = under_way(st, number, r, up) - under_way(st, number, r, down)
    if not injected:
        descending = is_in_upper_half(st, number, vc)
    elif drawn or used == 0:
        descending = draw(st.random, 2) == 0
    else:
        descending = used > 0
    set_half(st, number, down if descending else up, descending)


@compiled
def prefer_route(st: Routers, number: int, out: int, first: int, last: int) -> None:
    """Give a head a second route, which goes before the one that it has."""
    packet = st.packet[number]
    packet.out[1] = packet.out[0]
    packet.first_vc[1] = packet.first_vc[0]
    packet.last_vc[1] = packet.last_vc[0]
    packet.rank[1] = packet.rank[0]
    set_route(st, number, out, first, last)
    packet.rank[0] = 1
    packet.routes = 2
