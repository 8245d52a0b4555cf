"""Dependencies of operations: their slots, the edges between them, and the release of dependents at start and end."""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled, compiled_noinline
from sim.messages.events import new_stamp, push
from sim.messages.state import (
    AWAITED,
    NONE,
    OPERATION,
    PROBE,
    REACTIONS,
    REPORT,
    SEND,
    WATCHED,
    Messages,
    handle_of,
)


@compiled
def start(x: Messages, op: int, now: int) -> None:
    """Record that an operation starts, and release the operations that wait for its start."""
    x.operations[op].started = 1
    release_dependents(x, op, now, True)


@compiled_noinline
def release_dependents(x: Messages, op: int, at: int, on_start: bool) -> None:
    """Release the operations that require the start, or the end, of operation `op`, which is at time `at`.

    What a GOAL schedule's `irequires` names is required to start, what its `requires` names to end. An operation that
    requires nothing more is appended to `freed`; `enter_freed` enters it.
    """
    edge = int(x.operations[op].edges)
    kept = NONE
    while edge != NONE:
        following = int(x.edges[edge].next)
        if on_start and not x.edges[edge].on_start:
            x.edges[edge].next = kept
            kept = edge
        else:
            _meet_requirement(x, int(x.edges[edge].to), at)
            x.free_edges[x.clock[0].free_edges] = edge
            x.clock[0].free_edges += 1
        edge = following
    if on_start:
        # The list is reversed; operations released at an end are sorted afterwards.
        x.operations[op].edges = _reversed(x, kept)
    else:
        x.operations[op].edges = NONE


@compiled
def _reversed(x: Messages, edge: int) -> int:
    """Reverse a list of edges."""
    turned = NONE
    while edge != NONE:
        following = int(x.edges[edge].next)
        x.edges[edge].next = turned
        turned = edge
        edge = following
    return turned


@compiled
def _meet_requirement(x: Messages, op: int, at: int) -> None:
    """Record that one of the operations that `op` waits for is over."""
    operation = x.operations[op]
    operation.ready = max(operation.ready, at)
    operation.needs -= 1
    if operation.needs == 0:
        rank = x.ranks[operation.rank]
        rank.waiting -= 1
        if rank.waiting < rank.low:
            x.clock[0].hungry += 1
            rank.low = NONE  # requested once
        x.freed[x.clock[0].freed] = op
        x.clock[0].freed += 1


@compiled_noinline
def finish(x: Messages, op: int, at: int, now: int) -> None:
    """Record that an operation ends at time `at`, which may be in the future."""
    operation = x.operations[op]
    rank = x.ranks[operation.rank]
    operation.end = at
    rank.end = max(rank.end, at)
    rank.finished += 1
    rank.alive -= 1
    release_dependents(x, op, at, False)
    if operation.watched:
        stamp = new_stamp(x)
        x.clock[0].stamp += REACTIONS
        operation.free = x.cpu_free[operation.rank, operation.cpu]
        if at > now:
            push(x, at, stamp, REPORT, op)
        else:
            report(x, op, stamp)
    else:
        free_operation(x, op)


@compiled_noinline
def report(x: Messages, op: int, stamp: int) -> None:
    """Report that a watched operation is done, and free its slot; answers to it get stamps from `stamp` on."""
    operation = x.operations[op]
    entry = x.reports[x.clock[0].reports]
    x.clock[0].reports += 1
    entry.handle = handle_of(x, op)
    entry.time = operation.end
    entry.stamp = stamp
    entry.free = operation.free
    entry.tag = operation.tag
    entry.amount = operation.amount
    entry.sender = operation.match
    entry.rank = operation.rank
    entry.peer = operation.peer
    entry.kind = operation.kind
    rank = x.ranks[operation.rank]
    if rank.missing == 0:
        x.clock[0].ready += 1
    elif operation.watched == AWAITED:
        rank.missing -= 1
        if rank.missing == 0:
            x.clock[0].ready += 1
    rank.answer_time = operation.end
    if rank.answers or rank.answer_stamp < stamp:
        rank.answer_stamp = stamp
        rank.answer_free = operation.free
        rank.answers = 0
    free_operation(x, op)


@compiled
def free_operation(x: Messages, op: int) -> None:
    """Free the slot of an operation."""
    x.operations[op].serial = NONE
    x.free_operations[x.clock[0].free_operations] = op
    x.clock[0].free_operations += 1


@compiled_noinline
def enter_freed(x: Messages) -> None:
    """Enter the operations that an event released: by rank; per rank sends, receives, then calculations, as listed."""
    n = x.clock[0].freed
    x.clock[0].freed = 0
    if n == 1:
        _enter(x, int(x.freed[0]))
        return
    rank = -1
    while True:
        following = 1 << 31
        for k in range(n):
            other = int(x.operations[int(x.freed[k])].rank)
            if rank < other < following:
                following = other
        if following == 1 << 31:
            break
        rank = following
        for kind in range(SEND, PROBE + 1):
            for k in range(n):
                op = int(x.freed[k])
                if x.operations[op].kind == kind and x.operations[op].rank == rank:
                    _enter(x, op)


@compiled
def _enter(x: Messages, op: int) -> None:
    """Enter an operation that may start as soon as its rank's CPU and interface are free."""
    operation = x.operations[op]
    at = operation.ready
    if operation.kind != PROBE:
        at = max(at, x.cpu_free[operation.rank, operation.cpu])
    if operation.kind == SEND and x.k.ideal:
        at = max(at, x.send_free[operation.rank, operation.nic])
    push(x, at, new_stamp(x), OPERATION, op)


@compiled
def take_slot(
    x: Messages,
    rank: int,
    kind: int,
    peer: int,
    size: int,
    tag: int,
    cpu: int,
    nic: int,
    watched: bool,
    ready: int,
) -> int:
    """Return the slot of a new operation of a rank; a slot must be free."""
    clock = x.clock[0]
    clock.free_operations -= 1
    op = int(x.free_operations[clock.free_operations])
    operation = x.operations[op]
    operation.serial = clock.serial
    clock.serial += 1
    operation.kind = kind
    operation.rank = rank
    operation.peer = peer
    operation.amount = size
    operation.tag = tag
    operation.cpu = cpu
    operation.nic = nic
    operation.watched = WATCHED if watched else 0
    operation.started = 0
    operation.ready = ready
    operation.needs = 0
    operation.edges = NONE
    operation.match = NONE
    return op


@compiled_noinline
def append(
    x: Messages,
    rank: int,
    kind: np.ndarray,
    peer: np.ndarray,
    size: np.ndarray,
    tag: np.ndarray,
    cpu: np.ndarray,
    nic: np.ndarray,
    watched: bool,
    ready: int,
    slots: np.ndarray,
) -> None:
    """Write to `slots` the slots of new operations of a rank; there must be room. Then `connect` and `admit` them."""
    for k in range(len(kind)):
        slots[k] = take_slot(x, rank, kind[k], peer[k], size[k], tag[k], cpu[k], nic[k], watched, ready)
    x.ranks[rank].alive += len(kind)


@compiled_noinline
def connect(x: Messages, to: np.ndarray, of: np.ndarray, on_start: np.ndarray) -> None:
    """Make operations in slots `to` [m] wait for those in slots `of` [m], which are not done; there must be room."""
    clock = x.clock[0]
    for k in range(len(to) - 1, -1, -1):  # keeps lists in the order given
        if on_start[k] and x.operations[of[k]].started:
            continue
        clock.free_edges -= 1
        edge = int(x.free_edges[clock.free_edges])
        x.edges[edge].to = to[k]
        x.edges[edge].on_start = on_start[k]
        x.edges[edge].next = x.operations[of[k]].edges
        x.operations[of[k]].edges = edge
        x.operations[to[k]].needs += 1


@compiled_noinline
def admit(x: Messages, rank: int, slots: np.ndarray) -> None:
    """Let the operations of a rank start that wait for nothing."""
    for k in range(len(slots)):
        op = int(slots[k])
        if x.operations[op].needs:
            x.ranks[rank].waiting += 1
        else:
            x.freed[x.clock[0].freed] = op
            x.clock[0].freed += 1
    enter_freed(x)


@compiled
def admit_one(x: Messages, op: int) -> None:
    """Let an operation start that waits for nothing."""
    _enter(x, op)
