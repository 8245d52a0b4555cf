"""BookSim2's routing functions on a flattened butterfly (flatfly_onchip.cpp).

Ports 0 to c − 1 lead to nodes, the k − 1 next ones to the other routers in dimension 0, and so on. Nodes are numbered
along rows of the chip; a `seat` is a node numbered by router.
"""

from __future__ import annotations

from models.booksim.iq_paths import (
    ADAPTIVE_XYYX,
    RAN_MIN,
    UGAL_PNI,
    UGAL_XYYX,
    VALIANT_FLATFLY,
    XYYX,
    differing,
    is_in_upper_half,
    set_all,
    set_by_order,
    set_half,
    set_quarter,
    set_route,
    under_way,
    vcs_of,
)
from models.booksim.iq_random import draw
from models.booksim.iq_state import Routers
from models.jit.compiled import compiled, compiled_noinline

THRESHOLD = 2  # by which a detour must be better


@compiled
def seat_of(st: Routers, node: int) -> int:
    """Return the seat of a node."""
    side, columns = st.shape.side, st.shape.columns
    x, y = node % (columns * side), node // (columns * side)
    return (y // side * columns + x // side) * st.shape.c + y % side * side + x % side


@compiled
def next_on_flatfly(st: Routers, r: int, seat: int, descending: bool) -> int:
    """Return the output towards a seat: by the first dimension in which it is elsewhere, or by the last."""
    k, n, c = st.shape.k, st.shape.n, st.shape.c
    d, here, there = differing(r, seat // c, k, n, descending)
    return c + (k - 1) * d + there - (there > here) if d < n else seat % c


@compiled_noinline
def route_flatfly(st: Routers, r: int, port: int, number: int, vc: int) -> None:
    """Route a head that router `r` gets at `port` on `vc`."""
    function, packet = st.shape.function, st.packet[number]
    seat, injected = seat_of(st, packet.destination), port < st.shape.c
    if function in (RAN_MIN, XYYX, ADAPTIVE_XYYX):
        up, down = next_on_flatfly(st, r, seat, False), next_on_flatfly(st, r, seat, True)
        if function == RAN_MIN or seat // st.shape.c == r:
            set_all(st, number, up)
        else:
            set_by_order(st, r, number, vc, injected, function == XYYX, up, down)
    elif function == VALIANT_FLATFLY:
        _route_by_middle(st, r, injected, number)
    else:
        _route_by_credits(st, r, injected, number, vc)


@compiled
def _route_by_middle(st: Routers, r: int, injected: bool, number: int) -> None:
    """Go to the router of any node first, unless the way leads through that of the destination."""
    packet, c = st.packet[number], st.shape.c
    if injected:
        packet.phase = 0
        packet.middle = draw(st.random, st.shape.nodes)
    middle, seat = seat_of(st, packet.middle), seat_of(st, packet.destination)
    if middle // c == r or seat // c == r:
        packet.phase = 1
    out = next_on_flatfly(st, r, middle if packet.phase == 0 else seat, False)
    if seat // c == r:
        set_all(st, number, out)
    else:
        set_half(st, number, out, packet.phase == 1)


@compiled
def _route_by_credits(st: Routers, r: int, injected: bool, number: int, vc: int) -> None:
    """Go straight, or by a drawn router, whichever promises less delay at the source (UGAL)."""
    packet, c, crossed = st.packet[number], st.shape.c, st.shape.function == UGAL_XYYX
    seat = seat_of(st, packet.destination)
    if injected:
        packet.phase = 0
    if packet.phase == 1 and packet.middle // c == r:
        packet.phase = 2
    if packet.phase != 1 and seat // c == r:
        set_all(st, number, seat % c)
        return
    descending = False
    if crossed:
        descending = draw(st.random, 2) == 0 if injected else is_in_upper_half(st, number, vc)
    if packet.phase == 0:
        packet.phase = 2
        middle = _drawn_seat(st, seat_of(st, packet.source), seat)
        if _is_detour_better(st, number, r, seat_of(st, packet.source), seat, middle, descending) and middle // c != r:
            packet.middle = middle
            packet.phase = 1
    out = next_on_flatfly(st, r, packet.middle if packet.phase == 1 else seat, descending)
    _set_parts(st, number, out, packet.phase == 2, descending)


@compiled
def _set_parts(st: Routers, number: int, out: int, second: bool, descending: bool) -> None:
    """Give a head its route on the VCs of its order of dimensions, its part of the way, its next destination."""
    k, c = st.shape.k, st.shape.c
    if st.shape.function == UGAL_PNI:
        first, last = vcs_of(st, number)
        d = (out - c) // (k - 1) + 1
        seat = seat_of(st, st.packet[number].destination)
        share = seat % c if d == st.shape.n else seat // c // k**d % k
        half = (last - first + 1) // 2
        size = (last - first + 1 - half) // k
        first = (first + half if second else first) + share * size
        set_route(st, number, out, first, first + size - 1)
    elif st.shape.function == UGAL_XYYX:
        set_quarter(st, number, out, descending, second)
    else:
        set_half(st, number, out, second)


@compiled
def _distance(st: Routers, one: int, other: int) -> int:
    """Return the number of dimensions in which two seats differ."""
    k, count = st.shape.k, 0
    one //= st.shape.c
    other //= st.shape.c
    for _ in range(st.shape.n):
        count += one % k != other % k
        one //= k
        other //= k
    return count


@compiled
def _drawn_seat(st: Routers, source: int, dest: int) -> int:
    """Return any seat of a router that differs from the source in no dimension in which the destination does not."""
    k, c = st.shape.k, st.shape.c
    seat, place = draw(st.random, c), c
    source //= c
    dest //= c
    for _ in range(st.shape.n):
        seat += place * (source % k if source % k == dest % k else draw(st.random, k))
        place *= k
        source //= k
        dest //= k
    return seat


@compiled
def _is_detour_better(st: Routers, number: int, r: int, source: int, seat: int, middle: int, descending: bool) -> bool:
    """Return whether flits under way times hops are fewer on the way by a drawn router."""
    if middle // st.shape.c == r:
        return False
    straight = _distance(st, source, seat) * under_way(st, number, r, next_on_flatfly(st, r, seat, descending))
    hops = _distance(st, source, middle) + _distance(st, middle, seat)
    return straight > hops * under_way(st, number, r, next_on_flatfly(st, r, middle, descending)) + THRESHOLD
