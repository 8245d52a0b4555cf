"""Reduce-scatter: rank r ends up with the combination of all ranks' block r."""

from __future__ import annotations

from sim.schedule.collectives.fold import Fold
from sim.schedule.collectives.registry import algorithm
from sim.schedule.collectives.rounds import Merge, Receive, Round, Rounds, Send, exchange, merge_from


@algorithm("reduce_scatter", name="pairwise", in_order=False)
def pairwise(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """In round i send rank + i its block and receive the own block from rank − i."""
    for step in range(1, ranks):
        to, source = (rank + step) % ranks, (rank - step) % ranks
        yield exchange(to, (to,), source, (rank,), merge_from(source, rank))


@algorithm("reduce_scatter", name="recursive_halving", in_order=False)
def recursive_halving(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Exchange half of the remaining blocks with the rank at half the distance of the previous round."""
    fold, whole = Fold.of(ranks), tuple(range(ranks))
    number = fold.number(rank)
    if number is None:
        yield Round(sends=(Send(rank + 1, whole),))
        yield Round(receives=(Receive(rank + 1, (rank,)),))
        return

    def blocks_of(number: int, width: int) -> tuple[int, ...]:
        first = number & -width
        return tuple(rank for each in range(first, first + width) for rank in fold.members(each))

    guest = fold.guest(rank)
    if guest is not None:
        yield Round(receives=(Receive(guest, whole, Merge.BEFORE),))
    for mask in reversed(fold.masks()):
        other = number ^ mask
        peer = fold.rank(other)
        yield exchange(peer, blocks_of(other, mask), peer, blocks_of(number, mask), merge_from(peer, rank))
    if guest is not None:
        yield Round(sends=(Send(guest, (guest,)),))
