"""Routes of the packets in the VC buffers, in packet order (docs/microarchitecture.md, section 4).

A route word is ready (bit 0), drop (1), out (2–7), vc_first (8–11), vc_last (12–15); 0 is a route not ready.
"""

from __future__ import annotations

from models.compiled import compiled
from models.lanes import lane
from models.predictor import predictor_update
from models.state import SwitchState


@compiled
def route_word(out: int, vc_first: int, vc_last: int, drop: int) -> int:
    """Return the word of a ready route."""
    return 1 | drop << 1 | out << 2 | vc_first << 8 | vc_last << 12


@compiled
def route_drop(word: int) -> int:
    """Return 1 if the packet is to be drained."""
    return (word >> 1) & 1


@compiled
def route_out(word: int) -> int:
    """Return the output port."""
    return (word >> 2) & 63


@compiled
def route_vcs(word: int) -> int:
    """Return the mask of output VCs the packet may take."""
    return (2 << ((word >> 12) & 15)) - (1 << ((word >> 8) & 15))


@compiled
def checked(st: SwitchState, p: int, word: int) -> int:
    """Return the word as port `p` writes it: on its lane, and with drop set if it cannot be followed from there."""
    out = lane(st, p, route_out(word))
    word = word & ~(63 << 2) | out << 2
    first = (word >> 8) & 15
    last = (word >> 12) & 15
    if out >= st.k.ports or (out == p and not st.k.u_turn) or first > last or last >= st.k.vcs:
        return word | 2
    return word


@compiled
def claim(st: SwitchState, s: int, p: int, v: int) -> int:
    """Claim the next entry of a VC's queue for the header that is complete; return its slot."""
    vc = st.vc[s, p, v]
    position = int(vc.claim)
    vc.claim = position + 1 if position + 1 < st.k.depth else 0
    return v * st.k.depth + position


@compiled
def write(st: SwitchState, s: int, p: int, slot: int, word: int, cycle: int) -> bool:
    """Write a route at the end of `cycle`; return whether it is the front packet's, which may now move."""
    v = slot // st.k.depth
    position = slot - v * st.k.depth
    word = checked(st, p, word)
    st.routes[s, p, v, position] = word
    if st.k.predict and not route_drop(word):
        predictor_update(st, s, p, route_out(word), cycle)
    vc = st.vc[s, p, v]
    if position == vc.front:
        vc.route = word
        return True
    return False


@compiled
def release(st: SwitchState, s: int, p: int, v: int) -> None:
    """Drop the front route: its packet's tail has left."""
    vc = st.vc[s, p, v]
    front = int(vc.front)
    st.routes[s, p, v, front] = 0
    front = front + 1 if front + 1 < st.k.depth else 0
    vc.front = front
    vc.route = st.routes[s, p, v, front]
