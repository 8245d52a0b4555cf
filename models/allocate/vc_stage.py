"""VC stage: VC allocation as a stage of its own, before switch allocation (docs/microarchitecture.md, section 13).

Separable, each in turn: output first, every output VC offers itself to one of the heads that ask for it, and every head
takes one of its offers; input first, every head chooses one VC to ask for, of which each takes one of its heads.
"""

from __future__ import annotations

from models.allocate.speculation import speculate
from models.batched.vc_sets import batch_on_vc_allocated
from models.buffer.vc_buffer import whole
from models.heads import on_vc_allocated
from models.jit.bits import assume_u32, count_trailing_zeros, first_from, mask_from_bit
from models.jit.compiled import compiled, compiled_noinline
from models.state.owners import owner_is
from models.state.registers import SwitchState
from models.state.request_word import request_out, request_port, request_vc, request_vcs, request_word, with_vcs
from models.state.route_word import route_out, route_vcs, route_waits
from models.state.vc_set import numbered, port_of_number, vc_of_number
from models.transfer.output_unit import askable, output_own, sleeps_or_full


@compiled
def vcs_asked(st: SwitchState, s: int, i: int, v: int) -> int:
    """Return the VCs (mask) behind its output that a head asks for: that of input VC (i, v), whose delay is over."""
    vc = st.vc[s, i, v]
    word = int(vc.route)
    if st.k.lookahead and route_waits(word):
        return 0
    if st.k.static and vc.blocked and not whole(st, s, i, v):
        return 0
    out = route_out(word)
    if sleeps_or_full(st, s, out):
        return 0
    return askable(st, s, out) & route_vcs(word)


@compiled
def vc_by_priority(st: SwitchState, s: int, i: int, v: int, o: int, vcs: int) -> int:
    """Return which of VCs (mask) behind output `o` is a head's turn: the next after that taken last, or the first."""
    after = assume_u32(st.vc_after[s, i, v])
    return first_from(vcs, after & 255 & mask_from_bit(int(after >> 8 == o)))


@compiled
def _turned(st: SwitchState, s: int, i: int, v: int, o: int) -> int:
    """Return the VCs (mask) behind output `o` whose search for a head begins at or before input VC (i, v)."""
    n = i * st.k.vcs + v
    turned = 0
    for w in range(st.k.vcs):
        turned |= int(st.vc_by_priority[s, o, w] <= n) << w
    return turned


@compiled
def offers_by_priority(st: SwitchState, s: int, word: int, offered: int) -> int:
    """Return which of the VCs that the head of a request asks for offer themselves to it, in the first round.

    They are those whose turn it is, or one before it, that are not `offered` (mask) to others.
    """
    turned = _turned(st, s, request_port(word), request_vc(word), request_out(word))
    return request_vcs(word) & turned & ~offered


@compiled
def offers_of_all(word: int, offers: int, offered: int) -> int:
    """Return which do in both rounds, of which `offers` in the first; in the second those not `offered` by then."""
    return offers | request_vcs(word) & ~offered


@compiled_noinline
def offer_vcs(st: SwitchState, s: int, asking: int, contested: int) -> int:
    """Let the VCs of `contested` outputs (mask) choose, of the first `asking` of `st.asking`; return how many get any.

    Those are left in `st.asking`, with what they are offered. They are there by number: a VC is offered to the first
    at or after its turn, in a second round to the first of all.
    """
    rest = contested
    while rest:
        st.vcs_offered[count_trailing_zeros(rest)] = 0
        rest &= rest - 1
    for k in range(asking):
        word = st.asking[k]
        o = request_out(word)
        if contested >> o & 1:
            offers = offers_by_priority(st, s, word, int(st.vcs_offered[o]))
            st.vc_offers[k] = offers
            st.vcs_offered[o] |= offers
    count = 0
    for k in range(asking):
        word = st.asking[k]
        o = request_out(word)
        offers = request_vcs(word)
        if contested >> o & 1:
            offers = offers_of_all(word, int(st.vc_offers[k]), int(st.vcs_offered[o]))
            st.vcs_offered[o] |= offers
        st.asking[count] = with_vcs(word, offers)
        count += int(offers != 0)
    return count


@compiled
def vc_stage_choose(st: SwitchState, s: int) -> None:
    """Choose, from the registers, which heads get a VC in this cycle; `vc_stage_claim` gives it at the end."""
    sw = st.switch[s]
    outputs = 0
    contested = 0
    asking = 0
    for k in range(st.k.vc_words):
        rest = int(st.heads[s, k])
        if st.k.speculates:
            st.speculating[0, k] = 0
        if st.k.head_delay:
            rest &= ~int(st.delayed[s, k])
        while rest:
            n = numbered(k, count_trailing_zeros(rest))
            rest &= rest - 1
            i, v = port_of_number(st, n), vc_of_number(st, n)
            asked = vcs_asked(st, s, i, v)
            if asked:
                o = route_out(int(st.vc[s, i, v].route))
                if st.k.speculates:
                    speculate(st, s, i, v, o, asked)
                if st.k.vc_input_first:
                    asked = 1 << vc_by_priority(st, s, i, v, o, asked)
                contested |= outputs & 1 << o
                outputs |= 1 << o
                st.asking[assume_u32(asking)] = request_word(0, i, v, o, asked)
                asking += 1
    sw.asked = outputs
    sw.claims = offer_vcs(st, s, asking, contested) if contested else asking


@compiled
def vc_stage_claim(st: SwitchState, s: int) -> None:
    """Give the heads that were chosen their VC, at the end of the cycle."""
    for k in range(st.switch[s].claims):
        claim_vc(st, s, int(st.asking[k]))


@compiled
def claim_vc(st: SwitchState, s: int, word: int) -> None:
    """Give the head of a request in a switch the VC whose turn it is among those that it asks for."""
    i, v, o = request_port(word), request_vc(word), request_out(word)
    w = vc_by_priority(st, s, i, v, o, request_vcs(word))
    st.vc_after[s, i, v] = o << 8 | w + 1
    st.vc_by_priority[s, o, w] = i * st.k.vcs + v + 1
    if st.k.batched:
        batch_on_vc_allocated(st, s, o, w, i, v)
        return
    output_own(st, s, o, w, 1, 0)
    vc = st.vc[s, i, v]
    vc.active = 1
    vc.claimed = 1
    vc.out_vc = w
    if st.k.static:
        vc.blocked = 0
    on_vc_allocated(st, s, i, v)
    owner_is(st, s, o, i, v, 1)
