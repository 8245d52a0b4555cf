"""Allgather: block r, which rank r has, goes to every rank."""

from __future__ import annotations

from sim.schedule.collectives.fold import Fold
from sim.schedule.collectives.registry import algorithm
from sim.schedule.collectives.rounds import Receive, Round, Rounds, Send, exchange


@algorithm("allgather", name="ring")
def ring(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """In each round pass the block received from the previous rank on to the next rank."""
    to, source = (rank + 1) % ranks, (rank - 1) % ranks
    for step in range(ranks - 1):
        yield exchange(to, ((rank - step) % ranks,), source, ((source - step) % ranks,))


@algorithm("allgather", name="recursive_doubling")
def recursive_doubling(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Exchange all blocks held with the ranks at distances 1, 2, 4, …."""
    fold = Fold.of(ranks)
    number = fold.number(rank)
    if number is None:
        yield Round(sends=(Send(rank + 1, (rank,)),))
        yield Round(receives=(Receive(rank + 1, tuple(block for block in range(ranks) if block != rank)),))
        return

    def held(number: int, width: int) -> tuple[int, ...]:
        first = number & -width
        return tuple(rank for each in range(first, first + width) for rank in fold.members(each))

    guest = fold.guest(rank)
    if guest is not None:
        yield Round(receives=(Receive(guest, (guest,)),))
    for mask in fold.masks():
        peer = fold.rank(number ^ mask)
        yield exchange(peer, held(number, mask), peer, held(number ^ mask, mask))
    if guest is not None:
        yield Round(sends=(Send(guest, tuple(block for block in range(ranks) if block != guest)),))


@algorithm("allgather", name="bruck")
def bruck(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Send all blocks held to rank − 1, rank − 2, rank − 4, … (Bruck et al., 1997)."""
    distance = 1
    while distance < ranks:
        to, source = (rank - distance) % ranks, (rank + distance) % ranks
        sent = range(min(distance, ranks - distance))
        yield exchange(
            to,
            tuple((rank + block) % ranks for block in sent),
            source,
            tuple((source + block) % ranks for block in sent),
        )
        distance *= 2
