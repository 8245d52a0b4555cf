"""BookSim2's routing functions on a concentrated mesh, with express channels along its edges or without (cmesh.cpp).

Ports 0 to c − 1 lead to nodes, the next four up and down in x, up and down in y.
"""

from __future__ import annotations

from models.booksim.iq_paths import DOR_CMESH, DOR_NO_EXPRESS, XY_YX_CMESH, set_all, set_by_order
from models.booksim.iq_state import Routers
from models.jit.compiled import compiled, compiled_noinline


@compiled_noinline
def route_cmesh(st: Routers, r: int, port: int, number: int, vc: int) -> None:
    """Route a head that router `r` gets at `port` on `vc`."""
    k, c, dest = st.shape.k, st.shape.c, st.packet[number].destination
    function = st.shape.function
    x, y = dest % (2 * k), dest // (2 * k)
    there = y // 2 * k + x // 2
    if there == r:
        set_all(st, number, y % 2 * (c // 2) + x % 2)
    elif function in (DOR_CMESH, DOR_NO_EXPRESS):
        far = k // 2 - 1 if function == DOR_CMESH else k
        set_all(st, number, c + _direction(r, there, k, far, False))
    else:
        far = 1 if function == XY_YX_CMESH else k
        up, down = c + _direction(r, there, k, far, False), c + _direction(r, there, k, far, True)
        set_by_order(st, r, number, vc, port < c, True, up, down)


@compiled
def _direction(cur: int, dest: int, k: int, far: int, y_first: bool) -> int:
    """Return the direction in which to go; ways of more than `far` routers along an edge take its express channel."""
    if (y_first and cur // k != dest // k) or cur % k == dest % k:
        return _along(cur // k, dest // k, cur % k, k, far, 2, 0)
    return _along(cur % k, dest % k, cur // k, k, far, 0, 2)


@compiled
def _along(here: int, there: int, across: int, k: int, far: int, own: int, other: int) -> int:
    """Return the direction along one axis; `across` is the place on the other axis."""
    if abs(there - here) > far:
        if across == 0:
            return other + 1
        if across == k - 1:
            return other
    return own + (there < here)
