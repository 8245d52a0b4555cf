"""Broadcast: the root's message, in segments, goes to every rank.

Trees and chains are built from ranks relative to the root.
"""

from __future__ import annotations

from sim.schedule.collectives.registry import algorithm, by_ranks
from sim.schedule.collectives.rounds import Receive, Round, Rounds, Send, exchange
from sim.schedule.collectives.scatter import binomial_scatter
from sim.schedule.collectives.tree import children, parent

SEGMENT = 8192
"""Bytes of a segment of the pipelined chain."""


def _by_bytes(ranks: int, elements: int, size: int) -> int:
    """Split a message into segments of `SEGMENT` bytes."""
    return max(1, -(-elements * size // SEGMENT))


@algorithm("bcast", name="binomial")
def binomial(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Send the whole message down a binomial tree, to the largest subtree first."""
    relative, whole = (rank - root) % ranks, tuple(range(segments))
    if relative:
        yield Round(receives=(Receive((parent(relative) + root) % ranks, whole),))
    for child in children(relative, ranks):
        yield Round(sends=(Send((child + root) % ranks, whole),))


@algorithm("bcast", name="scatter_allgather", segments=by_ranks)
def scatter_allgather(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Scatter segments down a binomial tree, then gather all by a ring (van de Geijn)."""
    relative = (rank - root) % ranks
    yield from binomial_scatter(relative, ranks, root)
    to, source = (rank + 1) % ranks, (rank - 1) % ranks
    for step in range(ranks - 1):
        yield exchange(to, ((relative - step) % ranks,), source, ((relative - 1 - step) % ranks,))


@algorithm("bcast", name="chain", segments=_by_bytes)
def chain(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Pass segments along a chain; a rank receives a segment while it sends the previous one."""
    relative = (rank - root) % ranks
    for step in range(segments + 1):
        sends: tuple[Send, ...] = ()
        receives: tuple[Receive, ...] = ()
        if relative < ranks - 1 and (forwarded := step - (relative > 0)) in range(segments):
            sends = (Send((rank + 1) % ranks, (forwarded,)),)
        if relative and step < segments:
            receives = (Receive((rank - 1) % ranks, (step,)),)
        if sends or receives:
            yield Round(sends, receives)
