"""Where a head may go: the output and the VCs of its one or two routes."""

from __future__ import annotations

from models.booksim.iq_state import Routers
from models.jit.compiled import compiled

# Routing functions: of meshes, of tori, of trees and butterflies, of flattened butterflies and the like.
TABLE, DEST_TAG, NCA_FATTREE, ANCA_FATTREE, NCA_QTREE, NCA_TREE4, ANCA_TREE4 = range(7)
DIM_ORDER, DIM_ORDER_NI, DIM_ORDER_PNI, XY_YX, ADAPTIVE_XY_YX = range(10, 15)
ROMM, ROMM_NI, VALIANT, MIN_ADAPT, PLANAR_ADAPT = range(15, 20)
DIM_ORDER_TORUS, DIM_ORDER_NI_TORUS, DIM_ORDER_BAL_TORUS, VALIANT_TORUS, MIN_ADAPT_TORUS = range(20, 25)
DOR_CMESH, DOR_NO_EXPRESS, XY_YX_CMESH, XY_YX_NO_EXPRESS = range(30, 34)
RAN_MIN, XYYX, ADAPTIVE_XYYX, VALIANT_FLATFLY, UGAL_FLATFLY, UGAL_PNI, UGAL_XYYX = range(40, 47)
MIN_DRAGONFLY, UGAL_DRAGONFLY = range(50, 52)


@compiled
def first_vc(st: Routers, number: int) -> int:
    """Return the first VC that packets of its type may use."""
    return st.shape.first_vc[st.packet[number].type]


@compiled
def last_vc(st: Routers, number: int) -> int:
    """Return the last VC that packets of its type may use."""
    return st.shape.last_vc[st.packet[number].type]


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
def set_half(st: Routers, number: int, out: int, first: int, last: int, upper: bool) -> None:
    """Give a head one route, on the lower or the upper half of some VCs; of an odd number, the middle is in both."""
    half = (last - first + 1) // 2
    if upper:
        set_route(st, number, out, first + half, last)
    else:
        set_route(st, number, out, first, last - half)


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
