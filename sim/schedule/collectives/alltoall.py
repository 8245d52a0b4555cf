"""All-to-all: block source · ranks + destination goes from its source to its destination.

`pairwise`, `ring` and `simple_spread` send each block directly to its destination, so they also serve parts of
different sizes (alltoallv). They are the three that paper B runs (section 4), under the names of STAR-MPI (Faraj, Yuan,
2005).
"""

from __future__ import annotations

from sim.schedule.collectives.registry import algorithm
from sim.schedule.collectives.rounds import Receive, Round, Rounds, Send, exchange


@algorithm("alltoall", "alltoallv", name="pairwise")
def pairwise(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Exchange with one partner per round: rank XOR round; (round − rank) mod ranks if ranks is no power of two."""
    power = ranks & (ranks - 1) == 0
    for step in range(power, ranks):
        peer = rank ^ step if power else (step - rank) % ranks
        if peer != rank:
            yield exchange(peer, (rank * ranks + peer,), peer, (peer * ranks + rank,))


@algorithm("alltoall", "alltoallv", name="ring")
def ring(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """In round i send to rank + i and receive from rank − i."""
    for step in range(1, ranks):
        to, source = (rank + step) % ranks, (rank - step) % ranks
        yield exchange(to, (rank * ranks + to,), source, (source * ranks + rank,))


@algorithm("alltoall", "alltoallv", name="simple_spread")
def simple_spread(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Post all messages together, in the order of destinations rank + 1, rank + 2, …."""
    if ranks > 1:
        to = [(rank + step) % ranks for step in range(1, ranks)]
        sources = [(rank - step) % ranks for step in range(1, ranks)]
        yield Round(
            tuple(Send(peer, (rank * ranks + peer,)) for peer in to),
            tuple(Receive(peer, (peer * ranks + rank,)) for peer in sources),
        )


@algorithm("alltoall", name="bruck")
def bruck(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """In round i move all blocks with bit i set in their distance by 2^i ranks, in one message (Bruck et al., 1997)."""

    def leaving(holder: int, mask: int) -> tuple[int, ...]:
        blocks = []
        for distance in range(1, ranks):
            if distance & mask:
                source = (holder - distance % mask) % ranks
                blocks.append(source * ranks + (source + distance) % ranks)
        return tuple(blocks)

    mask = 1
    while mask < ranks:
        to, source = (rank + mask) % ranks, (rank - mask) % ranks
        yield exchange(to, leaving(rank, mask), source, leaving(source, mask))
        mask *= 2
