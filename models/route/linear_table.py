"""Linear forwarding table of an input port, indexed by the tag (as in InfiniBand; microarchitecture.md, section 5).

The input ports of a switch have equal tables, so the model keeps one per switch. A network has one entry per switch and
destination, up to a billion of them. So an entry is the low 16 bits of its route word, which is ready if the
destination is known; adaptive choices lie apart.
"""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled
from models.state.declare import SWITCH, Registers, Sizes, apart
from models.state.registers import DETERMINISTIC, SwitchState
from models.state.route_word import READY, UNCHOSEN, route_choices, route_word, with_choices


def _entries(n: Sizes) -> tuple[int, ...]:
    return (n.params.programmed_entries,)


class LinearTableRegisters(Registers):
    """Routes of the table's entries, which the route table and the ternary table have, too."""

    table_route: np.ndarray = apart(np.uint16, SWITCH, _entries, built=lambda n: n.params.programmed)
    table_choices: np.ndarray = apart(
        np.int64, SWITCH, _entries, built=lambda n: n.params.programmed and n.params.selects
    )


@compiled
def write_entry(st: SwitchState, s: int, number: int, found: int, route: int) -> None:
    """Write (found = 1) or remove (0) the route word of an entry."""
    st.table_route[s, number] = np.uint16(route & UNCHOSEN if found else route & UNCHOSEN & ~READY)
    if st.k.adaptive != DETERMINISTIC:
        st.table_choices[s, number] = route_choices(route)


@compiled
def entry_route(st: SwitchState, s: int, number: int) -> int:
    """Return the route word of an entry; it is not ready if the entry is empty."""
    word = int(np.int64(st.table_route[s, number]))
    if st.k.adaptive != DETERMINISTIC:
        return with_choices(word, int(st.table_choices[s, number]))
    return word


@compiled
def linear_route(st: SwitchState, s: int, tag: int) -> int:
    """Return the route word of a tag; its drop bit is set if the tag is beyond the table or the entry is empty."""
    route = entry_route(st, s, tag & st.k.table_mask)
    return route if route & READY and tag & ~st.k.table_mask == 0 else route_word(0, 0, 0, 1)


@compiled
def linear_program(st: SwitchState, s: int, tag: int, found: int, route: int) -> None:
    """Write (found = 1) or remove (0) a route, for headers of later cycles; a tag beyond the table changes nothing."""
    if tag & ~st.k.table_mask == 0:
        write_entry(st, s, tag, found, route)
