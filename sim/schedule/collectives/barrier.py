"""Barrier: messages without content, such that no rank leaves before all have entered."""

from __future__ import annotations

from sim.schedule.collectives import allreduce
from sim.schedule.collectives.registry import algorithm
from sim.schedule.collectives.rounds import Receive, Round, Rounds, Send, exchange


@algorithm("barrier", name="dissemination")
def dissemination(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Send to rank + 1, rank + 2, rank + 4, … (Hensgen, Finkel, Manber, 1988)."""
    distance = 1
    while distance < ranks:
        yield exchange((rank + distance) % ranks, (), (rank - distance) % ranks, ())
        distance *= 2


@algorithm("barrier", name="recursive_doubling")
def recursive_doubling(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Exchange with the ranks at distances 1, 2, 4, …: an allreduce without data."""
    yield from allreduce.recursive_doubling(rank, ranks, root, 0)


@algorithm("barrier", name="linear")
def linear(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Send to rank 0, which then sends to all."""
    others = range(1, ranks)
    if rank:
        yield Round(sends=(Send(0, ()),))
        yield Round(receives=(Receive(0, ()),))
    elif ranks > 1:
        yield Round(receives=tuple(Receive(peer, ()) for peer in others))
        yield Round(sends=tuple(Send(peer, ()) for peer in others))
