"""A rank's part in a collective as dependent operations, cached, because programs repeat collectives."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from sim.schedule.collectives.registry import Algorithm
from sim.schedule.operations import RECV, SEND


class Plan(NamedTuple):
    """Operations of one rank in a collective, numbered from 0.

    Attributes
    ----------
    kinds, peers : list of int
        `SEND` or `RECV`, and the other rank.
    blocks : list of tuple of int
        Blocks of each message.
    first : list of int
        Operation k waits for `requires[first[k] : first[k + 1]]`.
    requires : list of int
        Operations of the previous round; −1: the operations for which the whole collective waits.
    last : list of int
        Operations of the last round, which end the collective.
    """

    kinds: list[int]
    peers: list[int]
    blocks: list[tuple[int, ...]]
    first: list[int]
    requires: list[int]
    last: list[int]


@lru_cache(maxsize=4096)
def plan(algorithm: Algorithm, rank: int, ranks: int, root: int, segments: int) -> Plan:
    """Return the operations of `rank` in a collective of `ranks` ranks."""
    made = Plan([], [], [], [0], [], [-1])
    for sends, receives in algorithm.rounds(rank, ranks, root, segments):
        begin = len(made.kinds)
        for kind, messages in ((RECV, receives), (SEND, sends)):
            for message in messages:
                made.kinds.append(kind)
                made.peers.append(message.peer)
                made.blocks.append(message.blocks)
                made.requires.extend(made.last)
                made.first.append(len(made.requires))
        made.last[:] = range(begin, len(made.kinds))
    return made


@lru_cache(maxsize=4096)
def planned_sizes(algorithm: Algorithm, rank: int, ranks: int, root: int, blocks: tuple[int, ...]) -> list[int]:
    """Return the bytes of each operation of a collective whose message is split into `blocks`, given by their bytes.

    If all blocks have the same size, `blocks` has this size as its only element.
    """
    of = plan(algorithm, rank, ranks, root, len(blocks))
    if len(blocks) == 1:
        return [blocks[0] * len(moved) for moved in of.blocks]
    return message_sizes(of, blocks)


def message_sizes(of: Plan, blocks: Sequence[int]) -> list[int]:
    """Return the bytes of each operation where block b has `blocks[b]` bytes."""
    return [sum([blocks[block] for block in moved]) for moved in of.blocks]
