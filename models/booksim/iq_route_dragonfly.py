"""BookSim2's routing functions on its dragonfly (dragonfly.cpp): groups of 2p routers with p nodes each.

Ports 0 to p − 1 lead to nodes, the next 2p − 1 to the other routers of the group, the last p to other groups.
"""

from __future__ import annotations

from models.booksim.iq_paths import MIN_DRAGONFLY, set_route, under_way
from models.booksim.iq_random import draw
from models.booksim.iq_state import Routers
from models.jit.compiled import compiled, compiled_noinline

THRESHOLD = 30  # flits by which a detour must be better


@compiled
def next_on_dragonfly(r: int, node: int, p: int) -> int:
    """Return the output of router `r` towards a node."""
    size = 2 * p
    group, dest_group = r // size, node // (size * p)
    if node // p == r:
        return node % p
    if group == dest_group:
        there, link = node // p, 0
    else:
        link = dest_group if group > dest_group else dest_group - 1
        there = link // p + group * size
        if there == r:
            return p + size - 1 + link % p
    return p + there % size - (r < there)


@compiled_noinline
def route_dragonfly(st: Routers, r: int, port: int, number: int) -> None:
    """Route a head that router `r` gets at `port`; the VC counts the cables between groups."""
    packet, p = st.packet[number], st.shape.k
    direct = st.shape.function == MIN_DRAGONFLY
    dest, size, to_groups = packet.destination, 2 * p, 3 * p - 1
    if port < p:
        packet.phase = 0 if direct else _first_phase(st, r, number)
    if direct:
        out = next_on_dragonfly(r, dest, p)
        if out >= to_groups:
            packet.phase = 1
    else:
        if packet.phase == 0 and packet.middle // p == r:
            packet.phase = 1
        out = next_on_dragonfly(r, packet.middle if packet.phase == 0 else dest, p)
        if packet.phase == 1 and out >= p + size - 1:
            packet.phase = 2
    set_route(st, number, out, packet.phase, packet.phase)


@compiled
def _first_phase(st: Routers, r: int, number: int) -> int:
    """Draw an intermediate node; return 2 in the group of the destination, 1 to go straight, 0 to go there first."""
    packet, p = st.packet[number], st.shape.k
    group, dest = r // (2 * p), packet.destination
    if dest // (2 * p * p) == group:
        return 2
    packet.middle = draw(st.random, st.shape.nodes)
    if packet.middle // (2 * p * p) == group:
        return 1
    straight = under_way(st, number, r, next_on_dragonfly(r, dest, p))
    detour = under_way(st, number, r, next_on_dragonfly(r, packet.middle, p))
    return 1 if straight <= 2 * detour + THRESHOLD else 0
