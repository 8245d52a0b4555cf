"""Reduce: the root ends up with the combination of all ranks' messages."""

from __future__ import annotations

from sim.schedule.collectives.registry import algorithm
from sim.schedule.collectives.rounds import Merge, Receive, Round, Rounds, Send, merge_from
from sim.schedule.collectives.tree import children, parent


@algorithm("reduce", name="binomial", in_order=False)
def binomial(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Combine up a binomial tree of ranks relative to the root, the smallest subtree first."""
    relative, whole = (rank - root) % ranks, tuple(range(segments))
    for child in reversed(children(relative, ranks)):
        yield Round(receives=(Receive((child + root) % ranks, whole, Merge.AFTER),))
    if relative:
        yield Round(sends=(Send((parent(relative) + root) % ranks, whole),))


@algorithm("reduce", name="linear")
def linear(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Let all ranks send to the root at once, which combines from its neighbours outwards."""
    whole = tuple(range(segments))
    if rank != root:
        yield Round(sends=(Send(root, whole),))
    elif ranks > 1:
        peers = [*range(root - 1, -1, -1), *range(root + 1, ranks)]
        yield Round(receives=tuple(Receive(peer, whole, merge_from(peer, rank)) for peer in peers))
