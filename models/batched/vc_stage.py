"""VC stage of all batched switches: VC allocation in one loop over their heads (microarchitecture.md, section 13).

`models.allocate.vc_stage` loops over the heads of one switch; here one loop covers all heads, of all switches, that
request a VC in this cycle. Requests for VCs of the same output are linked in a chain; few chains are longer than one.
"""

from __future__ import annotations

import numpy as np

from models.allocate.vc_stage import grant_vc, offer_vcs, vc_by_priority
from models.batched.head_delay import block_on_output, head_asks, head_request, heads_slot, most_heads
from models.batched.vc_sets import batch_on_vc_allocated, lane_value
from models.jit.bits import assume_u32
from models.jit.compiled import compiled, compiled_noinline
from models.jit.prefetch import prefetch
from models.state.declare import NOTHING, PORT, Registers, apart, placed
from models.state.placement import Area
from models.state.registers import SwitchState
from models.state.request_word import request_of, with_vcs, within_switch

AHEAD = 8  # heads to prefetch ahead
PLACE_BITS = 24
NO_PLACE = (1 << PLACE_BITS) - 1


class BatchedVcStageRegisters(Registers):
    """Scratch: requests of a cycle, linked in chains."""

    batch_asking: np.ndarray = apart(np.int64, NOTHING, lambda n: (most_heads(n),))  # those for VCs that are free
    # index of the request before for the same output
    batch_chain: np.ndarray = apart(np.int64, NOTHING, lambda n: (most_heads(n),))
    # cycle << 24 | index of the last request for an output
    batch_asked: np.ndarray = placed(Area.REQUESTS, np.int64, PORT, built=lambda n: n.batched, fill=-1)


@compiled
def _ahead(st: SwitchState, request: int) -> None:
    """Prefetch the chain of the output of `request`, and the registers that change if its head gets a VC."""
    s, i, v, o, _ = request_of(request)
    prefetch(st.batch_asked, (s, o))
    prefetch(st.vc_after, (s, i, v))


@compiled
def batch_vcs_choose(st: SwitchState, cycle: int) -> int:
    """Collect the requests of heads in `cycle` from the registers; return their number, for `batch_vcs_claim`."""
    slot = heads_slot(st, cycle)
    asking = 0
    count = assume_u32(st.batch_heads_end[slot])
    for n in range(count):
        _ahead(st, int(st.batch_heads[slot, assume_u32(min(n + AHEAD, count - 1))]))
        request = int(st.batch_heads[slot, assume_u32(n)])
        s, i, v, o, vcs = request_of(request)
        vcs &= lane_value(st, s, st.k.free + o)
        if vcs == 0:
            block_on_output(st, request)
            continue
        if st.k.vc_input_first:
            vcs = 1 << vc_by_priority(st, s, i, v, o, vcs)
        before = int(st.batch_asked[s, o])
        st.batch_asking[assume_u32(asking)] = with_vcs(request, vcs)
        st.batch_chain[assume_u32(asking)] = before & NO_PLACE if before >> PLACE_BITS == cycle else NO_PLACE
        st.batch_asked[s, o] = cycle << PLACE_BITS | asking
        asking += 1
    st.batch_heads_end[slot] = 0
    return asking


@compiled
def batch_vcs_claim(st: SwitchState, asking: int, cycle: int) -> None:
    """Allocate VCs to the first `asking` heads of `st.batch_asking`; losers request again in the next cycle."""
    for k in range(asking):
        request = int(st.batch_asking[k])
        s, _, _, o, _ = request_of(request)
        # A chain is allocated when its last request is reached, which `batch_asked` names.
        if int(st.batch_asked[s, o]) & NO_PLACE == k:
            if st.batch_chain[k] == NO_PLACE:
                _claim(st, s, request)
            else:
                _claim_chain(st, s, k, cycle)


@compiled
def _claim(st: SwitchState, s: int, request: int) -> None:
    """Allocate a VC to the head of `request`."""
    asked = request_of(request)
    batch_on_vc_allocated(st, s, asked.out, grant_vc(st, s, request), asked.port, asked.vc)


@compiled_noinline
def _claim_chain(st: SwitchState, s: int, last: int, cycle: int) -> None:
    """Make the VCs of an output choose among the heads of the chain that ends at index `last`."""
    asking = 0
    k = last
    while k != NO_PLACE:
        # Sorted by input VC, the order in which an arbiter searches.
        request = within_switch(int(st.batch_asking[k]))
        n = asking
        while n > 0 and st.asking[n - 1] > request:
            st.asking[n] = st.asking[n - 1]
            n -= 1
        st.asking[n] = request
        asking += 1
        k = int(st.batch_chain[k])
    offer_vcs(st, s, asking, 1 << request_of(int(st.asking[0])).out)
    for n in range(asking):
        request = int(st.asking[n])
        _, i, v, _, offered = request_of(request)
        if offered:
            _claim(st, s, request)
        else:
            head_asks(st, head_request(st, s, i, v), cycle + 1)
