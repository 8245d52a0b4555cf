"""Scan: rank r ends up with the combination of the blocks 0 of ranks 0 to r."""

from __future__ import annotations

from sim.schedule.collectives.registry import Algorithm, algorithm, whole
from sim.schedule.collectives.rounds import Merge, Receive, Round, Rounds, Send


@algorithm("scan", name="recursive_doubling")
def recursive_doubling(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Send the combination so far to rank + 1, rank + 2, rank + 4, … (Hillis, Steele, 1986)."""
    distance = 1
    while distance < ranks:
        sends = (Send(rank + distance, (0,)),) if rank + distance < ranks else ()
        receives = (Receive(rank - distance, (0,), Merge.BEFORE),) if rank >= distance else ()
        if sends or receives:
            yield Round(sends, receives)
        distance *= 2


@algorithm("scan", name="linear")
def linear(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    """Pass the combination from rank to rank."""
    if rank:
        yield Round(receives=(Receive(rank - 1, (0,), Merge.BEFORE),))
    if rank < ranks - 1:
        yield Round(sends=(Send(rank + 1, (0,)),))


def _pass_on(rank: int, ranks: int, root: int, segments: int) -> Rounds:
    sends = (Send(rank + 1, (0,)),) if rank < ranks - 1 else ()
    receives = (Receive(rank - 1, (0,)),) if rank else ()
    if sends or receives:
        yield Round(sends, receives)


PASS_ON = Algorithm("exscan", "pass_on", _pass_on, whole, in_order=True)
"""Follows a scan to make it an exscan: each rank passes its result to the next rank."""
