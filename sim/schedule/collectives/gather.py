"""Gather: block r, which rank r has, goes to the root. The reverse of a scatter."""

from __future__ import annotations

from sim.schedule.collectives import scatter
from sim.schedule.collectives.registry import algorithm
from sim.schedule.collectives.rounds import Receive, Round, Rounds, Send


def _backwards(rounds: Rounds) -> Rounds:
    """Yield rounds from the last to the first, with the direction of messages reversed."""
    for sends, receives in reversed(list(rounds)):
        yield Round(
            tuple(Send(receive.peer, receive.blocks) for receive in receives),
            tuple(Receive(send.peer, send.blocks) for send in sends),
        )


@algorithm("gather", name="binomial")
def binomial(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Collect each subtree's blocks up a binomial tree."""
    yield from _backwards(scatter.binomial(rank, ranks, root, segments))


@algorithm("gather", name="linear")
def linear(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Let all ranks send to the root at once."""
    yield from _backwards(scatter.linear(rank, ranks, root, segments))
