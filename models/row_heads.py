"""Heads that wait for a VC, of all switches that are matched in rows: by the cycle in which they may ask.

A wheel of lists stands in place of the sets of each switch (`models.heads`, `models.head_delay`): a head is listed for
the cycle in which its delay is over, and again for the next as long as others take what it asks for. One that finds no
VC free is put aside (`st.heads`) until a packet gives one back.
"""

from __future__ import annotations

from models.bits import index, lowest
from models.compiled import compiled, compiled_apart
from models.part_params import MAX_VCS
from models.route_word import route_out, route_vcs
from models.state import SwitchState
from models.vc_set import insert, numbered, port_of_number, vc_of_number

ALL_VCS = (1 << MAX_VCS) - 1


@compiled
def head_of(s: int, i: int, v: int, word: int) -> int:
    """Return the head at the front of input VC (i, v) of a switch, and what it asks for by its route, in one number."""
    return s << 40 | i << 32 | v << 24 | route_out(word) << 16 | route_vcs(word)


@compiled
def head_switch(head: int) -> int:
    """Return its switch."""
    return index(head >> 40)


@compiled
def without_switch(head: int) -> int:
    """Return a head as `models.vc_stage` has it in `st.asking`."""
    return head & ((1 << 40) - 1)


@compiled
def head_port(head: int) -> int:
    """Return its input port."""
    return index(head >> 32 & 255)


@compiled
def head_vc(head: int) -> int:
    """Return its VC."""
    return index(head >> 24 & 255)


@compiled
def head_out(head: int) -> int:
    """Return the output that it asks for."""
    return index(head >> 16 & 255)


@compiled
def head_vcs(head: int) -> int:
    """Return the VCs (mask) behind that output that it asks for."""
    return head & ALL_VCS


@compiled
def heads_slot(st: SwitchState, cycle: int) -> int:
    """Return which list of the wheel is of a cycle."""
    return index(cycle & (len(st.row_heads_end) - 1))


@compiled
def head_asks(st: SwitchState, head: int, cycle: int) -> None:
    """Have a head ask for a VC in `cycle`."""
    slot = heads_slot(st, cycle)
    n = index(st.row_heads_end[slot])
    st.row_heads[slot, n] = head
    st.row_heads_end[slot] = n + 1


@compiled
def head_put_aside(st: SwitchState, head: int) -> None:
    """Have a head ask when a packet gives back a VC of its output."""
    insert(st, st.heads, head_switch(head), head_port(head), head_vc(head))


@compiled
def heads_come_back(st: SwitchState, s: int, o: int, cycle: int) -> None:
    """Have the heads that were put aside ask for VCs of output `o` in `cycle`."""
    for k in range(st.k.vc_words):
        if st.heads[s, k]:
            _come_back(st, s, k, o, cycle)


@compiled_apart
def _come_back(st: SwitchState, s: int, k: int, o: int, cycle: int) -> None:
    rest = int(st.heads[s, k])
    while rest:
        n = numbered(k, lowest(rest))
        i, v = port_of_number(st, n), vc_of_number(st, n)
        if route_out(int(st.vc[s, i, v].route)) == o:
            st.heads[s, k] ^= rest & -rest
            head_asks(st, head_of(s, i, v, int(st.vc[s, i, v].route)), cycle)
        rest &= rest - 1


@compiled_apart
def forget_heads(st: SwitchState, s: int) -> None:
    """Take the heads of a switch out of the wheel: it is reset."""
    for slot in range(len(st.row_heads_end)):
        kept = 0
        for n in range(st.row_heads_end[slot]):
            head = st.row_heads[slot, n]
            st.row_heads[slot, kept] = head
            kept += int(head_switch(head) != s)
        st.row_heads_end[slot] = kept
