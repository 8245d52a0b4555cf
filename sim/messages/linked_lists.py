"""Doubly linked lists of slots, one per rank: what is added last comes last, and any member can be removed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.jit.compiled import compiled
from models.jit.struct_pointer import struct_pointer
from sim.messages.state import NONE


@struct_pointer
class LinkedLists(NamedTuple):
    """The lists of one kind of all ranks [R], whose members are slots [n]; a slot is in one of them at most."""

    first: np.ndarray  # int32 [R]: slot of the first member; NONE: the list is empty
    last: np.ndarray  # int32 [R]
    next: np.ndarray  # int32 [n]: slot behind each member; NONE: it is the last
    previous: np.ndarray  # int32 [n]


@compiled
def append_linked(lists: LinkedLists, rank: int, slot: int) -> None:
    """Add a slot, which is in no list of these, to the end of a rank's list."""
    before = lists.last[rank]
    lists.next[slot] = NONE
    lists.previous[slot] = before
    if before == NONE:
        lists.first[rank] = slot
    else:
        lists.next[before] = slot
    lists.last[rank] = slot


@compiled
def remove_linked(lists: LinkedLists, rank: int, slot: int) -> None:
    """Remove a slot from the list of a rank, which it is in; its own links stay as they were."""
    before, behind = lists.previous[slot], lists.next[slot]
    if before == NONE:
        lists.first[rank] = behind
    else:
        lists.next[before] = behind
    if behind == NONE:
        lists.last[rank] = before
    else:
        lists.previous[behind] = before
