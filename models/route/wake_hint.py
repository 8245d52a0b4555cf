"""Wake hints, which run ahead of packets and wake the links of their paths (microarchitecture.md, section 10).

In a cycle come `hear_hint` for each hint that is visible, then `hint_ahead` for each head, then `take_hint`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from models.jit.compiled import compiled, compiled_noinline
from models.params import hint_hops
from models.route.route_queue import checked
from models.route.route_unit import route_at_once
from models.state.declare import SWITCH, Registers, placed
from models.state.placement import Area
from models.state.registers import NO_PORT, Records, SwitchState
from models.state.route_word import route_drop, route_out

CarryHint = Callable[[Any, int, int, int, int, int], None]

NONE, PASSING, NEW = 0, 1, 2

HINT = np.dtype(
    [
        ("destination", np.int64),  # address bits of a tag
        ("hops", np.int16),  # links that it is still to wake behind its output's
        ("source", np.int16),  # input port
        ("kind", np.int8),
    ],
    align=True,
)


class WakeHintRegisters(Registers):
    """The hint that a switch handles in a cycle."""

    hint: Records = placed(Area.REST, HINT, SWITCH, built=lambda n: hint_hops(n.params.lpi) > 0)


@compiled
def _keep(st: SwitchState, s: int, kind: int, p: int, hops: int, destination: int) -> None:
    """Keep a hint from input port `p`, unless one of another kind, or from a lower port, is kept."""
    row = st.hint[s]
    if row.kind == NONE or (row.kind == kind and p < row.source):
        row.kind = kind
        row.source = p
        row.hops = hops
        row.destination = destination


@compiled
def _output(st: SwitchState, s: int) -> int:
    """Return the output to which the hint of a switch leads; NO_PORT if its packet would be dropped."""
    row = st.hint[s]
    word = checked(st, s, int(row.source), 0, route_at_once(st, s, int(row.destination), False))
    return NO_PORT if route_drop(word) else route_out(word)


@compiled_noinline
def hear_hint(st: SwitchState, s: int, p: int, hops: int, destination: int) -> None:
    """Accept a hint that is visible at input port `p`.

    Parameters
    ----------
    st : SwitchState
        The switches.
    s, p : int
        Switch, input port.
    hops, destination : int
        The hint.
    """
    _keep(st, s, PASSING, p, hops, destination)


@compiled_noinline
def hint_ahead(st: SwitchState, s: int, p: int, tag: int) -> None:
    """Make a hint for the packet to `tag` whose header is complete at input port `p`."""
    _keep(st, s, NEW, p, st.k.hints, tag & st.k.address_mask)


@compiled
def take_hint(st: SwitchState, s: int, take: CarryHint, taker: Any, cycle: int) -> bool:
    """End `cycle`, after its allocation, and return whether a hint wants a link in the next cycle.

    Parameters
    ----------
    st : SwitchState
        The switches.
    s : int
        Switch.
    take : compiled function
        Called as `take(taker, s, o, hops, destination, cycle)` if a hint goes on to the channel of output `o`.
    taker : any
        First argument of `take`.
    cycle : int
        The present cycle.
    """
    row = st.hint[s]
    kind = row.kind
    row.kind = NONE
    o = _output(st, s) if kind != NONE else NO_PORT
    if o == NO_PORT:
        return False
    if row.hops and o < st.k.first_local:
        take(taker, s, o, int(row.hops) - 1, int(row.destination), cycle)
    if kind == PASSING:
        st.switch[s].hinted |= 1 << o
        return True
    return False
