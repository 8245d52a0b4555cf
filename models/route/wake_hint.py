"""Wake hints, which run ahead of packets and wake the links of their paths (microarchitecture.md, section 10).

In a cycle come first the hints that are visible, then the heads; a channel keeps the one from the lowest input port.
The user of the switch takes what is on the channels with `take_hints` when the cycle ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from models.jit.bits import each_member
from models.jit.compiled import compiled, compiled_noinline
from models.params import hint_hops
from models.route.route_queue import checked
from models.route.route_unit import route_at_once
from models.state.declare import PORT, SWITCH, Registers, Sizes, apart
from models.state.registers import NO_PORT, Records, SwitchState
from models.state.route_word import route_drop, route_out

CarryHint = Callable[[Any, int, int, int, int, int], None]

HINT = np.dtype(
    [
        ("destination", np.int64),  # address bits of a tag
        ("hops", np.int16),  # switches to which it goes on after the next one
        ("source", np.int16),  # input port of its candidate
    ],
    align=True,
)


@compiled_noinline
def wake_hint_reset(st: SwitchState, s: int, cycle: int) -> None:
    """Clear the hint channels of a switch."""
    if st.k.hints:
        st.hinting[s] = 0
        st.heard[s] = 0


def _has_hints(n: Sizes) -> bool:
    return hint_hops(n.params.lpi) > 0


class WakeHintRegisters(Registers):
    """Hint channels of the output links, and what is visible on those of the input links."""

    hint: Records = apart(HINT, PORT, built=_has_hints)
    hinting: np.ndarray = apart(np.int64, SWITCH, built=_has_hints)  # channels with a hint from the next cycle on
    heard: np.ndarray = apart(np.int64, SWITCH, built=_has_hints)  # input ports with a hint in this cycle
    reset = wake_hint_reset


@compiled
def _send(st: SwitchState, s: int, p: int, o: int, hops: int, destination: int) -> None:
    """Put the candidate of input port `p` on the channel of output `o`, unless a lower port has one for it."""
    if o >= st.k.first_local:
        return
    row = st.hint[s, o]
    if not int(st.hinting[s]) >> o & 1 or p < row.source:
        row.destination = destination
        row.hops = hops
        row.source = p
        st.hinting[s] |= 1 << o


@compiled
def _output(st: SwitchState, s: int, p: int, destination: int) -> int:
    """Return the output of packets from input port `p` to a destination; NO_PORT if they are dropped."""
    word = checked(st, s, p, 0, route_at_once(st, s, destination, False))
    return NO_PORT if route_drop(word) else route_out(word)


@compiled_noinline
def hear_hint(st: SwitchState, s: int, p: int, hops: int, destination: int) -> None:
    """Accept a hint that is visible at input port `p`, before the allocation of the cycle.

    Parameters
    ----------
    st : SwitchState
        The switches.
    s, p : int
        Switch, input port.
    hops, destination : int
        The hint.
    """
    st.heard[s] |= 1 << p
    o = _output(st, s, p, destination)
    if o == NO_PORT:
        return
    st.switch[s].hinted |= 1 << o
    if hops:
        _send(st, s, p, o, hops - 1, destination)


@compiled_noinline
def hint_ahead(st: SwitchState, s: int, p: int, tag: int) -> None:
    """Send a hint ahead of the packet to `tag` whose header is complete at input port `p`, if no hint is visible there.

    All hints that are visible in the cycle must have been heard.
    """
    if int(st.heard[s]) >> p & 1:
        return
    destination = tag & st.k.address_mask
    o = _output(st, s, p, destination)
    if o != NO_PORT:
        _send(st, s, p, o, st.k.hints - 1, destination)


@compiled
def take_hints(st: SwitchState, s: int, take: CarryHint, taker: Any, cycle: int) -> None:
    """Take the hints from the channels at the end of `cycle`, as `take(taker, s, o, hops, destination, cycle)`."""
    for o in each_member(int(st.hinting[s])):
        row = st.hint[s, o]
        take(taker, s, o, int(row.hops), int(row.destination), cycle)
    st.hinting[s] = 0
    st.heard[s] = 0
