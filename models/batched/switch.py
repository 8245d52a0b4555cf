"""One cycle of all batched switches, the counterpart of `models.switch` (microarchitecture.md, section 1).

A batch is visited if anything is visible at its pins or may move; the work does not depend on how many of its 64
switches are busy. Flits that leave are handed over batch by batch, and packets that end are released together
(`models.batched.release`). Only heads are handled one by one: on arrival, and when they claim a VC.
`models.batched.limits.can_batch` tells which switches can be batched.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from models.batched.adaptive import batch_choose, batch_install
from models.batched.counters import batch_count_in, batch_count_out, batch_visited
from models.batched.crossbar import grants, leaving_of, scratch
from models.batched.flit import TAIL
from models.batched.head_delay import end_head_delays, heads_slot
from models.batched.link import DUE_WORD, any_pins, pins_at, pins_slot, pins_words
from models.batched.lpi import batch_lpi_begin, batches_waking, next_active
from models.batched.matching import DRAINS, NOTHING, match_batch
from models.batched.output_buffer import batch_depart, batch_full_outputs
from models.batched.output_sets import spread_outputs
from models.batched.output_unit import batch_spend_and_credit
from models.batched.release import batch_advance_packets, batch_end_packets
from models.batched.route_queue import batch_claim_slot, batch_front
from models.batched.switch_allocator import allocate_batch, any_output_held
from models.batched.vc_buffer import batch_take_and_put
from models.batched.vc_sets import spread
from models.batched.vc_stage import batch_vcs_choose, batch_vcs_claim
from models.counters import FLITS_DROPPED, PACKETS_DROPPED, count
from models.jit.bits import assume_u32, count_trailing_zeros, each_member
from models.jit.compiled import compiled, compiled_noinline
from models.jit.lanes import switch_in
from models.jit.simd import movemask, simd_load, simd_store
from models.route.header import COMPLETE
from models.route.route_unit import route_header
from models.state.registers import DETERMINISTIC, NEVER, SwitchState

Leave = Callable[[Any, int, int], None]


@compiled
def step_batches(st: SwitchState, cycle: int, leave: Leave, taker: Any) -> None:
    """VA, SA and ST of all switches in `cycle`, and arrival of the flits and credits that are visible at their pins.

    Call `accept_head` for the heads that arrive, then `route_step`, afterwards.

    Parameters
    ----------
    st : SwitchState
        The switches.
    cycle : int
        The present cycle.
    leave : compiled function
        Called for each batch that flits leave, as `leave(taker, batch, cycle)`. `models.batched.crossbar` says where
        the flits are; `front_packet` returns their packets. Their credits are visible on the input links in `cycle` +
        1, and so are the flits on the output links.
    taker : any
        First argument of `leave`.
    """
    asking = 0
    if st.k.vc_stage:
        asking = batch_vcs_choose(st, cycle)
    elif st.k.head_delay:
        end_head_delays(st, cycle)
    if st.k.lpi:
        batches_waking(st, cycle)
    slot = pins_slot(st, cycle)
    first = pins_words(st, slot)
    for word in range(len(st.batch_due_words)):
        due = int(st.batch_due_words[word] | st.pins_due_words[first + word])
        st.batch_due_words[word] = 0
        st.pins_due_words[first + word] = 0
        while due:
            bit = count_trailing_zeros(due) & -8
            due &= ~(255 << bit)
            batch = assume_u32(word * DUE_WORD + (bit >> 3))
            _visit(st, batch, slot, cycle, leave, taker)
    if st.k.vc_stage:
        batch_vcs_claim(st, asking, cycle)


@compiled
def accept_head(st: SwitchState, s: int, p: int, v: int, packet: int, data: int, cycle: int) -> int:
    """Accept a head flit visible on input link `p` in `cycle`; call after `step_batches` of that cycle.

    Parameters
    ----------
    st : SwitchState
        The switches.
    s, p, v : int
        Switch, input port, VC.
    packet : int
        Number of the packet, which `front_packet` returns.
    data : int
        Low 64 bits of the flit's data.
    cycle : int
        The present cycle.

    Returns
    -------
    int
        WORKING if `route_step` must be called in this cycle.
    """
    st.batch_packets[s, p, v, batch_claim_slot(st, s, p, v)] = packet
    return route_header(st, s, p, v, data & st.k.tag_mask, COMPLETE, cycle)


@compiled
def front_packet(st: SwitchState, s: int, i: int, v: int) -> int:
    """Return the number of the packet at the front of input VC (i, v)."""
    return int(st.batch_packets[s, i, v, batch_front(st, s, i, v)])


@compiled
def _visit(st: SwitchState, batch: int, slot: int, cycle: int, leave: Leave, taker: Any) -> None:
    """Advance a batch by one cycle."""
    batch_visited(st, batch)
    refuses = any_output_held(st, batch)
    if st.k.output_fifo:
        refuses |= batch_full_outputs(st, batch, cycle)
    if st.k.lpi:
        batch_lpi_begin(st, batch, cycle)
    choices = batch_choose(st, batch) if st.k.adaptive != DETERMINISTIC else 0
    moved = match_batch(st, batch) if st.k.vc_stage else allocate_batch(st, batch)
    changed = batch_install(st, choices)
    if moved:
        leave(taker, batch, cycle)
        if st.k.output_fifo:
            batch_depart(st, batch, cycle)
        if moved == DRAINS:
            for i in range(st.k.ports):
                _count_drained(st, batch, i)
        batch_end_packets(st, batch)
    st.batch_due[batch] = int(_change(st, batch, slot) or moved != NOTHING or refuses or changed)
    if moved:
        batch_advance_packets(st, batch, cycle)


@compiled_noinline
def _change(st: SwitchState, batch: int, slot: int) -> bool:
    """Update buffers and credits of a batch for departures and arrivals; return whether flits may move next cycle."""
    nothing = spread(st, 0)
    due = 0
    for p in range(st.k.ports):
        pins = pins_at(st, slot, batch, p)
        came, taken = simd_load(st.pins, pins), scratch(st, st.k.chosen + p)
        if movemask(came | taken):
            batch_take_and_put(st, batch, p, taken, came)
            batch_count_in(st, batch, p, came)
            due |= movemask(came)
            simd_store(st.pins, pins, nothing)
    for o in range(st.k.ports):
        pins = pins_at(st, slot, batch, st.k.ports + o)
        came, sent = simd_load(st.pins, pins), scratch(st, st.k.sent + o)
        if movemask(came | sent):
            vcs = scratch(st, st.k.sent_vcs + o)
            due |= batch_spend_and_credit(st, batch, o, vcs, came)
            batch_count_out(st, batch, o, sent, vcs)
            simd_store(st.pins, pins, nothing)
    return due != 0


@compiled_noinline
def _count_drained(st: SwitchState, batch: int, i: int) -> None:
    """Count the flits of input port `i` of a batch that are drained."""
    for lane in each_member(movemask(grants(st, st.k.taken + i) & spread_outputs(st, 1 << st.k.ports))):
        s = assume_u32(switch_in(batch, lane))
        count(st, s, i, FLITS_DROPPED, 1)
        count(st, s, i, PACKETS_DROPPED, int(leaving_of(st, i, lane) & TAIL != 0))


@compiled
def batches_next(st: SwitchState, cycle: int) -> int:
    """Return the first cycle at or after `cycle` in which `step_batches` may change anything; else NEVER."""
    due = 0
    for word in range(len(st.batch_due_words)):
        due |= st.batch_due_words[word]
    if due:
        return cycle
    nearest = max(cycle, next_active(st)) if st.k.lpi else NEVER
    for at in range(cycle, min(cycle + len(st.batch_heads_end), nearest)):
        if st.batch_heads_end[heads_slot(st, at)]:
            nearest = at
            break
    for at in range(cycle, min(cycle + st.pin_slots, nearest)):
        if any_pins(st, at):
            return at
    return nearest
