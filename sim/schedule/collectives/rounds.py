"""The rounds of messages that a collective is made of, seen from one rank.

A collective moves blocks: numbered parts of what the ranks give. What a number means is said by each collective's file.
A rank goes from round to round; within one, all its messages are posted at once, and the next begins when all of them
have ended. What arrives in a round is stored, or combined with what the rank has, after the round's messages have left.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple


class Merge(Enum):
    """What becomes of a block that arrives.

    `STORE`: it is kept as it is; `BEFORE`: it is combined with the rank's own, as the left operand, since it comes from
    lower ranks; `AFTER`: as the right operand.
    """

    STORE = 0
    BEFORE = 1
    AFTER = 2


class Send(NamedTuple):
    """A message of blocks to another rank."""

    peer: int
    blocks: tuple[int, ...]


class Receive(NamedTuple):
    """A message from another rank: the blocks that it sends, and what becomes of them."""

    peer: int
    blocks: tuple[int, ...]
    merge: Merge = Merge.STORE


class Round(NamedTuple):
    """Messages that a rank posts at once, in this order: receives first."""

    sends: tuple[Send, ...] = ()
    receives: tuple[Receive, ...] = ()


Rounds = Iterator[Round]


def exchange(
    to: int, sent: tuple[int, ...], source: int, received: tuple[int, ...], merge: Merge = Merge.STORE
) -> Round:
    """Return a round of one message out and one in."""
    return Round((Send(to, sent),), (Receive(source, received, merge),))


def merge_from(peer: int, rank: int) -> Merge:
    """Return how what comes from a peer is combined so that operands stay in the order of ranks."""
    return Merge.BEFORE if peer < rank else Merge.AFTER


def split(count: int, parts: int) -> list[int]:
    """Return the sizes of nearly equal parts of a number of elements: the first ones have one more."""
    size, more = divmod(count, parts)
    return [size + (part < more) for part in range(parts)]
