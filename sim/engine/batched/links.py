"""Links of batched switches: flits and credits that leave a batch become visible at pins after the link's latency.

A node accepts each flit at once, so only its credit becomes visible, at a pin of the same switch; sources have pins,
too. Packet numbers are handled only where a head arrives at a switch and a tail at a node.
"""

from __future__ import annotations

from models.batched.crossbar import chosen_of, leaving_of, list_bodies, list_leaving, scratch, taken_of
from models.batched.flit import TAIL, flit_on, flit_vc
from models.batched.lane_lists import BODIES, HEADS, TAILS, see_list
from models.batched.link import (
    DUE_WORD,
    other_batch,
    pins_at,
    pins_slot,
    pins_words,
    put_flit,
    put_pin,
)
from models.batched.output_sets import spread_outputs
from models.batched.switch import front_packet
from models.batched.vc_sets import spread
from models.jit.bits import assume_u32, count_trailing_zeros, each_member
from models.jit.compiled import compiled, compiled_noinline
from models.jit.lanes import switch_in
from models.jit.simd import movemask, number_in, simd_load, simd_store
from models.jit.simd_type import LANES
from models.transfer.link import link_arrival
from models.transfer.output_buffer import buffer_wait, departure
from sim.engine.address import is_source, port_of, seen_at, switch_of
from sim.engine.batched.bundles import CYCLES_SHIFT, IRREGULAR, PIN, carry, link_of
from sim.engine.links import link_interval, note_dropped, note_head, queue_for_link, queued_arrival, source_credited
from sim.engine.schedule import flit_line, post_on
from sim.engine.state import Engine
from sim.engine.threads.mail import HEAD, is_elsewhere, post_mail


@compiled
def send_in(e: Engine, cycle: int, home: int, v: int, packet: int, head: bool, tail: int) -> None:
    """Make a flit that a source sends visible at its switch in `cycle`."""
    put_flit(e.switches, cycle, switch_of(home), port_of(home), flit_on(v) | (TAIL if tail else 0))
    post_on(e, flit_line(e, cycle, True), home | v, packet << 1, int(head))


@compiled
def on_batch_move(e: Engine, batch: int, cycle: int) -> None:
    """Transmit the flits that leave a batch and return their credits; `step_batches` calls this for each batch."""
    st = e.switches
    ports = st.k.ports
    nodes = simd_load(e.bundles.nodes, batch)
    list_leaving(st, nodes | spread_outputs(st, 1 << ports))
    for p in range(ports):
        _carry(e, batch, p, cycle)
    see_list(st, batch, HEADS, _head_leaves, e, cycle)
    see_list(st, batch, TAILS, _packet_ends, e, cycle)
    if e.k.logs:
        list_bodies(st, nodes)
        see_list(st, batch, BODIES, _eject_body, e, cycle)


@compiled
def _carry(e: Engine, batch: int, p: int, cycle: int) -> None:
    """Transmit what a batch sends at a port: credits at the input, flits at the output."""
    st = e.switches
    port = batch * st.k.ports + p
    if e.bundles.ports[port].count != IRREGULAR:
        sent, vcs = scratch(st, st.k.sent + p), scratch(st, st.k.sent_vcs + p)
        carry(st, e.bundles, port, scratch(st, st.k.chosen + p), sent, vcs, cycle)
    else:
        _scatter(e, batch, p, st.k.chosen + p, cycle)
        _scatter(e, batch, st.k.ports + p, st.k.sent + p, cycle)


@compiled_noinline
def _scatter(e: Engine, batch: int, which: int, at: int, cycle: int) -> None:
    """Transmit vector `at` of the scratch memory link by link; `which` as in `link_of`."""
    st = e.switches
    for lane in each_member(movemask(scratch(st, at))):
        s, o = assume_u32(switch_in(batch, lane)), which - st.k.ports
        link = number_in(e.bundles.pins, link_of(st, s, which))
        seen = cycle + (link >> CYCLES_SHIFT)
        if o >= 0:
            seen += buffer_wait(st, s, o, cycle)
        if o >= 0 and _busy(e, s, o):
            queue_for_link(e, s, o, departure(st, s, o, cycle))
            seen = queued_arrival(e, s, o)
        value = number_in(st.batch_scratch, at * LANES + lane)
        if o >= 0 and is_source(e.link[s, o]):
            value = 1 << flit_vc(value)  # the credit that the node returns
        put_pin(st, seen, link & PIN, value)


@compiled
def _busy(e: Engine, s: int, o: int) -> bool:
    """Return whether link `o` to another switch takes more than a cycle for a flit, so that flits may wait for it."""
    return not (e.k.plain or is_source(e.link[s, o])) and link_interval(e, s, o) > 1


@compiled
def _head_leaves(e: Engine, s: int, i: int, lane: int, cycle: int) -> None:
    """Schedule the arrival of a head at the switch behind its link."""
    st = e.switches
    o, w = taken_of(st, i, lane), flit_vc(leaving_of(st, i, lane))
    packet = front_packet(st, s, i, chosen_of(st, i, lane))
    to = e.link[s, o]
    at = departure(st, s, o, cycle)
    seen = link_arrival(at - 1, e.k.latency)
    if not e.k.plain:
        note_head(e, s, o, packet)
        seen = queued_arrival(e, s, o) if _busy(e, s, o) else link_arrival(at - 1, e.delay[s, o])
    if e.hooks.parts and is_elsewhere(e, to):
        post_mail(e, HEAD, seen, to | w, packet << 1)
        return
    post_on(e, flit_line(e, seen, True), to | w, packet << 1)


@compiled
def _eject_body(e: Engine, s: int, i: int, lane: int, cycle: int) -> None:
    """Eject a head or body flit to a node; only the log needs it."""
    st = e.switches
    o, w = taken_of(st, i, lane), flit_vc(leaving_of(st, i, lane))
    _eject(e, s, o, w, front_packet(st, s, i, chosen_of(st, i, lane)) << 1, cycle)


@compiled
def _packet_ends(e: Engine, s: int, i: int, lane: int, cycle: int) -> None:
    """Eject the tail of a packet to a node, or record that the packet was dropped."""
    st = e.switches
    o, packet = taken_of(st, i, lane), front_packet(st, s, i, chosen_of(st, i, lane))
    if o == st.k.ports:
        note_dropped(e, packet, cycle)
    else:
        _eject(e, s, o, flit_vc(leaving_of(st, i, lane)), packet << 1 | 1, cycle)


@compiled
def _eject(e: Engine, s: int, o: int, w: int, flit: int, cycle: int) -> None:
    """Eject a flit to the node at output `o`."""
    at = departure(e.switches, s, o, cycle)
    post_on(e, 2 * e.k.slots, e.link[s, o] | w | seen_at(at), flit)


@compiled
def credit_sources(e: Engine, cycle: int) -> None:
    """Deliver the credits that are visible at pins of sources in `cycle`."""
    st = e.switches
    slot = pins_slot(st, cycle)
    first = pins_words(st, slot)
    for word in range(len(st.batch_due_words), st.pin_words):
        due = int(st.pins_due_words[first + word])
        st.pins_due_words[first + word] = 0
        for bit in each_member(due):
            batch = assume_u32(word * DUE_WORD + (bit >> 3))
            if batch + 1 < st.pin_words * DUE_WORD:
                _credit_batch(e, slot, batch, cycle)


@compiled
def _credit_batch(e: Engine, slot: int, batch: int, cycle: int) -> None:
    """Deliver the credits of a batch of sources."""
    st = e.switches
    pins = pins_at(st, slot, batch, 0)
    for lane in each_member(movemask(simd_load(st.pins, pins))):
        local = assume_u32(switch_in(batch - other_batch(st, 0), lane))
        source_credited(e, local, count_trailing_zeros(number_in(st.pins, pins * LANES + lane)), cycle)
    simd_store(st.pins, pins, spread(st, 0))
