"""Allreduce: every rank ends up with the combination of all ranks' messages, segment by segment.

Source: Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH (2005), section 4.5.
"""

from __future__ import annotations

from sim.schedule.collectives.fold import Fold
from sim.schedule.collectives.registry import algorithm, by_ranks
from sim.schedule.collectives.rounds import Merge, Receive, Round, Rounds, Send, exchange, merge_from


def _core_size(ranks: int, elements: int, size: int) -> int:
    """Split a message into as many parts as the core of the fold has ranks."""
    return Fold.of(ranks).core


@algorithm("allreduce", name="recursive_doubling")
def recursive_doubling(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Exchange the whole message with the ranks at distances 1, 2, 4, …."""
    fold, whole = Fold.of(ranks), tuple(range(segments))
    number = fold.number(rank)
    if number is None:
        yield Round(sends=(Send(rank + 1, whole),))
        yield Round(receives=(Receive(rank + 1, whole),))
        return
    guest = fold.guest(rank)
    if guest is not None:
        yield Round(receives=(Receive(guest, whole, Merge.BEFORE),))
    for mask in fold.masks():
        peer = fold.rank(number ^ mask)
        yield exchange(peer, whole, peer, whole, merge_from(peer, rank))
    if guest is not None:
        yield Round(sends=(Send(guest, whole),))


@algorithm("allreduce", name="rabenseifner", segments=_core_size)
def rabenseifner(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Reduce-scatter by recursive halving of the message, then allgather by recursive doubling."""
    fold, whole = Fold.of(ranks), tuple(range(segments))
    number = fold.number(rank)
    if number is None:
        yield Round(sends=(Send(rank + 1, whole),))
        yield Round(receives=(Receive(rank + 1, whole),))
        return
    guest = fold.guest(rank)
    if guest is not None:
        yield Round(receives=(Receive(guest, whole, Merge.BEFORE),))
    kept, left = whole, []
    for mask in fold.masks():
        peer = fold.rank(number ^ mask)
        low, high = kept[: len(kept) // 2], kept[len(kept) // 2 :]
        kept, sent = (high, low) if number & mask else (low, high)
        left.append((peer, kept, sent))
        yield exchange(peer, sent, peer, kept, merge_from(peer, rank))
    for peer, kept, sent in reversed(left):
        yield exchange(peer, kept, peer, sent)
    if guest is not None:
        yield Round(sends=(Send(guest, whole),))


@algorithm("allreduce", name="ring", segments=by_ranks, in_order=False)
def ring(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Pass segments round a ring twice, to combine and distribute: 2 (ranks − 1) rounds of 1/ranks of the message."""
    to, source = (rank + 1) % ranks, (rank - 1) % ranks
    for step in range(ranks - 1):
        yield exchange(to, ((rank - step) % ranks,), source, ((source - step) % ranks,), Merge.BEFORE)
    for step in range(ranks - 1):
        yield exchange(to, ((to - step) % ranks,), source, ((rank - step) % ranks,))
