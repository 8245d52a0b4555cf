"""Heads that wait for a VC, of all switches in rows: by the cycle in which they may ask.

A wheel of lists stands in place of the sets of each switch (`models.heads`, `models.head_delay`): a head is listed for
the cycle in which its delay is over, and again for the next as long as others take what it asks for. One that finds no
VC free is put aside with its output (`st.row_aside`) until a packet gives one back.
"""

from __future__ import annotations

from models.bits import index, lowest
from models.compiled import compiled, compiled_apart
from models.request_word import request_out, request_port, request_switch, request_vc, request_word
from models.route_word import route_out, route_vcs
from models.state import SwitchState
from models.vc_set import insert, numbered, port_of_number, vc_of_number


@compiled
def head_request(st: SwitchState, s: int, i: int, v: int) -> int:
    """Return what the head at the front of input VC (i, v) asks for by its route."""
    word = int(st.vc[s, i, v].route)
    return request_word(s, i, v, route_out(word), route_vcs(word))


@compiled
def heads_slot(st: SwitchState, cycle: int) -> int:
    """Return which list of the wheel is of a cycle."""
    return index(cycle & (len(st.row_heads_end) - 1))


@compiled
def head_asks(st: SwitchState, request: int, cycle: int) -> None:
    """Have the head of a request ask for VCs in `cycle`."""
    slot = heads_slot(st, cycle)
    n = index(st.row_heads_end[slot])
    st.row_heads[slot, n] = request
    st.row_heads_end[slot] = n + 1


@compiled
def head_put_aside(st: SwitchState, request: int) -> None:
    """Have the head of a request ask when a packet gives back a VC of its output."""
    aside = st.row_aside[request_switch(request)]
    insert(st, aside, request_out(request), request_port(request), request_vc(request))


@compiled
def heads_come_back(st: SwitchState, s: int, o: int, cycle: int) -> None:
    """Have the heads that were put aside ask for VCs of output `o` in `cycle`."""
    for k in range(st.k.vc_words):
        if st.row_aside[s, o, k]:
            _come_back(st, s, k, o, cycle)


@compiled_apart
def _come_back(st: SwitchState, s: int, k: int, o: int, cycle: int) -> None:
    rest = int(st.row_aside[s, o, k])
    st.row_aside[s, o, k] = 0
    while rest:
        n = numbered(k, lowest(rest))
        rest &= rest - 1
        head_asks(st, head_request(st, s, port_of_number(st, n), vc_of_number(st, n)), cycle)


@compiled_apart
def forget_heads(st: SwitchState, s: int) -> None:
    """Take the heads of a switch out of the wheel, and from where they are put aside: it is reset."""
    st.row_aside[s, :] = 0
    for slot in range(len(st.row_heads_end)):
        kept = 0
        for n in range(st.row_heads_end[slot]):
            request = st.row_heads[slot, n]
            st.row_heads[slot, kept] = request
            kept += int(request_switch(request) != s)
        st.row_heads_end[slot] = kept
