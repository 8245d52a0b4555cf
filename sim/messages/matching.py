"""Matching of messages with receives.

A rank's receives are queued in the order in which they were posted, unexpected messages in order of arrival; each new
one matches the first fitting one of the other queue. Messages of one pair of ranks are matched in the order in which
they were sent (MPI 4.1, section 3.5: non-overtaking): a message that the network delivers before an earlier one is held
back.
"""

from __future__ import annotations

from models.jit.compiled import compiled, compiled_noinline
from sim.messages.state import ANY, HELD, NONE, Messages
from sim.messages.tags import ANY_IN_CONTEXT, CONTEXT_BITS


@compiled
def fits(x: Messages, message: int, source: int, tag: int) -> bool:
    """Return whether a receive with this source and tag matches a message."""
    m = x.messages[message]
    return (source == ANY or source == m.source) and tag_fits(tag, m.tag)


@compiled
def tag_fits(wanted: int, tag: int) -> bool:
    """Return whether a receive's tag matches a message's; `ANY` below a context matches all tags of the context."""
    if wanted == ANY:
        wanted = ANY_IN_CONTEXT
    return wanted == tag or (wanted & ANY_IN_CONTEXT == ANY_IN_CONTEXT and (wanted ^ tag) >> CONTEXT_BITS == 0)


@compiled
def append_receive(x: Messages, op: int) -> None:
    """Append a receive to the list of its rank's posted receives."""
    rank = x.ranks[x.operations[op].rank]
    x.operations[op].next = NONE
    x.operations[op].previous = rank.last_receive
    if rank.last_receive == NONE:
        rank.receives = op
    else:
        x.operations[rank.last_receive].next = op
    rank.last_receive = op


@compiled
def remove_receive(x: Messages, op: int) -> None:
    """Remove a receive from the list."""
    operation = x.operations[op]
    rank = x.ranks[operation.rank]
    if operation.previous == NONE:
        rank.receives = operation.next
    else:
        x.operations[operation.previous].next = operation.next
    if operation.next == NONE:
        rank.last_receive = operation.previous
    else:
        x.operations[operation.next].previous = operation.previous


@compiled
def find_receive(x: Messages, message: int) -> int:
    """Remove and return the first receive that matches a message; NONE if there is none."""
    op = int(x.ranks[x.messages[message].destination].receives)
    while op != NONE:
        operation = x.operations[op]
        if fits(x, message, operation.peer, operation.tag):
            remove_receive(x, op)
            return op
        op = int(operation.next)
    return NONE


@compiled
def append_unexpected(x: Messages, message: int) -> None:
    """Append a message to the list of unexpected messages."""
    rank = x.ranks[x.messages[message].destination]
    x.messages[message].next = NONE
    x.messages[message].previous = rank.last_unexpected
    if rank.last_unexpected == NONE:
        rank.unexpected = message
    else:
        x.messages[rank.last_unexpected].next = message
    rank.last_unexpected = message


@compiled
def remove_unexpected(x: Messages, message: int) -> None:
    """Remove a message from the list."""
    m = x.messages[message]
    rank = x.ranks[m.destination]
    if m.previous == NONE:
        rank.unexpected = m.next
    else:
        x.messages[m.previous].next = m.next
    if m.next == NONE:
        rank.last_unexpected = m.previous
    else:
        x.messages[m.next].previous = m.previous


@compiled_noinline
def find_unexpected(x: Messages, rank: int, source: int, tag: int) -> int:
    """Return the first unexpected message that a receive matches, without removing it; NONE if there is none."""
    message = int(x.ranks[rank].unexpected)
    while message != NONE:
        if fits(x, message, source, tag):
            return message
        message = int(x.messages[message].next)
    return NONE


@compiled
def append_outgoing(x: Messages, message: int) -> None:
    """Record that a message is in flight."""
    rank = x.ranks[x.messages[message].source]
    x.messages[message].later = NONE
    x.messages[message].earlier = rank.last_outgoing
    if rank.last_outgoing == NONE:
        rank.outgoing = message
    else:
        x.messages[rank.last_outgoing].later = message
    rank.last_outgoing = message


@compiled
def remove_outgoing(x: Messages, message: int) -> None:
    """Remove a message that has arrived from the list of those in flight."""
    m = x.messages[message]
    rank = x.ranks[m.source]
    if m.earlier == NONE:
        rank.outgoing = m.later
    else:
        x.messages[m.earlier].later = m.later
    if m.later == NONE:
        rank.last_outgoing = m.earlier
    else:
        x.messages[m.later].earlier = m.earlier


@compiled
def hold(x: Messages, message: int) -> bool:
    """Return whether an earlier message of the same pair is in flight; if so, record that this one has arrived."""
    m = x.messages[message]
    other = int(x.ranks[m.source].outgoing)
    while other != message:
        if x.messages[other].destination == m.destination:
            m.phase |= HELD
            x.ranks[m.source].held += 1
            return True
        other = int(x.messages[other].later)
    return False


@compiled
def next_held(x: Messages, source: int, destination: int, after: int) -> int:
    """Return the next arrived message of this pair that was held back, listed from `after` on; NONE without any."""
    if x.ranks[source].held == 0:
        return NONE
    message = after
    while message != NONE:
        m = x.messages[message]
        if m.destination == destination:
            if m.phase & HELD:
                m.phase ^= HELD
                x.ranks[source].held -= 1
                return message
            return NONE
        message = int(m.later)
    return NONE
