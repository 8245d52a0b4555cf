"""Events: a binary heap, ordered by time, then by order of entry (a stamp)."""

from __future__ import annotations

from models.jit.compiled import compiled, compiled_noinline
from sim.messages.state import Messages

NEVER = 1 << 62


@compiled
def new_stamp(x: Messages) -> int:
    """Return the next stamp; a postponed event keeps its own."""
    stamp = x.clock[0].stamp
    x.clock[0].stamp = stamp + 1
    return int(stamp)


@compiled_noinline
def push(x: Messages, at: int, stamp: int, what: int, slot: int) -> None:
    """Enter an event."""
    k = x.clock[0].events
    x.clock[0].events = k + 1
    while k > 0:
        above = x.events[(k - 1) >> 1]
        if above.at < at or (above.at == at and above.stamp < stamp):
            break
        x.events[k] = above
        k = (k - 1) >> 1
    event = x.events[k]
    event.at = at
    event.stamp = stamp
    event.what = what
    event.slot = slot


@compiled
def next_at(x: Messages) -> int:
    """Return the time of the next event."""
    return int(x.events[0].at) if x.clock[0].events else NEVER


@compiled_noinline
def pop(x: Messages) -> None:
    """Remove the first event; there must be one."""
    n = x.clock[0].events - 1
    x.clock[0].events = n
    last = x.events[n]
    at = last.at
    stamp = last.stamp
    k = 0
    while True:
        child = 2 * k + 1
        if child >= n:
            break
        below = x.events[child]
        if child + 1 < n:
            other = x.events[child + 1]
            if other.at < below.at or (other.at == below.at and other.stamp < below.stamp):
                child += 1
                below = other
        if at < below.at or (at == below.at and stamp < below.stamp):
            break
        x.events[k] = below
        k = child
    x.events[k] = last
