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
    differing,
    prefer_route,
    set_all,
    set_by_order,
    set_half,
    set_route,
    set_share,
    vcs_of,
)
from models.booksim.iq_random import draw
from models.booksim.iq_state import Routers
from models.jit.compiled import compiled, compiled_noinline


@compiled
def next_on_mesh(cur: int, dest: int, k: int, n: int, descending: bool) -> int:
    """Return the output by which a packet takes the first dimension, or the last, in which it is not there yet."""
    d, here, there = differing(cur, dest, k, n, descending)
    return 2 * d + (here > there)


@compiled_noinline
def route_mesh(st: Routers, r: int, port: int, number: int, vc: int) -> None:
    """Route a head that router `r` gets at `port` on `vc`."""
    shape, packet, function = st.shape, st.packet[number], st.shape.function
    out = next_on_mesh(r, packet.destination, shape.k, shape.n, False)
    if function == DIM_ORDER or (function < ROMM and r == packet.destination):
        set_all(st, number, out)
    elif function == DIM_ORDER_NI:
        set_share(st, number, out, packet.destination, shape.nodes)
    elif function == DIM_ORDER_PNI:
        set_share(st, number, out, packet.destination // shape.k ** (out // 2) % shape.k, shape.k)
    elif function in (XY_YX, ADAPTIVE_XY_YX):
        down = next_on_mesh(r, packet.destination, shape.k, shape.n, True)
        set_by_order(st, r, number, vc, port == 2 * shape.n, function == XY_YX, out, down)
    elif function in (MIN_ADAPT, PLANAR_ADAPT):
        _route_adaptively(st, r, port, number, vc, out)
    else:
        _route_by_middle(st, r, port, number)


@compiled
def _route_by_middle(st: Routers, r: int, port: int, number: int) -> None:
    """Go to an intermediate node first: any one, or one on a shortest path."""
    k, n, packet = st.shape.k, st.shape.n, st.packet[number]
    if port == 2 * n:
        packet.phase = 0
        packet.middle = _middle_of(st, packet.source, packet.destination)
    if packet.phase == 0 and r == packet.middle:
        packet.phase = 1
    out = next_on_mesh(r, packet.middle if packet.phase == 0 else packet.destination, k, n, False)
    if r == packet.destination:
        set_all(st, number, out)
    elif st.shape.function == ROMM_NI:
        set_share(st, number, out, packet.destination, st.shape.nodes)
    else:
        set_half(st, number, out, packet.phase == 1)


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
    first, last = vcs_of(st, number)
    if r == st.packet[number].destination:
        set_all(st, number, out)
    elif st.shape.function == PLANAR_ADAPT:
        set_route(st, number, out, first + 2 * ((last - first + 1) // 3), last)
    else:
        set_route(st, number, out, first, first)
        if port == 2 * st.shape.n or vc != first:
            prefer_route(st, number, out, first + 1, last)
