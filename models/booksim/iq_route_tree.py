"""BookSim2's routing functions on butterflies and trees, and along tables."""

from __future__ import annotations

from models.booksim.iq_paths import (
    ANCA_FATTREE,
    ANCA_TREE4,
    DEST_TAG,
    NCA_FATTREE,
    NCA_QTREE,
    TABLE,
    set_all,
    under_way,
)
from models.booksim.iq_random import draw
from models.booksim.iq_state import Routers
from models.jit.compiled import compiled, compiled_noinline

QTREE_LEVEL = 256  # numbers of a level of a quad tree
TREE4_LEVEL = 16


@compiled_noinline
def route_tree(st: Routers, r: int, number: int) -> None:
    """Route a head in router `r`."""
    dest, function = st.packet[number].destination, st.shape.function
    if function == TABLE:
        out = st.shape.table[r, dest]
    elif function == DEST_TAG:
        stage = r * st.shape.k // st.shape.nodes
        out = dest // st.shape.k ** (st.shape.n - 1 - stage) % st.shape.k
    elif function in (NCA_FATTREE, ANCA_FATTREE):
        out = _on_fat_tree(st, r, number)
    elif function == NCA_QTREE:
        out = _on_quad_tree(st.number[r], dest, st.shape.k, st.shape.n)
    else:
        out = _on_tree4(st, st.number[r], dest)
    set_all(st, number, out)


@compiled
def _on_fat_tree(st: Routers, r: int, number: int) -> int:
    """Go up by any port, or by that of two with fewer flits under way, until the destination is below."""
    k, n, dest = st.shape.k, st.shape.n, st.packet[number].destination
    level_size = k ** (n - 1)
    level, place = r // level_size, r % level_size
    below = k ** (n - level)
    start = place // (below // k) * below
    if start <= dest < start + below:
        return (dest - start) // (below // k)
    one = draw(st.random, k)
    if st.shape.function == NCA_FATTREE:
        return k + one
    other = draw(st.random, k)
    return k + (other if under_way(st, number, r, k + one) > under_way(st, number, r, k + other) else one)


@compiled
def _on_quad_tree(number: int, dest: int, k: int, n: int) -> int:
    child = dest // k ** (n - 1 - number // QTREE_LEVEL)
    return child % k if number % QTREE_LEVEL == child // k else k


@compiled
def _on_tree4(st: Routers, number: int, dest: int) -> int:
    """Go up by any port (`anca`: the first one), until the destination is below."""
    level, place = number // TREE4_LEVEL, number % TREE4_LEVEL
    first_up = st.shape.function == ANCA_TREE4
    if level == 0:
        return 2 * (dest // 16) + draw(st.random, 2)
    if level == 1:
        child = dest // 4
        if child // 4 == place // 2:
            return child % 4
        return 4 if first_up else 4 + draw(st.random, 4)
    if dest // 4 == place:
        return dest % 4
    return 4 if first_up else 4 + draw(st.random, 2)
