"""Switches in rows, one cycle of all: what `models.switch` does of one (docs/microarchitecture.md).

A row is visited if anything is visible at its pins or may move; what is done with it is the same for all its switches,
and for each flit that leaves no more than to hand it over. Only heads, when they come, claim a VC and cross, and tails,
which end their packet, are seen one by one: they are listed. `models.row_sets.fit_rows` says which switches can be in
rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from models.bits import index, lowest
from models.compiled import compiled, compiled_apart
from models.counters import FLITS_DROPPED, PACKETS_DROPPED, count
from models.header import COMPLETE
from models.output_unit import output_own
from models.request_word import request_out, request_port, request_switch, request_vc, request_vcs, request_word
from models.route_queue import release
from models.route_unit import route_header
from models.row_buffers import row_take_and_put
from models.row_counters import count_sent, row_count_in, row_count_out, tick_rows
from models.row_credits import row_spend_and_credit
from models.row_heads import heads_come_back, heads_slot
from models.row_matching import chosen_at, kind_at, match_row, scratch, sent_at, taken_at
from models.row_pins import DUE_WORD, any_pins, pins_at, pins_slot, pins_words
from models.row_sets import HEAD, TAIL, VC_BITS, row_gone, row_number, way_at
from models.row_vc_stage import row_vcs_choose, row_vcs_claim
from models.rows import (
    ROW,
    ROW_SHIFT,
    lane_of,
    number_in,
    row_lanes,
    row_load,
    row_of,
    row_spread,
    row_store,
    set_number,
)
from models.state import NEVER, SwitchState

Take = Callable[[Any, int, int, int, int, int, int], None]
Packet = Callable[[Any, int, int, int, int, int], None]


@compiled
def step_rows(st: SwitchState, cycle: int, take: Take, begin: Packet, end: Packet, taker: Any) -> None:
    """VA, SA and ST of `cycle` of all switches, and what is visible at their pins.

    `accept_head` of the heads among the latter, and `route_step`, come after.

    Parameters
    ----------
    st : SwitchState
        The switches.
    cycle : int
        This cycle.
    take : compiled function
        Called for each flit that leaves its buffer: `take(taker, s, i, v, o, sent, cycle)`, of a switch, from input VC
        (i, v), to output o; `sent` is the VC that it has there, one bit, with TAIL if it is a packet's last. It goes
        nowhere if o is the number of ports. Its credit is visible on the input link in `cycle` + 1, it itself on the
        output link as soon.
    begin, end : compiled function
        Called then for each packet whose first flit was sent, whose last left its buffer: `begin(taker, s, packet, o,
        sent, cycle)`.
    taker : any
        What they are handed.
    """
    asking = row_vcs_choose(st, cycle)
    slot = pins_slot(st, cycle)
    first = pins_words(st, slot)
    for word in range(len(st.row_due_words)):
        due = int(st.row_due_words[word] | st.pins_due_words[first + word])
        st.row_due_words[word] = 0
        st.pins_due_words[first + word] = 0
        while due:
            bit = lowest(due) & -8
            due &= ~(255 << bit)
            row = index(word * DUE_WORD + (bit >> 3))
            _visit(st, row, slot, cycle, take, begin, end, taker)
    tick_rows(st)
    row_vcs_claim(st, asking, cycle)


@compiled
def accept_head(st: SwitchState, s: int, p: int, v: int, packet: int, data: int, cycle: int) -> int:
    """Take the header, a flit, that is visible on input link `p` in `cycle`, after `step_rows` of that cycle.

    Parameters
    ----------
    st : SwitchState
        The switches.
    s, p, v : int
        Switch, input port, VC.
    packet : int
        What `begin` and `end` are told of its packet.
    data : int
        Low 64 bits of the flit's data.
    cycle : int
        This cycle.

    Returns
    -------
    int
        WORKING if `route_step` is due in this cycle.
    """
    vc = st.vc[s, p, v]
    vc.tag = data & st.k.tag_mask
    st.row_packets[s, p, v, index(vc.claim)] = packet
    return route_header(st, s, p, v, COMPLETE, cycle)


@compiled
def front_packet(st: SwitchState, s: int, i: int, v: int) -> int:
    """Return the packet at the front of input VC (i, v)."""
    return int(st.row_packets[s, i, v, index(st.vc[s, i, v].front)])


@compiled
def _visit(
    st: SwitchState, row: int, slot: int, cycle: int, take: Take, begin: Packet, end: Packet, taker: Any
) -> None:
    """Do a cycle of a row."""
    for o in range(st.k.ports):
        row_store(st.row_scratch, sent_at(st, o), row_spread(0))
    heads = tails = 0
    moved = match_row(st, row)
    if moved:
        for i in range(0, st.k.ports, 2):
            heads, tails = _leave(st, row, i, cycle, heads, tails, take, taker)
    st.row_due[row] = int(_change(st, row, slot) or moved)
    for n in range(heads):
        move = int(st.row_heads_sent[n])
        s, i, v = request_switch(move), request_port(move), request_vc(move)
        begin(taker, s, front_packet(st, s, i, v), request_out(move), request_vcs(move), cycle)
    for n in range(tails):
        move = int(st.row_tails_sent[n])
        s, i, v = request_switch(move), request_port(move), request_vc(move)
        end(taker, s, front_packet(st, s, i, v), request_out(move), request_vcs(move), cycle)
        _end(st, s, i, v, request_out(move), request_vcs(move), cycle)


@compiled_apart
def _change(st: SwitchState, row: int, slot: int) -> bool:
    """Have buffers and credits of a row change by what leaves and what comes; return whether flits may move then."""
    nothing = row_spread(0)
    due = 0
    for p in range(st.k.ports):
        pins = pins_at(st, slot, row, p)
        came, taken = row_load(st.pins, pins), scratch(st, chosen_at(st, p))
        if row_lanes(came | taken):
            row_take_and_put(st, row, p, taken, came)
            row_count_in(st, row, p, came)
            due |= row_lanes(came)
            row_store(st.pins, pins, nothing)
    for o in range(st.k.ports):
        pins = pins_at(st, slot, row, st.k.ports + o)
        came, sent = row_load(st.pins, pins), scratch(st, sent_at(st, o))
        if row_lanes(came | sent):
            due |= row_spend_and_credit(st, row, o, sent, came)
            row_count_out(st, row, o, sent)
            row_store(st.pins, pins, nothing)
    return due != 0


@compiled
def _leave(
    st: SwitchState, row: int, i: int, cycle: int, heads: int, tails: int, take: Take, taker: Any
) -> tuple[int, int]:
    """Hand over what leaves input ports `i` and i + 1 of a row; return how many heads and tails are listed then.

    Each is written behind the last head and the last tail, and counted if it is one: it could not be foreseen.
    """
    lanes = row_lanes(scratch(st, chosen_at(st, i)))
    if i + 1 < st.k.ports:
        lanes |= row_lanes(scratch(st, chosen_at(st, i + 1))) << ROW
    outputs, vcs, kinds = taken_at(st, i) << ROW_SHIFT, chosen_at(st, i) << ROW_SHIFT, kind_at(st, i) << ROW_SHIFT
    while lanes:
        n = lowest(lanes)
        lanes &= lanes - 1
        s, p = row << ROW_SHIFT | lane_of(n), i + row_of(n)
        o = lowest(number_in(st.row_scratch, outputs + n))
        v = lowest(number_in(st.row_scratch, vcs + n))
        sent = number_in(st.row_scratch, kinds + n)
        if o == st.k.ports:
            count(st, s, p, FLITS_DROPPED, 1)
        else:
            way = row_number(st, s, way_at(st, p, v))
            count_sent(st, s, o, lowest(way))
            sent |= way
            set_number(st.row_scratch, (sent_at(st, o) << ROW_SHIFT) + lane_of(n), sent)
        take(taker, s, p, v, o, sent, cycle)
        move = request_word(s, p, v, o, sent)
        set_number(st.row_heads_sent, heads, move)
        heads += int(sent & HEAD != 0)
        set_number(st.row_tails_sent, tails, move)
        tails += int(sent & TAIL != 0)
    return heads, tails


@compiled
def _end(st: SwitchState, s: int, i: int, v: int, o: int, sent: int, cycle: int) -> None:
    """End the packet of input VC (i, v) whose last flit left; heads may want the VC that it gives back."""
    row_gone(st, s, i, v)
    release(st, s, i, v, cycle)
    if o == st.k.ports:
        count(st, s, i, PACKETS_DROPPED, 1)
        return
    st.vc[s, i, v].active = 0
    output_own(st, s, o, lowest(sent & VC_BITS), 0, 1)
    heads_come_back(st, s, o, cycle + 1)


@compiled
def rows_next(st: SwitchState, cycle: int) -> int:
    """Return the first cycle, at or after `cycle`, in which `step_rows` may change anything; NEVER if none."""
    due = 0
    for word in range(len(st.row_due_words)):
        due |= st.row_due_words[word]
    if due:
        return cycle
    nearest = NEVER
    for at in range(cycle, cycle + len(st.row_heads_end)):
        if st.row_heads_end[heads_slot(st, at)]:
            nearest = at
            break
    for at in range(cycle, min(cycle + st.pin_slots, nearest)):
        if any_pins(st, at):
            return at
    return nearest
