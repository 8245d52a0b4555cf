"""Enters several rounds of operations at once: those of a round wait for all of the previous round."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from sim.messages.dependencies import admit, append, connect
from sim.messages.memory import with_room
from sim.messages.state import SLOT_BITS, Messages
from sim.workload.feed import SLOT

Row = tuple[int, int, int, int]
"""Kind, peer, size and tag of an operation."""


def enter_rounds(
    x: Messages, rank: int, first: Sequence[int], rounds: Sequence[Sequence[Row]], now: int
) -> tuple[Messages, list[list[int]]]:
    """Enter operations of a rank whose ends are reported; return the message layer, enlarged, and their handles.

    Parameters
    ----------
    x : Messages
    rank : int
        Rank of the operations.
    first : sequence of int
        Handles of the round before the first, which are not done.
    rounds : sequence of rounds
        Rounds, of at least one operation each.
    now : int
        Time before which none starts.
    """
    if not rounds:
        return x, []
    sizes = [len(first), *map(len, rounds)]
    edges = sum(a * b for a, b in pairwise(sizes))
    rows = np.array([row for each in rounds for row in each], np.int64)
    x = with_room(x, len(rows), edges)
    kind, peer, size, tag = (rows[:, column].copy() for column in range(4))
    zeros, slots = np.zeros(len(rows), np.int64), np.empty(len(rows), np.int64)
    append(x, rank, kind, peer, size, tag, zeros, zeros, True, now, slots)
    before = np.array(first, np.int64) & SLOT
    to, of = [], []
    end = 0
    for count in sizes[1:]:
        here = slots[end : end + count]
        end += count
        to.append(np.repeat(here, len(before)))
        of.append(np.tile(before, count))
        before = here
    connect(x, np.concatenate(to), np.concatenate(of), np.zeros(edges, np.bool_))
    admit(x, rank, slots)
    handles = (x.operations.serial[slots] << SLOT_BITS | slots).tolist()
    ends = np.cumsum([0, *sizes[1:]]).tolist()
    return x, [handles[begin:end] for begin, end in pairwise(ends)]
