"""Bypass: a flit whose output port was predicted leaves in its cycle of arrival (paper C; microarchitecture.md, 11)."""

from __future__ import annotations

import numpy as np

from models.allocate.switch_allocator import hold_too
from models.allocate.vc_allocator import advance_vc_order
from models.buffer.head_delay import on_vc_allocated
from models.buffer.vc_buffer import pop
from models.counters import BYPASS_FLITS, BYPASS_HEADS, BYPASS_SQUASHED, FLITS_OUT, PACKETS_OUT, count
from models.jit.compiled import compiled, compiled_noinline
from models.power.lpi import lpi_active, lpi_use
from models.predict.predictor import predicted, predictor_update
from models.route.adaptive import adaptive_taken, allows, chooses
from models.route.route_cache import cache_find, cache_flushing, cache_index
from models.route.route_queue import checked, release
from models.state.declare import Field, Registers, fields
from models.state.owners import owner_is
from models.state.registers import LONG_AGO, NO_PORT, SwitchState
from models.state.route_word import route_out
from models.state.vc_set import vcs_within
from models.transfer.crossbar import connect, connection
from models.transfer.output_buffer import depart, departure, link_clear
from models.transfer.output_queue import queue_clear
from models.transfer.output_unit import claimable, output_own, output_spend


class BypassRegisters(Registers):
    """Heads that are forwarded, and connections that flits may follow."""

    in_prediction = fields(
        Field("popped_in", np.int64, fill=LONG_AGO),  # input port: last cycle in which a flit left the buffer
        Field("forwarded_in", np.int64, fill=LONG_AGO),  # cycle in which a head was last forwarded speculatively
        Field("forwarded_vc", np.int16),
        Field("forwarded_out", np.int16),
        Field("forwarded_at", np.int64),  # cycle in which it is visible on the output link, if it is confirmed
        Field("confirmed", np.int8),  # 1: confirmed in the cycle after
        # output port: input VC, port << 8 | VC, of the packet on its way through, or NO_PORT
        Field("connected", np.int32, fill=NO_PORT),
        # output port: input port of the flit with which `connected` was last written
        Field("latest", np.int16, fill=NO_PORT),
        Field("sent_in", np.int64, fill=LONG_AGO),  # output port: last cycle in which a flit was granted or bypassed
    )


@compiled
def _predicted_owner(st: SwitchState, s: int, i: int, o: int, cycle: int) -> bool:
    """Return whether output `o`, which the predictor of input port `i` names, is preset for that port.

    It is the lowest such port; with static prediction at local ports, the latest that used the output goes before it.
    """
    if st.k.static_local:
        latest = int(st.prediction[s, o].latest)
        if latest != NO_PORT and predicted(st, s, latest, cycle) == o:
            return i == latest
    lower = 0
    for j in range(i):
        lower += predicted(st, s, j, cycle) == o
    return lower == 0


@compiled_noinline
def bypass_output(st: SwitchState, s: int, i: int, v: int, head: bool, cycle: int) -> int:
    """Return the output port to which a flit visible on input VC (i, v) may bypass in `cycle`, or NO_PORT.

    Call after `allocate` of the cycle, and before a credit of the cycle is accepted: the result depends only on the
    registers at the beginning of the cycle.
    """
    if vcs_within(st, st.filled, s, i) != 0 or st.prediction[s, i].popped_in == cycle:
        return NO_PORT
    vc = st.vc[s, i, v]
    if head:
        o = predicted(st, s, i, cycle)
        if o == NO_PORT or st.prediction[s, o].connected != NO_PORT or not _predicted_owner(st, s, i, o, cycle):
            return NO_PORT
    else:
        if not vc.active:
            return NO_PORT
        o = route_out(int(vc.route))
        if st.prediction[s, o].connected != connection(i, v):
            return NO_PORT
    if st.prediction[s, o].sent_in == cycle:
        return NO_PORT
    sw = st.switch[s]
    if sw.requested_in == cycle and int(sw.requested) >> o & 1:
        return NO_PORT
    usable = claimable(st, s, o) >> v if head else int(st.output[s, o].credited) >> int(vc.out_vc)
    if not usable & 1:
        return NO_PORT
    if st.k.output_queues and not queue_clear(st, s, o, v if head else int(vc.out_vc), cycle):
        return NO_PORT
    if not link_clear(st, s, o, cycle):
        return NO_PORT
    if st.k.lpi and not lpi_active(st, s, o, cycle):
        return NO_PORT
    return o


@compiled
def count_squash(st: SwitchState, s: int, i: int) -> None:
    """Count a head that met all conditions of a bypass but was mispredicted."""
    count(st, s, i, BYPASS_SQUASHED, 1)


@compiled
def _claim(st: SwitchState, s: int, o: int, w: int) -> None:
    """Make a head the owner of VC `w` of output `o`."""
    output_own(st, s, o, w, 1)
    advance_vc_order(st, s, o, w, 1)


@compiled
def _leave(st: SwitchState, s: int, i: int, v: int, o: int, w: int, flit: int, head: bool, cycle: int) -> None:
    """Update credits, ownership and counters for a flit that is sent through output VC (o, w)."""
    tail = flit & 1
    vc = st.vc[s, i, v]
    count(st, s, o, FLITS_OUT, 1)
    count(st, s, o, PACKETS_OUT, tail)
    count(st, s, i, BYPASS_FLITS, 1)
    output_spend(st, s, o, w)
    if head:
        count(st, s, i, BYPASS_HEADS, 1)
        vc.active = 1
        vc.out_vc = w
        if st.k.vc_stage:
            on_vc_allocated(st, s, i, v)
        if chooses(st, s):
            adaptive_taken(st, s, i, v, o)
            predictor_update(st, s, i, o, cycle)
    if tail:
        output_own(st, s, o, w, 0)
        vc.active = 0
    owner_is(st, s, o, i, v, 1 - tail)


@compiled_noinline
def bypass_send(st: SwitchState, s: int, i: int, v: int, o: int, flit: int, head: bool, cycle: int) -> None:
    """Send a flit in the cycle of its arrival; the move is `st.sent[0]`. The tail of a body releases its route."""
    tail = flit & 1
    w = v if head else int(st.vc[s, i, v].out_vc)
    if head:
        _claim(st, s, o, w)
    _leave(st, s, i, v, o, w, flit, head, cycle)
    connect(st, s, o, i, v, tail)
    if tail:
        if not head:
            release(st, s, i, v, cycle)
    else:
        hold_too(st, s, i, v, o, cycle)
    st.prediction[s, o].sent_in = cycle
    if st.k.lpi:
        lpi_use(st, s, o, cycle)
    sent = st.sent[0]
    sent.port = i
    sent.vc = v
    sent.out = o
    sent.out_vc = w
    sent.head = 1 if head else 0
    sent.flit = flit
    sent.at = departure(st, s, o, cycle)
    depart(st, s, o, cycle)


@compiled_noinline
def forward_speculatively(st: SwitchState, s: int, i: int, v: int, o: int, cycle: int) -> None:
    """Send a head, stored as well, before its route is known: `confirm` in the next cycle decides if it is valid."""
    _claim(st, s, o, v)
    port = st.prediction[s, i]
    port.forwarded_in = cycle
    port.forwarded_vc = v
    port.forwarded_out = o
    port.forwarded_at = departure(st, s, o, cycle)
    depart(st, s, o, cycle)
    if st.k.lpi:
        lpi_use(st, s, o, cycle)


@compiled_noinline
def confirm(st: SwitchState, s: int, i: int, cycle: int) -> bool:
    """Decide whether the head that was sent speculatively in the cycle before is valid; call first in `cycle`."""
    port = st.prediction[s, i]
    if port.forwarded_in != cycle - 1:
        return False
    port.confirmed = 0
    if cache_flushing(st, s, cycle):
        return False
    tag = st.lookup[s, i, (cycle - 1) & 1].tag
    way = cache_find(st, s, i, tag)
    if way < 0:
        return False
    v = int(port.forwarded_vc)
    word = checked(st, s, i, v, int(st.cache[s, i, cache_index(st, tag), way].route))
    if not allows(st, s, i, v, word, tag, int(port.forwarded_out), v):
        return False
    port.confirmed = 1
    return True


@compiled_noinline
def commit_or_squash(st: SwitchState, s: int, i: int, cycle: int) -> bool:
    """Commit or squash, as `confirm` decided, at the end of `cycle`; return whether a head was sent speculatively."""
    port = st.prediction[s, i]
    if port.forwarded_in != cycle - 1:
        return False
    v = int(port.forwarded_vc)
    o = int(port.forwarded_out)
    if not port.confirmed:
        count_squash(st, s, i)
        output_own(st, s, o, v, 0)
        return True
    flit = pop(st, s, i, v)
    port.popped_in = cycle
    _leave(st, s, i, v, o, v, flit, True, cycle)
    if flit & 1:
        release(st, s, i, v, cycle)
    elif st.prediction[s, o].sent_in != cycle:
        connect(st, s, o, i, v, 0)
    return True
