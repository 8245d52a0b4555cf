"""VC stage: VC allocation as a stage of its own, before switch allocation (docs/microarchitecture.md, section 13).

Separable: every output VC offers itself to one of the heads that ask for it, every head takes one of its offers, each
in turn.
"""

from __future__ import annotations

from models.bits import all_if, first_from, index, lowest
from models.compiled import compiled, compiled_apart
from models.head_delay import head_waits
from models.heads import head_owns
from models.output_unit import askable, output_own, sleeps_or_full
from models.route_word import route_out, route_vcs, route_waits
from models.state import NEVER, SwitchState
from models.vc_buffer import whole


@compiled
def vcs_asked(st: SwitchState, s: int, i: int, v: int, cycle: int) -> int:
    """Return the VCs (mask) behind its output that the head at the front of input VC (i, v) asks for in `cycle`."""
    vc = st.vc[s, i, v]
    word = int(vc.route)
    if head_waits(st, s, i, v, cycle) or (st.k.lookahead and route_waits(word)):
        return 0
    if st.k.static and vc.blocked and not whole(st, s, i, v):
        return 0
    out = route_out(word)
    if sleeps_or_full(st, s, out):
        return 0
    return askable(st, s, out) & route_vcs(word)


@compiled
def _accept(st: SwitchState, s: int, i: int, v: int, o: int, offers: int) -> int:
    """Return which of the VCs (mask) behind output `o` a head takes: the next after that taken last, or the first."""
    after = index(st.vc_after[s, i, v])
    return first_from(offers, after & 255 & all_if(int(after >> 8 == o)))


@compiled_apart
def _offer(st: SwitchState, s: int, asking: int) -> int:
    """Let output VCs choose among several heads, of the first `asking` of `st.asking`; return how many get any.

    Those are left in `st.asking`, with what they are offered.
    """
    vcs, numbers = st.k.vcs, st.k.ports * st.k.vcs
    for k in range(asking):
        o = index(st.asking[k] >> 16 & 255)
        for w in range(vcs):
            st.vc_offers[o * vcs + w] = NEVER
    for k in range(asking):
        word = st.asking[k]
        o = index(word >> 16 & 255)
        number = index(word >> 32) * vcs + index(word >> 24 & 255)
        rest = word & 0xFFFF
        while rest:
            w = lowest(rest)
            rest &= rest - 1
            turn = number - st.vc_turn[s, o, w]
            turn = turn if turn >= 0 else turn + numbers
            st.vc_offers[o * vcs + w] = min(st.vc_offers[o * vcs + w], turn << 16 | k)
    count = 0
    for k in range(asking):
        word = st.asking[k]
        o = index(word >> 16 & 255)
        offers = 0
        rest = word & 0xFFFF
        while rest:
            w = lowest(rest)
            rest &= rest - 1
            offers |= int(st.vc_offers[o * vcs + w] & 0xFFFF == k) << w
        if offers:
            st.asking[count] = word >> 16 << 16 | offers
            count += 1
    return count


@compiled
def vc_stage_choose(st: SwitchState, s: int, cycle: int) -> None:
    """Choose, from the registers, which heads get a VC in `cycle`; `vc_stage_claim` gives it at the end."""
    sw = st.switch[s]
    outputs = 0
    contested = 0
    asking = 0
    ports = int(sw.heads)
    while ports:
        i = lowest(ports)
        ports &= ports - 1
        vcs = int(st.heads[s, i])
        while vcs:
            v = lowest(vcs)
            vcs &= vcs - 1
            asked = vcs_asked(st, s, i, v, cycle)
            if asked:
                o = route_out(int(st.vc[s, i, v].route))
                contested |= outputs >> o & 1
                outputs |= 1 << o
                st.asking[index(asking)] = i << 32 | v << 24 | o << 16 | asked
                asking += 1
    sw.asked = outputs
    sw.claims = _offer(st, s, asking) if contested else asking


@compiled
def vc_stage_claim(st: SwitchState, s: int) -> None:
    """Give the heads that were chosen their VC, at the end of the cycle."""
    for k in range(st.switch[s].claims):
        word = st.asking[k]
        i, v, o = index(word >> 32), index(word >> 24 & 255), index(word >> 16 & 255)
        w = _accept(st, s, i, v, o, word & 0xFFFF)
        st.vc_after[s, i, v] = o << 8 | w + 1
        st.vc_turn[s, o, w] = i * st.k.vcs + v + 1
        vc = st.vc[s, i, v]
        vc.active = 1
        vc.claimed = 1
        vc.out_vc = w
        if st.k.static:
            vc.blocked = 0
        output_own(st, s, o, w, 1, 0)
        head_owns(st, s, i, v)
