"""VC allocation as a pipeline stage of its own, before switch allocation (iSLIP; microarchitecture.md, section 13).

Separable. Output first: each output VC is offered to one of the heads that request it; each head takes one of its
offers. Input first: each head requests only one VC, which is then granted to one of the heads that request it.
"""

from __future__ import annotations

import numpy as np

from models.allocate.arbiter import order_from, round_robin, won_first, won_last
from models.allocate.speculation import speculate
from models.buffer.head_delay import on_vc_allocated
from models.buffer.vc_buffer import waits_for_rest
from models.jit.bits import assume_u32, each_member
from models.jit.compiled import compiled, compiled_noinline
from models.jit.simd import nonzero_mask
from models.state.declare import NOTHING, PORT, Field, Registers, Sizes, apart, fields, placed
from models.state.owners import owner_is
from models.state.placement import Area
from models.state.registers import SwitchState
from models.state.request_word import request_of, request_word, with_vcs
from models.state.route_word import route_out, route_vcs, route_waits
from models.state.vc_set import numbered, port_of_number, vc_of_number
from models.transfer.output_unit import askable, available_outputs, output_own


def _vcs(n: Sizes) -> tuple[int, ...]:
    return (n.vcs,)


def _vc_stage(n: Sizes) -> bool:
    return n.params.vc_stage


def _input_vcs(n: Sizes) -> tuple[int, ...]:
    return (n.ports * n.vcs,)


class VcStageRegisters(Registers):
    """Arbiters, and scratch: requests and offers of a cycle."""

    # input VC at which the arbiter of an output VC begins
    vc_by_priority: np.ndarray = placed(Area.VC_STAGE, np.int16, PORT, _vcs, built=_vc_stage)
    # output << 8 | VC after that an input VC took last
    vc_after: np.ndarray = placed(Area.VC_STAGE, np.int16, PORT, _vcs, built=_vc_stage)
    asking: np.ndarray = apart(np.int64, NOTHING, _input_vcs)  # scratch: requests (`models.state.request_word`)
    # scratch: VCs offered to one of `asking` in the first pass
    vc_offers: np.ndarray = apart(np.int64, NOTHING, _input_vcs)
    # scratch: VCs of an output that are offered to anyone
    vcs_offered: np.ndarray = apart(np.int64, NOTHING, lambda n: (n.ports,))
    in_switch = fields(
        Field("asked", np.int64, often=True),  # outputs of which a head asks for a VC in the cycle allocated
        Field("claims", np.int16),  # how many of `asking` get a VC in it
    )
    in_vc = fields(Field("claimed", np.int8))  # 1: active, and its head has not left


@compiled
def vcs_asked(st: SwitchState, s: int, i: int, v: int) -> int:
    """Return the mask of output VCs that the head of input VC (i, v), whose delay is over, requests."""
    vc = st.vc[s, i, v]
    word = int(vc.route)
    if st.k.lookahead and route_waits(word):
        return 0
    if waits_for_rest(st, s, i, v):
        return 0
    out = route_out(word)
    if not available_outputs(st, s) >> out & 1:
        return 0
    return askable(st, s, out) & route_vcs(word)


@compiled
def vc_by_priority(st: SwitchState, s: int, i: int, v: int, o: int, vcs: int) -> int:
    """Return the VC of mask `vcs` with highest priority for the head: next after the one it took last at output `o`."""
    after = assume_u32(st.vc_after[s, i, v])
    return round_robin(vcs, order_from(after & 255) & ~nonzero_mask(after, (after >> 8) ^ o))


@compiled
def _vc_orders(st: SwitchState, s: int, i: int, v: int, o: int) -> int:
    """Return the mask of VCs of output `o` whose arbiter starts its search at or before input VC (i, v)."""
    n = i * st.k.vcs + v
    order = 0
    for w in range(st.k.vcs):
        order |= int(st.vc_by_priority[s, o, w] <= n) << w
    return order


@compiled_noinline
def offer_vcs(st: SwitchState, s: int, asking: int, contested: int) -> None:
    """Offer the VCs of outputs in mask `contested` to the first `asking` requests of `st.asking`, by round robin.

    The VCs that are offered replace those requested. Requests are sorted by input VC: in a first pass a VC is offered
    to the first one at or after its pointer, in a second pass to the first of all.
    """
    for o in each_member(contested):
        st.vcs_offered[o] = 0
    for k in range(asking):
        _, i, v, o, vcs = request_of(int(st.asking[k]))
        if contested >> o & 1:
            st.vc_offers[k] = won_first(vcs, _vc_orders(st, s, i, v, o), int(st.vcs_offered[o]))
            st.vcs_offered[o] |= st.vc_offers[k]
    for k in range(asking):
        word = int(st.asking[k])
        _, _, _, o, vcs = request_of(word)
        if contested >> o & 1:
            offers = won_last(vcs, int(st.vcs_offered[o]))
            st.vcs_offered[o] |= offers
            st.asking[k] = with_vcs(word, offers | int(st.vc_offers[k]))


@compiled
def _keep_offered(st: SwitchState, asking: int) -> int:
    """Keep those of the first `asking` requests of `st.asking` to which a VC is offered; return how many there are."""
    count = 0
    for k in range(asking):
        st.asking[count] = st.asking[k]
        count += int(request_of(int(st.asking[count])).vcs != 0)
    return count


@compiled
def vc_stage_choose(st: SwitchState, s: int) -> None:
    """Choose, from the registers, the heads that get a VC in this cycle; `vc_stage_claim` allocates at its end."""
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
        for bit in each_member(rest):
            n = numbered(k, bit)
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
    sw.claims = asking
    if contested:
        offer_vcs(st, s, asking, contested)
        sw.claims = _keep_offered(st, asking)


@compiled
def vc_stage_claim(st: SwitchState, s: int) -> None:
    """Allocate the VCs to the chosen heads, at the end of the cycle."""
    for k in range(st.switch[s].claims):
        claim_vc(st, s, int(st.asking[k]))


@compiled
def grant_vc(st: SwitchState, s: int, word: int) -> int:
    """Return, of the VCs offered to the head of request `word`, the one of highest priority; both arbiters advance."""
    _, i, v, o, vcs = request_of(word)
    w = vc_by_priority(st, s, i, v, o, vcs)
    st.vc_after[s, i, v] = o << 8 | w + 1
    st.vc_by_priority[s, o, w] = i * st.k.vcs + v + 1
    return w


@compiled
def claim_vc(st: SwitchState, s: int, word: int) -> None:
    """Allocate a VC to the head of request `word`."""
    _, i, v, o, _ = request_of(word)
    w = grant_vc(st, s, word)
    output_own(st, s, o, w, 1)
    vc = st.vc[s, i, v]
    vc.active = 1
    vc.claimed = 1
    vc.out_vc = w
    if st.k.static:
        vc.blocked = 0
    on_vc_allocated(st, s, i, v)
    owner_is(st, s, o, i, v, 1)
