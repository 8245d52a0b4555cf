"""The rounds of messages of a collective, as seen from one rank.

A collective moves blocks: numbered parts of the ranks' data. Each collective's file says what the numbers mean. A rank
posts all messages of a round together, and the next round begins when all of them have ended. Blocks that arrive in a
round are stored, or combined with the rank's own, after the round's messages have left.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple


class Merge(Enum):
    """Treatment of a block that arrives.

    `STORE`: stored as it is; `BEFORE`: combined with the rank's own as the left operand, because it comes from lower
    ranks; `AFTER`: as the right operand.
    """

    STORE = 0
    BEFORE = 1
    AFTER = 2


class Send(NamedTuple):
    """A message of blocks to another rank."""

    peer: int
    blocks: tuple[int, ...]


class Receive(NamedTuple):
    """A message from another rank: its blocks, and their treatment."""

    peer: int
    blocks: tuple[int, ...]
    merge: Merge = Merge.STORE


class Round(NamedTuple):
    """Messages that a rank posts together, in this order: receives first."""

    sends: tuple[Send, ...] = ()
    receives: tuple[Receive, ...] = ()


Rounds = Iterator[Round]


def exchange(
    to: int, sent: tuple[int, ...], source: int, received: tuple[int, ...], merge: Merge = Merge.STORE
) -> Round:
    """Return a round of one message sent and one received."""
    return Round((Send(to, sent),), (Receive(source, received, merge),))


def merge_from(peer: int, rank: int) -> Merge:
    """Return how a block from `peer` is combined so that operands stay in the order of ranks."""
    return Merge.BEFORE if peer < rank else Merge.AFTER


def split(count: int, parts: int) -> list[int]:
    """Return the sizes of `parts` nearly equal parts of `count` elements; the first ones have one more."""
    size, more = divmod(count, parts)
    return [size + (part < more) for part in range(parts)]
