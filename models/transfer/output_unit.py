"""Output unit of one port: credits and owners of its VCs (Dally and Towles, chapter 16; microarchitecture.md, 8)."""

from __future__ import annotations

import numpy as np

from models.jit.bits import assume_u32
from models.jit.compiled import compiled, compiled_noinline
from models.jit.sets import Set, with_member
from models.state.declare import PORT, Field, Registers, Sizes, fields, placed
from models.state.placement import Area
from models.state.registers import DETERMINISTIC, SwitchState
from models.state.vc_set import any_within


def vcs_at_reset(n: Sizes) -> int:
    """Return, as a mask, the VCs behind an output that are free and have all credits after reset: every VC."""
    return (1 << n.vcs) - 1


def credits_at_reset(n: Sizes) -> int:
    """Return the credits of a VC behind an output after reset, in flits: the depth of its buffer."""
    return n.depth


class OutputUnitRegisters(Registers):
    """Credits and owners of the VCs behind each output."""

    credits: np.ndarray = placed(Area.OUTPUTS, np.int16, PORT, lambda n: (n.vcs,), fill=credits_at_reset)  # not batched
    in_output = fields(
        Field("free", np.int32, fill=vcs_at_reset),  # VCs no packet owns
        # summary: VCs with a credit or, with queues, with room in them; not batched
        Field("credited", np.int32, fill=vcs_at_reset),
        # summary: VCs with the credits that a head needs; not kept where one is enough
        Field("roomy", np.int32, fill=vcs_at_reset),
    )


@compiled
def head_need(st: SwitchState, w: int) -> int:
    """Return the credits that output VC `w` must have before a head may claim it.

    Without adaptive routing every VC is below `escape_vcs`, a constant of specialised code, and so tested first.
    """
    return st.k.choice_need if st.k.adaptive != DETERMINISTIC and w >= st.k.escape_vcs else st.k.credit_need


@compiled
def one_is_enough(st: SwitchState) -> bool:
    """Return whether one credit is enough for a head, on every VC."""
    return st.k.credit_need == 1 and (st.k.adaptive == DETERMINISTIC or st.k.choice_need == 1)


@compiled
def open_vcs(credited: Set, free: Set, head: Set) -> Set:
    """Return the VCs behind an output on which a flit may leave: those with a credit.

    If it is a head (a mask: all ones), only those that no packet owns; `credited` are those with the credits it needs.
    """
    return credited & (free | ~head)


@compiled
def free_vcs(free: Set, claimed: Set, ended: Set) -> Set:
    """Return the VCs behind an output that no packet owns, after heads `claimed` some and tails `ended` packets."""
    return free & ~claimed | ended


@compiled
def vcs_after_spend(vcs: int, w: int, credits: int, need: int) -> int:
    """Return the VCs with at least `need` credits, after a credit was spent with which VC `w` has `credits` left."""
    return vcs & ~(int(credits < need) << w)


@compiled
def vcs_after_credit(vcs: int, w: int, credits: int, need: int) -> int:
    """Return the VCs with at least `need` credits, after a credit came with which VC `w` has `credits`."""
    return vcs | int(credits >= need) << w


@compiled
def claimable(st: SwitchState, s: int, o: int) -> int:
    """Return the mask of VCs of output `o` that no packet owns and that have the credits that a head needs."""
    output = st.output[s, o]
    enough = int(output.credited) if one_is_enough(st) else int(output.roomy)
    if st.k.output_queues:
        enough &= int(output.credited)
    return int(open_vcs(enough, int(output.free), -1))


@compiled
def askable(st: SwitchState, s: int, o: int) -> int:
    """Return the mask of VCs of output `o` that a head may request in the VC stage."""
    return int(st.output[s, o].free) if st.k.claims_full else claimable(st, s, o)


@compiled
def available_outputs(st: SwitchState, s: int) -> int:
    """Return the mask of outputs that can be requested: their links are active, their buffers not full."""
    outputs = -1
    if st.k.lpi:
        outputs = int(st.switch[s].awake)
    if st.k.output_fifo:
        outputs &= ~int(st.switch[s].full)
    return outputs


@compiled
def owned_without_credit(st: SwitchState, s: int, o: int) -> int:
    """Return the mask of VCs of output `o` that a packet owns and that have no credit."""
    output = st.output[s, o]
    return ~(int(output.free) | int(output.credited)) & ((1 << st.k.vcs) - 1)


@compiled
def output_spend(st: SwitchState, s: int, o: int, w: int) -> None:
    """Spend a credit of VC `w` of output `o` for a flit that is sent."""
    credits = assume_u32(st.credits[s, o, w]) - 1
    st.credits[s, o, w] = credits
    output = st.output[s, o]
    if st.k.output_queues:
        output.roomy &= ~(int(credits < head_need(st, w) and head_need(st, w) > 1) << w)
        st.output_queue[s, o].linked &= ~(int(credits == 0) << w)
        return
    if not one_is_enough(st):
        output.roomy = vcs_after_spend(int(output.roomy), w, credits, head_need(st, w))
    output.credited = vcs_after_spend(int(output.credited), w, credits, 1)


@compiled
def output_room(st: SwitchState, s: int, o: int, w: int, room: int, empty: int) -> None:
    """Record whether the queue of VC `w` of output `o` has room for a flit (1), and whether it is empty (1)."""
    output = st.output[s, o]
    need = head_need(st, w)
    enough = int(need == 1) | empty & int(st.credits[s, o, w] >= need)
    output.credited = with_member(int(output.credited), w, room)
    output.roomy = with_member(int(output.roomy), w, enough)


@compiled
def output_credit(st: SwitchState, s: int, o: int, w: int) -> bool:
    """Accept a credit visible in this cycle, after its allocation; return whether a flit may move because of it.

    It may if the VC had too few credits before; with adaptive selection by credits, every credit may change a choice.
    """
    credits = assume_u32(st.credits[s, o, w]) + 1
    st.credits[s, o, w] = credits
    if st.k.output_queues:
        return _credit_behind_queue(st, s, o, w, credits)
    output = st.output[s, o]
    output.credited = vcs_after_credit(int(output.credited), w, credits, 1)
    matters = st.k.by_credits or credits == 1
    if not one_is_enough(st):
        output.roomy = vcs_after_credit(int(output.roomy), w, credits, head_need(st, w))
        matters |= credits == head_need(st, w)
    return matters & any_within(st, st.filled, s)


@compiled_noinline
def _credit_behind_queue(st: SwitchState, s: int, o: int, w: int, credits: int) -> bool:
    """Accept the credit after which VC `w` of output `o` has `credits`; return whether a flit may move because of it.

    One that waits for it in the queue may; an allocation depends on it only by the credits that heads need or count.
    """
    queue = st.output_queue[s, o]
    queue.linked |= 1 << w
    if int(queue.waiting) >> w & 1:
        return True
    st.output[s, o].roomy |= int(credits >= head_need(st, w)) << w
    return (st.k.by_credits or (credits == head_need(st, w) and credits > 1)) and any_within(st, st.filled, s)


@compiled
def output_own(st: SwitchState, s: int, o: int, w: int, owned: int) -> None:
    """Make a packet the owner of VC `w` of output `o` (1), or free the VC (0)."""
    output = st.output[s, o]
    output.free = free_vcs(int(output.free), 1 << w, 1 - owned << w)
