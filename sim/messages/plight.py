"""Descriptions of operations that wait for each other, and of messages that no receive matched."""

from __future__ import annotations

import numpy as np

from sim.messages.state import ANY, NONE, PROBE, RECV, SEND, Messages
from sim.messages.tags import described


def waiting(x: Messages) -> list[str]:
    """Return one line for each operation that has begun and is not done: what it waits for."""
    lines = []
    told = set()
    for op in np.flatnonzero((x.operations.serial != NONE) & (x.operations.started == 1)):
        o = x.operations[op]
        who = f"rank {o.rank} waits for "
        told.add(int(o.rank))
        if o.kind in (RECV, PROBE):
            peer = "any rank" if o.peer == ANY else f"rank {o.peer}"
            lines.append(f"{who}a message from {peer}, {described(int(o.tag))}")
        elif o.kind == SEND:
            lines.append(f"{who}rank {o.peer} to receive {o.amount} bytes, {described(int(o.tag))}")
    others = (int(rank) for rank in np.flatnonzero(x.ranks.alive))
    lines += [f"rank {r} has {x.ranks.alive[r]} operations that wait for each other" for r in others if r not in told]
    return lines


def unreceived(x: Messages) -> list[str]:
    """Return one line per message that no receive matched."""
    lines = []
    for rank in range(len(x.ranks)):
        message = int(x.ranks[rank].unexpected)
        while message != NONE:
            m = x.messages[message]
            lines.append(f"rank {rank} did not receive {m.amount} bytes from rank {m.source}, {described(int(m.tag))}")
            message = int(m.next)
    return lines
