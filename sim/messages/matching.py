"""Matching of messages with receives.

A rank's receives are queued in the order in which they were posted, unexpected messages in order of arrival; each new
one matches the first fitting one of the other queue. Messages of one pair of ranks are matched in the order in which
they were sent (MPI 4.1, section 3.5: non-overtaking): a message that the network delivers before an earlier one is held
back.
"""

from __future__ import annotations

from models.jit.compiled import compiled, compiled_noinline
from sim.messages.linked_lists import LinkedLists, append_linked, remove_linked
from sim.messages.state import ANY, HELD, NONE, Messages
from sim.messages.tags import ANY_IN_CONTEXT, CONTEXT_BITS


@compiled
def receive_takes(x: Messages, message: int, source: int, tag: int) -> bool:
    """Return whether a receive with this source and tag matches a message."""
    m = x.messages[message]
    return (source == ANY or source == m.source) and receive_takes_tag(tag, m.tag)


@compiled
def receive_takes_tag(wanted: int, tag: int) -> bool:
    """Return whether a receive's tag matches a message's; `ANY` below a context matches all tags of the context."""
    if wanted == ANY:
        wanted = ANY_IN_CONTEXT
    return wanted == tag or (wanted & ANY_IN_CONTEXT == ANY_IN_CONTEXT and (wanted ^ tag) >> CONTEXT_BITS == 0)


@compiled
def _receives(x: Messages) -> LinkedLists:
    """Return the lists of receives without a message, one per rank, in the order in which they were posted."""
    return LinkedLists(x.ranks.receives, x.ranks.last_receive, x.operations.next, x.operations.previous)


@compiled
def _unexpected(x: Messages) -> LinkedLists:
    """Return the lists of messages without a receive, one per destination rank, in the order in which they came."""
    return LinkedLists(x.ranks.unexpected, x.ranks.last_unexpected, x.messages.next, x.messages.previous)


@compiled
def _outgoing(x: Messages) -> LinkedLists:
    """Return the lists of messages that have not arrived, one per source rank, in the order in which they were sent."""
    return LinkedLists(x.ranks.outgoing, x.ranks.last_outgoing, x.messages.later, x.messages.earlier)


@compiled
def append_receive(x: Messages, op: int) -> None:
    """Append a receive to the list of its rank's posted receives."""
    append_linked(_receives(x), x.operations[op].rank, op)


@compiled
def remove_receive(x: Messages, op: int) -> None:
    """Remove a receive from the list."""
    remove_linked(_receives(x), x.operations[op].rank, op)


@compiled
def find_receive(x: Messages, message: int) -> int:
    """Remove and return the first receive that matches a message; NONE if there is none."""
    op = int(x.ranks[x.messages[message].destination].receives)
    while op != NONE:
        operation = x.operations[op]
        if receive_takes(x, message, operation.peer, operation.tag):
            remove_receive(x, op)
            return op
        op = int(operation.next)
    return NONE


@compiled
def append_unexpected(x: Messages, message: int) -> None:
    """Append a message to the list of unexpected messages."""
    append_linked(_unexpected(x), x.messages[message].destination, message)


@compiled
def remove_unexpected(x: Messages, message: int) -> None:
    """Remove a message from the list."""
    remove_linked(_unexpected(x), x.messages[message].destination, message)


@compiled_noinline
def find_unexpected(x: Messages, rank: int, source: int, tag: int) -> int:
    """Return the first unexpected message that a receive matches, without removing it; NONE if there is none."""
    message = int(x.ranks[rank].unexpected)
    while message != NONE:
        if receive_takes(x, message, source, tag):
            return message
        message = int(x.messages[message].next)
    return NONE


@compiled
def append_outgoing(x: Messages, message: int) -> None:
    """Record that a message is in flight."""
    append_linked(_outgoing(x), x.messages[message].source, message)


@compiled
def remove_outgoing(x: Messages, message: int) -> None:
    """Note that a message has arrived, and those before it."""
    remove_linked(_outgoing(x), x.messages[message].source, message)


@compiled
def hold_overtaking(x: Messages, message: int) -> bool:
    """Return whether an earlier message of the same pair is still on its way; then note that this one has arrived."""
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
