"""Links of switches in rows: what leaves one is seen, some cycles later, at a pin of another, or of its own.

A node at its switch takes each flit at once, so that all that comes of it is the credit that the switch sees; sources
have pins, too. Packets are told apart only where their heads are seen and where nodes take their tails.
"""

from __future__ import annotations

import numpy as np

from models.bits import index, lowest
from models.compiled import compiled
from models.link import link_arrival
from models.output_buffer import departure
from models.row_pins import (
    DUE_WORD,
    no_pin,
    other_pin,
    other_row,
    pin_of,
    pins_at,
    pins_slot,
    pins_words,
    put_flit,
    put_pin,
)
from models.row_sets import TAIL, VC_BITS
from models.row_switch import front_packet
from models.rows import ROW, lane_of, number_in, row_lanes, row_load, row_of, row_spread, row_store
from models.state import SwitchState
from sim.engine_links import cable_at, cable_free, drop, note_head, source_credited
from sim.engine_lists import flit_line, post_on
from sim.engine_place import is_source, port_of, seen_at, source_of, switch_of
from sim.engine_state import NOBODY, Engine

CYCLES_SHIFT = 32  # a link in one number: cycles << 32 | pin
PIN = (1 << CYCLES_SHIFT) - 1


@compiled
def row_link(st: SwitchState, s: int, p: int) -> int:
    """Return the place of a port's link in `pin_out`, `pin_back`: side by side are those of the switches of a row."""
    return (row_of(s) * st.k.ports + p) * ROW + lane_of(s)


@compiled
def _put(e: Engine, link: int, cycle: int, value: int) -> None:
    """Have a value visible in `cycle` at the pin that a link leads to."""
    put_pin(e.switches, cycle, link & PIN, value)


@compiled
def wire_pins(
    st: SwitchState, link: np.ndarray, delay: np.ndarray, lag: int, out: np.ndarray, back: np.ndarray
) -> None:
    """Find which pins links lead to: int64 [rows · P · 32], as `row_link` finds them.

    Parameters
    ----------
    st : SwitchState
        The switches.
    link : numpy.ndarray
        int64 [S, P]: the place at the other end of each port.
    delay : numpy.ndarray
        int64 [S, P]: latency of each link.
    lag : int
        Cycles that a credit takes more than a flit.
    out : numpy.ndarray
        Written: where a flit is seen, and how many cycles after it is put out.
    back : numpy.ndarray
        Written: where a credit is seen, and how many cycles after the flit that it is for left its buffer.
    """
    out[:] = back[:] = 1 << CYCLES_SHIFT | no_pin(st)
    for s in range(len(st.switch)):
        for p in range(st.k.ports):
            to = link[s, p]
            n = row_link(st, s, p)
            if to == NOBODY:
                continue
            if is_source(to):
                out[n] = 1 << CYCLES_SHIFT | pin_of(st, s, st.k.ports + p)
                back[n] = 1 << CYCLES_SHIFT | other_pin(st, source_of(to))
                continue
            t, q = switch_of(to), port_of(to)
            out[n] = delay[s, p] << CYCLES_SHIFT | pin_of(st, t, q)
            back[n] = link_arrival(0, delay[s, p] + lag) << CYCLES_SHIFT | pin_of(st, t, st.k.ports + q)


@compiled
def send_in(e: Engine, cycle: int, home: int, v: int, packet: int, head: bool, tail: int) -> None:
    """Have a flit that a source sends visible in `cycle` at its switch."""
    put_flit(e.switches, cycle, switch_of(home), port_of(home), 1 << v | (TAIL if tail else 0))
    post_on(e, flit_line(e, cycle, True), home | v, packet << 1, int(head))


@compiled
def flit_leaves(e: Engine, s: int, i: int, v: int, o: int, sent: int, cycle: int) -> None:
    """Carry a flit and its credit away from a switch: what `step_rows` hands each to."""
    back = number_in(e.pin_back, row_link(e.switches, s, i))
    _put(e, back, cycle + (back >> CYCLES_SHIFT), 1 << v)
    if o == e.switches.k.ports:
        return
    out = number_in(e.pin_out, row_link(e.switches, s, o))
    at = departure(e.switches, s, o, cycle)
    seen = at + (out >> CYCLES_SHIFT)
    if not e.k.plain and not is_source(e.link[s, o]):
        cable_free(e, s, o, at)
        seen = cable_at(e, s, o)
    _put(e, out, seen, sent)
    if e.k.logs:
        w = lowest(sent & VC_BITS)
        _give(e, s, o, w, front_packet(e.switches, s, i, v) << 1 | int(sent & TAIL != 0), at)


@compiled
def packet_begins(e: Engine, s: int, packet: int, o: int, sent: int, cycle: int) -> None:
    """Have a head seen behind the link on which it leaves a switch."""
    to = e.link[s, o]
    if is_source(to):
        return
    if e.k.plain:
        seen = link_arrival(departure(e.switches, s, o, cycle) - 1, e.k.latency)
    else:
        note_head(e, s, o, packet)
        seen = cable_at(e, s, o)
    post_on(e, flit_line(e, seen, True), to | lowest(sent & VC_BITS), packet << 1)


@compiled
def packet_ends(e: Engine, s: int, packet: int, o: int, sent: int, cycle: int) -> None:
    """Give a packet's tail to its node, if it is there."""
    if o == e.switches.k.ports:
        drop(e, packet, cycle)
    elif not e.k.logs:
        _give(e, s, o, lowest(sent & VC_BITS), packet << 1 | 1, departure(e.switches, s, o, cycle))


@compiled
def _give(e: Engine, s: int, o: int, w: int, flit: int, at: int) -> None:
    """Give a flit that is put out in cycle `at` to the node at a port, if there is one."""
    to = e.link[s, o]
    if is_source(to):
        post_on(e, 2 * e.k.slots, to | w | seen_at(at), flit)


@compiled
def credit_sources(e: Engine, cycle: int) -> None:
    """Give sources the credits that are visible at their pins in `cycle`."""
    st = e.switches
    slot = pins_slot(st, cycle)
    first = pins_words(st, slot)
    for word in range(len(st.row_due_words), st.pin_rows // DUE_WORD):
        due = int(st.pins_due_words[first + word])
        st.pins_due_words[first + word] = 0
        while due:
            row = index(word * DUE_WORD + (lowest(due) >> 3))
            due &= due - 1
            if row + 1 < st.pin_rows:
                _credit_row(e, slot, row, cycle)


@compiled
def _credit_row(e: Engine, slot: int, row: int, cycle: int) -> None:
    """Give a row of sources their credits."""
    st = e.switches
    pins = pins_at(st, slot, row, 0)
    lanes = row_lanes(row_load(st.pins, pins))
    while lanes:
        lane = index(lowest(lanes))
        lanes &= lanes - 1
        source_credited(e, index((row - other_row(st, 0)) * ROW + lane), lowest(int(st.pins[pins * ROW + lane])), cycle)
    row_store(st.pins, pins, row_spread(0))
