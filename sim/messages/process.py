"""Processing of events: operations and messages when they are due.

On the ideal network these are the rules of LogGOPSim (Hoefler, Schneider, Lumsdaine, HPDC 2010), with which finishing
times agree to the unit: a send occupies the CPU for o + (s − 1)·O and its interface for g + (s − 1)·G. Its message
arrives o + L after the start, waits for the receiver's CPU and interface, occupies them for o + (s − 1)·max(O, G) and g
+ (s − 1)·G, and is then matched. A receive itself costs nothing. The send of a message above S bytes ends when the
message is matched. On a simulated network, o and O are the same, and the network replaces L, g and G.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from models.jit.compiled import compiled, compiled_noinline
from sim.messages.dependencies import enter_freed, finish, report, start
from sim.messages.events import new_stamp, next_at, pop, push
from sim.messages.matching import (
    append_outgoing,
    append_receive,
    append_unexpected,
    find_receive,
    find_unexpected,
    hold_overtaking,
    next_held,
    receive_takes,
    remove_outgoing,
    remove_unexpected,
)
from sim.messages.state import (
    CALC,
    DATA,
    EAGER,
    GRANT,
    HAND_OVER,
    LEFT,
    MESSAGE,
    NONE,
    OPERATION,
    PROBE,
    REPORT,
    REQUEST,
    SEND,
    Messages,
    handle_of,
    slot_of,
)

HandOver = Callable[[Any, int, int], None]
"""Called with the network, a message and the time: sends what the message's phase requires."""


@compiled
def _of_bytes(cost: int, size: int) -> int:
    """Return the cost of all bytes after the first, each in 1/2^16 of a unit."""
    return max(size - 1, 0) * cost >> 16


@compiled
def is_eager(size: int, most: int) -> bool:
    """Return whether a message of `size` bytes is sent at once, being of at most `most` bytes.

    A longer one is sent by rendezvous: a request goes ahead, and the bytes follow when a receive takes it.
    """
    return size <= most


@compiled
def process(x: Messages, until: int, hand_over: HandOver, network: Any) -> None:
    """Process the events due by `until`; stop when operations or room are needed, or a rank continues.

    Operations then posted come before all events at the same time after the report, as if they had depended on it.
    """
    clock = x.clock[0]
    while clock.events:
        at = next_at(x)
        if at > until or clock.hungry or clock.free_messages == 0 or clock.ready:
            return
        clock.now = at
        what = x.events[0].what
        slot = int(x.events[0].slot)
        stamp = x.events[0].stamp
        pop(x)
        if what == OPERATION:
            _operate(x, slot, at, stamp)
        elif what == MESSAGE:
            _take(x, slot, at, stamp)
        elif what == REPORT:
            report(x, slot, stamp)
        elif what == HAND_OVER:
            hand_over(network, slot, at)
        elif what == LEFT:
            _leave(x, slot, at)
        else:
            _deliver(x, slot, at)
        if clock.freed:
            enter_freed(x)


@compiled
def _operate(x: Messages, op: int, at: int, stamp: int) -> None:
    """Execute an operation if its rank's CPU, and interface, are free."""
    operation = x.operations[op]
    kind = operation.kind
    if kind in (SEND, CALC):
        free = x.cpu_free[operation.rank, operation.cpu]
        if kind == SEND and x.k.ideal:
            free = max(free, x.send_free[operation.rank, operation.nic])
        if free > at:
            push(x, free, stamp, OPERATION, op)
            return
        start(x, op, at)
        if kind == SEND:
            _send(x, op, at)
        else:
            x.cpu_free[operation.rank, operation.cpu] = at + operation.amount
            x.ranks[operation.rank].compute += operation.amount
            finish(x, op, at + operation.amount, at)
        return
    start(x, op, at)
    if kind == PROBE:
        _probe(x, op, at)
        return
    message = find_unexpected(x, operation.rank, operation.peer, operation.tag)
    if message == NONE:
        append_receive(x, op)
        return
    remove_unexpected(x, message)
    _match(x, message, op, max(at, x.messages[message].ready), at)


@compiled_noinline
def _send(x: Messages, op: int, at: int) -> None:
    """Send a message."""
    operation = x.operations[op]
    clock = x.clock[0]
    size = operation.amount
    busy = x.k.send_overhead + _of_bytes(x.k.send_byte, size)
    x.cpu_free[operation.rank, operation.cpu] = at + busy
    x.ranks[operation.rank].overhead += busy
    clock.free_messages -= 1
    clock.messages += 1
    clock.bytes += size
    message = int(x.free_messages[clock.free_messages])
    m = x.messages[message]
    m.amount = size
    m.tag = operation.tag
    m.sender = handle_of(x, op)
    m.sent = at
    m.source = operation.rank
    m.destination = operation.peer
    m.receiver = NONE
    m.cpu = operation.cpu
    m.nic = operation.nic
    m.phase = EAGER if is_eager(size, x.k.eager) else REQUEST
    append_outgoing(x, message)
    if x.k.ideal:
        x.send_free[operation.rank, operation.nic] = at + x.k.gap + _of_bytes(x.k.byte_gap, size)
        push(x, at + x.k.send_overhead + x.k.latency, new_stamp(x), MESSAGE, message)
    else:
        push(x, at + busy, new_stamp(x), HAND_OVER, message)
    if m.phase == EAGER and x.k.buffered:
        finish(x, op, at + busy, at)


@compiled_noinline
def _take(x: Messages, message: int, at: int, stamp: int) -> None:
    """Let the receiver take an arrived message, or its rendezvous request, when its CPU is free."""
    m = x.messages[message]
    rank = m.destination
    free = x.cpu_free[rank, m.cpu]
    if x.k.ideal:
        free = max(free, x.receive_free[rank, m.nic])
    if free > at:
        push(x, free, stamp, MESSAGE, message)
        return
    size = m.amount if x.k.ideal or m.phase == EAGER else 1
    busy = x.k.receive_overhead + _of_bytes(x.k.receive_byte, size)
    taken = max(busy, x.k.receive_overhead + _of_bytes(x.k.byte_gap, size))
    if x.k.cpu_receives:
        busy = taken
    x.cpu_free[rank, m.cpu] = at + busy
    x.ranks[rank].overhead += busy
    if x.k.ideal:
        x.receive_free[rank, m.nic] = at + x.k.gap + _of_bytes(x.k.byte_gap, size)
    if x.k.ideal:
        remove_outgoing(x, message)
    m.ready = at + taken
    op = find_receive(x, message)
    if op == NONE:
        append_unexpected(x, message)
        _tell_probes(x, message, at + taken, at)
    else:
        _match(x, message, op, at + taken, at)


@compiled_noinline
def _match(x: Messages, message: int, op: int, end: int, now: int) -> None:
    """Match a message with a receive, which ends at `end`; grant the data if only the request has arrived."""
    m = x.messages[message]
    _note_match(x, message, op)
    if m.phase == EAGER:
        finish(x, op, end, now)
        free_message(x, message)
    elif x.k.ideal:
        sender = slot_of(m.sender)
        rank = m.source
        nic = m.nic
        # The send is over now, and nothing that depends on it may begin earlier.
        x.cpu_free[rank, m.cpu] = max(x.cpu_free[rank, m.cpu], now)
        x.send_free[rank, nic] = max(x.send_free[rank, nic], now)
        if rank < m.destination:
            finish(x, sender, now, now)
            finish(x, op, end, now)
        else:
            finish(x, op, end, now)
            finish(x, sender, now, now)
        free_message(x, message)
    else:
        m.receiver = op
        m.phase = GRANT
        push(x, end, new_stamp(x), HAND_OVER, message)


@compiled
def _note_match(x: Messages, message: int, op: int) -> None:
    """Record in a receive, or probe, the message that it matched."""
    m = x.messages[message]
    operation = x.operations[op]
    operation.peer = m.source
    operation.tag = m.tag
    operation.amount = m.amount
    operation.match = m.sender


@compiled
def free_message(x: Messages, message: int) -> None:
    """Free the slot of a message."""
    x.free_messages[x.clock[0].free_messages] = message
    x.clock[0].free_messages += 1


@compiled_noinline
def _probe(x: Messages, op: int, at: int) -> None:
    """Answer a probe, or queue it."""
    operation = x.operations[op]
    message = find_unexpected(x, operation.rank, operation.peer, operation.tag)
    if message != NONE:
        _note_match(x, message, op)
        finish(x, op, max(at, x.messages[message].ready), at)
        return
    rank = x.ranks[operation.rank]
    operation.next = NONE
    if rank.probes == NONE:
        rank.probes = op
    else:
        x.operations[rank.last_probe].next = op
    rank.last_probe = op


@compiled_noinline
def _tell_probes(x: Messages, message: int, at: int, now: int) -> None:
    """Answer the queued probes that a message matches."""
    rank = x.ranks[x.messages[message].destination]
    op = int(rank.probes)
    before = NONE
    while op != NONE:
        operation = x.operations[op]
        following = int(operation.next)
        if receive_takes(x, message, operation.peer, operation.tag):
            if before == NONE:
                rank.probes = following
            else:
                x.operations[before].next = following
            if following == NONE:
                rank.last_probe = before
            _note_match(x, message, op)
            finish(x, op, at, now)
        else:
            before = op
        op = following


@compiled_noinline
def _deliver(x: Messages, message: int, at: int) -> None:
    """Start the next phase of a message once all packets of a phase have arrived."""
    m = x.messages[message]
    if m.phase == GRANT:
        m.phase = DATA
        push(x, at, new_stamp(x), HAND_OVER, message)
    elif m.phase == DATA:
        _note_arrival(x, message, at)
        finish(x, int(m.receiver), at, at)
        free_message(x, message)
    elif not hold_overtaking(x, message):
        source = m.source
        destination = m.destination
        while message != NONE:
            following = int(x.messages[message].later)
            if x.messages[message].phase == EAGER:
                _note_arrival(x, message, at)
            remove_outgoing(x, message)
            push(x, at, new_stamp(x), MESSAGE, message)
            message = next_held(x, source, destination, following)


@compiled
def _note_arrival(x: Messages, message: int, at: int) -> None:
    """Add the latency of a message whose bytes have arrived to those of its sender."""
    m = x.messages[message]
    sender = x.ranks[m.source]
    sender.arrived += 1
    sender.latency += at - m.sent


@compiled_noinline
def _leave(x: Messages, message: int, at: int) -> None:
    """End the send of a message that has left its node."""
    finish(x, slot_of(x.messages[message].sender), at, at)


@compiled
def _never(x: Messages, message: int, at: int) -> None:
    """Send nothing: on the ideal network, arrivals are events."""


@compiled
def run_ideal(x: Messages, until: int) -> None:
    """Advance the ideal network."""
    process(x, until, _never, x)
