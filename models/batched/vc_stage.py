"""VC stage of all batched switches (docs/microarchitecture.md, section 13).

What `models.allocate.vc_stage` does of one switch after the other: there a visit goes through the heads of a switch,
here one goes through all heads that ask in this cycle. Those who ask for VCs of the same output are a chain, and few
chains are longer than one.
"""

from __future__ import annotations

from models.allocate.vc_stage import claim_vc, offers_by_priority, offers_of_all, vc_by_priority
from models.batched.head_delay import block_on_output, head_asks, head_request, heads_slot
from models.batched.vc_sets import free_at, lane_value
from models.jit.bits import assume_u32
from models.jit.compiled import compiled, compiled_noinline
from models.jit.prefetch import prefetch
from models.state.registers import SwitchState
from models.state.request_word import (
    request_out,
    request_port,
    request_switch,
    request_vc,
    request_vcs,
    with_vcs,
    within_switch,
)

AHEAD = 8  # heads
PLACE_BITS = 24
NO_PLACE = (1 << PLACE_BITS) - 1  # of a list


@compiled
def _ahead(st: SwitchState, request: int) -> None:
    """Fetch what is asked of a request's output, and what changes if its head gets a VC."""
    s = request_switch(request)
    prefetch(st.batch_asked, (s, request_out(request)))
    prefetch(st.vc_after, (s, request_port(request), request_vc(request)))


@compiled
def batch_vcs_choose(st: SwitchState, cycle: int) -> int:
    """Find, from the registers, which heads ask for what in `cycle`; return how many do, for `batch_vcs_claim`."""
    slot = heads_slot(st, cycle)
    asking = 0
    count = assume_u32(st.batch_heads_end[slot])
    for n in range(count):
        _ahead(st, int(st.batch_heads[slot, assume_u32(min(n + AHEAD, count - 1))]))
        request = int(st.batch_heads[slot, assume_u32(n)])
        s, o = request_switch(request), request_out(request)
        vcs = request_vcs(request) & lane_value(st, s, free_at(st, o))
        if vcs == 0:
            block_on_output(st, request)
            continue
        if st.k.vc_input_first:
            vcs = 1 << vc_by_priority(st, s, request_port(request), request_vc(request), o, vcs)
        before = int(st.batch_asked[s, o])
        st.batch_asking[assume_u32(asking)] = with_vcs(request, vcs)
        st.batch_chain[assume_u32(asking)] = before & NO_PLACE if before >> PLACE_BITS == cycle else NO_PLACE
        st.batch_asked[s, o] = cycle << PLACE_BITS | asking
        asking += 1
    st.batch_heads_end[slot] = 0
    return asking


@compiled
def batch_vcs_claim(st: SwitchState, asking: int, cycle: int) -> None:
    """Give the first `asking` heads of `st.batch_asking` their VCs; those who get none ask again in the next cycle."""
    for k in range(asking):
        request = int(st.batch_asking[k])
        s, o = request_switch(request), request_out(request)
        # What is last in its chain says so there: others are done with it.
        if int(st.batch_asked[s, o]) & NO_PLACE == k:
            if st.batch_chain[k] == NO_PLACE:
                claim_vc(st, s, request)
            else:
                _claim_chain(st, s, k, cycle)


@compiled_noinline
def _claim_chain(st: SwitchState, s: int, last: int, cycle: int) -> None:
    """Let the VCs behind an output choose among the heads of a chain that ends at place `last`."""
    asking = 0
    k = last
    while k != NO_PLACE:
        # In the order of their numbers, as VCs look for them.
        request = within_switch(int(st.batch_asking[k]))
        n = asking
        while n > 0 and st.asking[n - 1] > request:
            st.asking[n] = st.asking[n - 1]
            n -= 1
        st.asking[n] = request
        asking += 1
        k = int(st.batch_chain[k])
    offered = 0
    for n in range(asking):
        offers = offers_by_priority(st, s, int(st.asking[n]), offered)
        st.vc_offers[n] = offers
        offered |= offers
    for n in range(asking):
        request = int(st.asking[n])
        offers = offers_of_all(request, int(st.vc_offers[n]), offered)
        offered |= offers
        if offers:
            claim_vc(st, s, with_vcs(request, offers))
        else:
            head_asks(st, head_request(st, s, request_port(request), request_vc(request)), cycle + 1)
