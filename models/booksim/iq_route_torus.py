"""BookSim2's routing functions on a torus of n dimensions of k routers (routefunc.cpp)."""

from __future__ import annotations

from models.booksim.iq_paths import (
    DIM_ORDER_BAL_TORUS,
    DIM_ORDER_NI_TORUS,
    MIN_ADAPT_TORUS,
    VALIANT_TORUS,
    differing,
    prefer_route,
    set_all,
    set_half,
    set_quarter,
    set_route,
    set_share,
    vcs_of,
)
from models.booksim.iq_random import draw
from models.booksim.iq_state import Routers
from models.jit.compiled import compiled, compiled_noinline


@compiled_noinline
def next_on_torus(st: Routers, cur: int, dest: int, port: int, part: int) -> tuple[int, int]:
    """Return the output of a packet that arrives at `port`, and its half of the VCs, which was `part` so far.

    A packet keeps its direction on a ring; a new ring gives it a direction, a tie drawn, and a half.
    """
    k, n = st.shape.k, st.shape.n
    d, here, there = differing(cur, dest, k, n, False)
    if d == n:
        return 2 * n, part
    if port // 2 == d:
        return port ^ 1, part
    twice = k - 2 * ((there - here + k) % k)
    down = twice < 0 or (twice == 0 and draw(st.random, 2) == 0)
    return 2 * d + down, _half(st, here, there, down)


@compiled
def _half(st: Routers, here: int, there: int, down: bool) -> int:
    """Return the half of the VCs for a way round a ring."""
    if st.shape.function != DIM_ORDER_BAL_TORUS:
        return 1 if here > there else 0
    middle = (st.shape.k - 1) // 2
    if (not down and here > there) or (down and here < there):
        return 1
    if (not down and here <= middle < there) or (down and there <= middle < here):
        return 0
    return draw(st.random, 2)


@compiled_noinline
def route_torus(st: Routers, r: int, port: int, number: int, vc: int) -> None:
    """Route a head that router `r` gets at `port` on `vc`."""
    packet, function, dest = st.packet[number], st.shape.function, st.packet[number].destination
    if function == VALIANT_TORUS:
        _route_by_middle(st, r, port, number)
    elif function == MIN_ADAPT_TORUS:
        _route_adaptively(st, r, port, number, vc)
    else:
        out, part = next_on_torus(st, r, dest, port, packet.phase)
        packet.phase = part
        if r == dest:
            set_all(st, number, out)
        elif function == DIM_ORDER_NI_TORUS:
            set_share(st, number, out, dest, st.shape.nodes)
        else:
            set_half(st, number, out, packet.phase == 1)


@compiled
def _route_by_middle(st: Routers, r: int, port: int, number: int) -> None:
    """Go to any node first; a quarter of the VCs for each half of a ring on each part of the way."""
    packet = st.packet[number]
    part, second = packet.phase % 2, packet.phase >= 2
    if port == 2 * st.shape.n:
        second = False
        packet.middle = draw(st.random, st.shape.nodes)
    if not second and r == packet.middle:
        second = True
        port = 2 * st.shape.n  # a new ring
    out, part = next_on_torus(st, r, packet.destination if second else packet.middle, port, part)
    packet.phase = 2 * second + part
    if r == packet.destination:
        set_all(st, number, out)
    else:
        set_quarter(st, number, out, part == 1, second)


@compiled
def _route_adaptively(st: Routers, r: int, port: int, number: int, vc: int) -> None:
    """Take the first dimension, on VC 3 of its type, or on the escape VCs 0 and 1, on which a packet stays."""
    packet, n, (first, _) = st.packet[number], st.shape.n, vcs_of(st, number)
    dest = packet.destination
    if r == dest:
        set_all(st, number, 2 * n)
        return
    adapts = port == 2 * n or vc > first + 1
    out, part = next_on_torus(st, r, dest, 2 * n if adapts else port, packet.phase)
    packet.phase = part
    set_route(st, number, out, first + packet.phase, first + packet.phase)
    if adapts:
        prefer_route(st, number, _shorter_way(st, r, dest), first + 3, first + 3)


@compiled
def _shorter_way(st: Routers, cur: int, dest: int) -> int:
    """Return the output of the first dimension; a tie leads down."""
    k = st.shape.k
    d, here, there = differing(cur, dest, k, st.shape.n, False)
    return 2 * d + (k - 2 * ((there - here + k) % k) <= 0)
