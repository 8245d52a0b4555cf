"""BookSim2's routing functions on a mesh of n dimensions of k routers (routefunc.cpp).

Port 2d leads up in dimension d, port 2d + 1 down; the last port leads to the node. Of routes of equal priority BookSim2
keeps the first one, so that `min_adapt` and `planar_adapt` take dimensions in order, too.
"""

from __future__ import annotations

from models.booksim.iq_paths import (
    ADAPTIVE_XY_YX,
    DIM_ORDER,
    DIM_ORDER_NI,
    DIM_ORDER_PNI,
    MIN_ADAPT,
    PLANAR_ADAPT,
    ROMM,
    ROMM_NI,
    XY_YX,
    first_vc,
    last_vc,
    prefer_route,
    set_half,
    set_route,
    under_way,
)
from models.booksim.iq_random import draw
from models.booksim.iq_state import Routers
from models.jit.compiled import compiled, compiled_noinline


@compiled_noinline
def next_on_mesh(cur: int, dest: int, k: int, n: int, descending: bool) -> int:
    """Return the output by which a packet takes the first dimension, or the last, in which it is not there yet."""
    out = 2 * n
    for d in range(n):
        here, there = cur % k, dest % k
        if here != there:
            out = 2 * d if here < there else 2 * d + 1
            if not descending:
                return out
        cur //= k
        dest //= k
    return out


@compiled_noinline
def route_mesh(st: Routers, r: int, port: int, number: int, vc: int) -> None:
    """Route a head that router `r` gets at `port` on `vc`."""
    shape, packet = st.shape, st.packet[number]
    first, last, function = first_vc(st, number), last_vc(st, number), st.shape.function
    out = next_on_mesh(r, packet.destination, shape.k, shape.n, False)
    if function == DIM_ORDER or (function < ROMM and r == packet.destination):
        set_route(st, number, out, first, last)
    elif function == DIM_ORDER_NI:
        set_share(st, number, out, packet.destination, shape.nodes)
    elif function == DIM_ORDER_PNI:
        set_share(st, number, out, packet.destination // shape.k ** (out // 2) % shape.k, shape.k)
    elif function in (XY_YX, ADAPTIVE_XY_YX):
        _route_by_order(st, r, port, number, vc)
    elif function in (MIN_ADAPT, PLANAR_ADAPT):
        _route_adaptively(st, r, port, number, vc, out)
    else:
        _route_by_middle(st, r, port, number)


@compiled
def set_share(st: Routers, number: int, out: int, share: int, shares: int) -> None:
    """Give a head one route, on its share of the VCs."""
    first = first_vc(st, number)
    size = (last_vc(st, number) - first + 1) // shares
    set_route(st, number, out, first + share * size, first + (share + 1) * size - 1)


@compiled
def _route_by_order(st: Routers, r: int, port: int, number: int, vc: int) -> None:
    """Take dimensions up or down, as drawn, or as credits say, at the first router."""
    k, n, dest = st.shape.k, st.shape.n, st.packet[number].destination
    first, last = first_vc(st, number), last_vc(st, number)
    up, down = next_on_mesh(r, dest, k, n, False), next_on_mesh(r, dest, k, n, True)
    if port < 2 * n:
        ascending = vc < first + (last - first + 1) // 2
    else:
        used = under_way(st, number, r, up) - under_way(st, number, r, down)
        ascending = draw(st.random, 2) > 0 if st.shape.function == XY_YX or used == 0 else used < 0
    set_half(st, number, up if ascending else down, first, last, not ascending)


@compiled
def _route_by_middle(st: Routers, r: int, port: int, number: int) -> None:
    """Go to an intermediate node first: any one, or one on a shortest path."""
    k, n, packet = st.shape.k, st.shape.n, st.packet[number]
    function = st.shape.function
    first, last = first_vc(st, number), last_vc(st, number)
    if port == 2 * n:
        packet.phase = 0
        packet.middle = _middle_of(st, packet.source, packet.destination)
    if packet.phase == 0 and r == packet.middle:
        packet.phase = 1
    out = next_on_mesh(r, packet.middle if packet.phase == 0 else packet.destination, k, n, False)
    if r == packet.destination:
        set_route(st, number, out, first, last)
    elif function == ROMM_NI:
        set_share(st, number, out, packet.destination, st.shape.nodes)
    else:
        set_half(st, number, out, first, last, packet.phase == 1)


@compiled
def _middle_of(st: Routers, source: int, dest: int) -> int:
    """Return an intermediate node: for ROMM, between source and destination in every dimension."""
    if st.shape.function not in (ROMM, ROMM_NI):
        return draw(st.random, st.shape.nodes)
    middle, place = 0, 1
    for _ in range(st.shape.n):
        here, there = source % st.shape.k, dest % st.shape.k
        middle += place * (min(here, there) + draw(st.random, abs(there - here) + 1))
        place *= st.shape.k
        source //= st.shape.k
        dest //= st.shape.k
    return middle


@compiled
def _route_adaptively(st: Routers, r: int, port: int, number: int, vc: int, out: int) -> None:
    """Take the first dimension, on VCs that are not the escape VC, or the upper third."""
    first, last = first_vc(st, number), last_vc(st, number)
    if r == st.packet[number].destination:
        set_route(st, number, out, first, last)
    elif st.shape.function == PLANAR_ADAPT:
        set_route(st, number, out, first + 2 * ((last - first + 1) // 3), last)
    else:
        set_route(st, number, out, first, first)
        if port == 2 * st.shape.n or vc != first:
            prefer_route(st, number, out, first + 1, last)
