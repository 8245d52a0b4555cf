"""VC stage of all switches that are matched in rows (docs/microarchitecture.md, section 13).

What `models.vc_stage` does of one switch after the other: there a visit goes through the heads of a switch, here one
goes through all heads that ask in this cycle. Those who ask for VCs of the same output are a chain, and few chains are
longer than one.
"""

from __future__ import annotations

from models.bits import index
from models.compiled import compiled, compiled_apart
from models.output_unit import output_own
from models.prefetch import prefetch
from models.row_heads import (
    ALL_VCS,
    head_asks,
    head_of,
    head_out,
    head_port,
    head_put_aside,
    head_switch,
    head_vc,
    head_vcs,
    heads_slot,
    without_switch,
)
from models.row_sets import row_claims
from models.state import SwitchState
from models.vc_stage import offer_vcs, vc_turn, vc_turn_taken

AHEAD = 8  # heads
PLACE_BITS = 24
NO_PLACE = (1 << PLACE_BITS) - 1  # of a list


@compiled
def _ahead(st: SwitchState, head: int) -> None:
    """Fetch what is asked of a head's output, and what changes if it gets a VC."""
    s = head_switch(head)
    prefetch(st.vc, (s, head_port(head), head_vc(head)))
    prefetch(st.output, (s, 0))
    prefetch(st.row_asked, (s, 0))


@compiled
def row_vcs_choose(st: SwitchState, cycle: int) -> int:
    """Find, from the registers, which heads ask for what in `cycle`; return how many do, for `row_vcs_claim`."""
    slot = heads_slot(st, cycle)
    asking = 0
    count = index(st.row_heads_end[slot])
    for n in range(count):
        _ahead(st, int(st.row_heads[slot, index(min(n + AHEAD, count - 1))]))
        head = int(st.row_heads[slot, index(n)])
        s, o = head_switch(head), head_out(head)
        free = head & (int(st.output[s, o].free) | ~ALL_VCS)
        if head_vcs(free) == 0:
            head_put_aside(st, head)
            continue
        if st.k.vc_input_first:
            free = free & ~ALL_VCS | 1 << vc_turn(st, s, head_port(head), head_vc(head), o, head_vcs(free))
        before = int(st.row_asked[s, o])
        st.row_asking[index(asking)] = free
        st.row_chain[index(asking)] = before & NO_PLACE if before >> PLACE_BITS == cycle else NO_PLACE
        st.row_asked[s, o] = cycle << PLACE_BITS | asking
        asking += 1
    st.row_heads_end[slot] = 0
    return asking


@compiled
def row_vcs_claim(st: SwitchState, asking: int, cycle: int) -> None:
    """Give the first `asking` heads of `st.row_asking` their VCs; those who get none ask again in the next cycle."""
    for k in range(asking):
        head = int(st.row_asking[k])
        s, o = head_switch(head), head_out(head)
        # What is last in its chain says so there: others are done with it.
        if int(st.row_asked[s, o]) & NO_PLACE == k:
            if st.row_chain[k] == NO_PLACE:
                _claim(st, s, head_port(head), head_vc(head), o, head_vcs(head))
            else:
                _claim_chain(st, s, o, k, cycle)


@compiled
def _claim(st: SwitchState, s: int, i: int, v: int, o: int, vcs: int) -> None:
    """Give the head of input VC (i, v) the VC of its turn among some (mask) behind output `o`."""
    w = vc_turn(st, s, i, v, o, vcs)
    vc_turn_taken(st, s, i, v, o, w)
    vc = st.vc[s, i, v]
    vc.active = 1
    vc.claimed = 1
    vc.out_vc = w
    output_own(st, s, o, w, 1, 0)
    row_claims(st, s, o, w, i, v)


@compiled_apart
def _claim_chain(st: SwitchState, s: int, o: int, last: int, cycle: int) -> None:
    """Let the VCs behind output `o` choose among the heads of a chain that ends at place `last`."""
    asking = 0
    k = last
    while k != NO_PLACE:
        # In the order of their numbers, as VCs look for them.
        head = without_switch(int(st.row_asking[k]))
        n = asking
        while n > 0 and st.asking[n - 1] > head:
            st.asking[n] = st.asking[n - 1]
            n -= 1
        st.asking[n] = head
        asking += 1
        k = int(st.row_chain[k])
    for n in range(offer_vcs(st, s, asking, 1 << o)):
        head = int(st.asking[n])
        _claim(st, s, head_port(head), head_vc(head), o, head_vcs(head))
    k = last
    while k != NO_PLACE:
        head = int(st.row_asking[k])
        i, v = head_port(head), head_vc(head)
        if not st.vc[s, i, v].active:
            head_asks(st, head_of(s, i, v, int(st.vc[s, i, v].route)), cycle + 1)
        k = int(st.row_chain[k])
