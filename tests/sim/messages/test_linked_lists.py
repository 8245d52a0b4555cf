"""Doubly linked lists of slots: ends, middle, and lists of several ranks in the same arrays."""

import numpy as np

from sim.messages.linked_lists import LinkedLists, append_linked, remove_linked
from sim.messages.state import NONE


def lists(ranks, slots):
    return LinkedLists(*(np.full(n, NONE, np.int32) for n in (ranks, ranks, slots, slots)))


def members(found, rank):
    """Return the slots of a list, as read forwards; read backwards they are the same."""
    forwards, slot = [], int(found.first[rank])
    while slot != NONE:
        forwards.append(slot)
        slot = int(found.next[slot])
    backwards, slot = [], int(found.last[rank])
    while slot != NONE:
        backwards.append(slot)
        slot = int(found.previous[slot])
    assert backwards == forwards[::-1]
    return forwards


def test_what_is_appended_comes_last():
    found = lists(2, 6)
    for rank, slot in ((0, 4), (1, 0), (0, 2), (0, 5), (1, 3)):
        append_linked(found, rank, slot)
    assert members(found, 0) == [4, 2, 5]
    assert members(found, 1) == [0, 3]


def test_any_member_can_be_removed():
    for gone, left in ((4, [2, 5]), (2, [4, 5]), (5, [4, 2])):
        found = lists(2, 6)
        for slot in (4, 2, 5):
            append_linked(found, 1, slot)
        remove_linked(found, 1, gone)
        assert members(found, 1) == left
        assert members(found, 0) == []
        append_linked(found, 1, gone)
        assert members(found, 1) == [*left, gone]


def test_the_last_one_leaves_an_empty_list():
    found = lists(1, 3)
    append_linked(found, 0, 1)
    remove_linked(found, 0, 1)
    assert members(found, 0) == []
    assert (found.first[0], found.last[0]) == (NONE, NONE)
