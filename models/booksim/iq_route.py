"""Routing: where a head may go from a router, and on which VCs it may be sent from its node."""

from __future__ import annotations

from models.booksim.iq_paths import (
    DIM_ORDER,
    DIM_ORDER_NI,
    DIM_ORDER_PNI,
    DIM_ORDER_TORUS,
    DOR_CMESH,
    MIN_DRAGONFLY,
    RAN_MIN,
    ROMM_NI,
    UGAL_PNI,
    routers_of_a_network,
    share_of,
    vcs_of,
)
from models.booksim.iq_random import draw
from models.booksim.iq_route_cmesh import route_cmesh
from models.booksim.iq_route_dragonfly import route_dragonfly
from models.booksim.iq_route_flatfly import route_flatfly, seat_of
from models.booksim.iq_route_mesh import route_mesh
from models.booksim.iq_route_torus import route_torus
from models.booksim.iq_route_tree import route_tree
from models.booksim.iq_state import Routers
from models.jit.compiled import compiled, compiled_noinline


@compiled_noinline
def route(st: Routers, r: int, port: int, number: int, vc: int) -> None:
    """Route the head of packet `number`, which router `r` gets at `port` on `vc`."""
    function = st.shape.function
    r -= st.packet[number].subnet * routers_of_a_network(st)
    if function < DIM_ORDER:
        route_tree(st, r, number)
    elif function < DIM_ORDER_TORUS:
        route_mesh(st, r, port, number, vc)
    elif function < DOR_CMESH:
        route_torus(st, r, port, number, vc)
    elif function < RAN_MIN:
        route_cmesh(st, r, port, number, vc)
    elif function < MIN_DRAGONFLY:
        route_flatfly(st, r, port, number, vc)
    else:
        route_dragonfly(st, r, port, number)


@compiled
def injection_vcs(st: Routers, number: int) -> tuple[int, int]:
    """Return the first and the last VC on which a node may send a packet."""
    function, dest = st.shape.function, st.packet[number].destination
    if function >= MIN_DRAGONFLY:
        drawn = draw(st.random, st.k.vcs)
        return drawn, drawn
    if function in (DIM_ORDER_NI, ROMM_NI):
        return share_of(st, number, dest, st.shape.nodes)
    if function == DIM_ORDER_PNI:
        return share_of(st, number, dest % st.shape.k, st.shape.k)
    if function == UGAL_PNI:
        return share_of(st, number, seat_of(st, dest) // st.shape.c % st.shape.k, st.shape.k)
    return vcs_of(st, number)
