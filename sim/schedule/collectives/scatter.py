"""Scatter: block r, which the root has, goes to rank r."""

from __future__ import annotations

from sim.schedule.collectives.registry import algorithm
from sim.schedule.collectives.rounds import Receive, Round, Rounds, Send
from sim.schedule.collectives.tree import children, parent, subtree


def binomial_scatter(relative: int, ranks: int, root: int) -> Rounds:
    """Send blocks, numbered relative to the root, down a binomial tree: each rank gets those of its subtree."""
    if relative:
        yield Round(receives=(Receive((parent(relative) + root) % ranks, tuple(subtree(relative, ranks))),))
    for child in children(relative, ranks):
        yield Round(sends=(Send((child + root) % ranks, tuple(subtree(child, ranks))),))


@algorithm("scatter", name="binomial")
def binomial(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Send each subtree of a binomial tree its blocks."""

    def absolute(blocks: tuple[int, ...]) -> tuple[int, ...]:
        return tuple((block + root) % ranks for block in blocks)

    for sends, receives in binomial_scatter((rank - root) % ranks, ranks, root):
        yield Round(
            tuple(Send(send.peer, absolute(send.blocks)) for send in sends),
            tuple(Receive(receive.peer, absolute(receive.blocks)) for receive in receives),
        )


@algorithm("scatter", name="linear")
def linear(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Let the root send to all at once."""
    if rank != root:
        yield Round(receives=(Receive(root, (rank,)),))
    elif ranks > 1:
        yield Round(tuple(Send(peer, (peer,)) for peer in range(ranks) if peer != root))
