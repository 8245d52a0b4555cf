"""Operations posted one by one, in answer to reports.

An operation posted in answer gets the place in the queue of events that a dependent operation would have had: it is
determined when the end of the reported operation is found, which may be before that end. Of operations posted together,
sends come first, then receives, then calculations. So a program and the equivalent schedule take the same time.
"""

from __future__ import annotations

import numpy as np

from models.jit.compiled import compiled
from sim.messages.dependencies import admit_one, take_slot
from sim.messages.state import AWAITED, NONE, PROBE, REACTIONS, SEND, Messages, handle_of, slot_of


@compiled
def post_operation(x: Messages, rank: int, kind: int, peer: int, size: int, tag: int, cpu: int, nic: int) -> int:
    """Start an operation now, have its end reported, and return its handle; NONE if there is no room."""
    clock = x.clock[0]
    if clock.free_operations == 0:
        return NONE
    op = take_slot(x, rank, kind, peer, size, tag, cpu, nic, True, clock.now)
    x.ranks[rank].alive += 1
    r = x.ranks[rank]
    if r.answer_time != clock.now:
        admit_one(x, op)
        return int(handle_of(x, op))
    later = clock.stamp
    busy = x.cpu_free[rank, cpu]
    clock.stamp = r.answer_stamp + (kind - SEND) * (REACTIONS // PROBE) + r.answers
    r.answers += 1
    x.cpu_free[rank, cpu] = r.answer_free
    admit_one(x, op)
    clock.stamp = later
    x.cpu_free[rank, cpu] = busy
    return int(handle_of(x, op))


@compiled
def await_operations(x: Messages, rank: int, handles: np.ndarray, count: int, missing: int) -> None:
    """Let a rank continue once `needed` of the first `count` operations in `handles`, none of them done, are over."""
    for k in range(count):
        x.operations[slot_of(handles[k])].watched = AWAITED
    x.ranks[rank].missing = missing
