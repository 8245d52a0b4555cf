"""VC sets against Python sets, for switches whose VCs fill a part of a word, one word, and several."""

import random

import pytest

from models.params import SwitchParams
from models.power_up import new_state
from models.state.vc_set import (
    WORD_BITS,
    any_within,
    contains,
    insert,
    numbered,
    port_of_number,
    ports_within,
    remove,
    vc_of_number,
    vc_words,
    vcs_of_port,
    vcs_within,
)

SHAPES = [(2, 1), (3, 16), (4, 16), (5, 3), (12, 4), (13, 4), (62, 1), (62, 16)]


@pytest.mark.parametrize(("ports", "vcs"), SHAPES)
def test_like_a_set(ports, vcs):
    """Random members are added and removed; all queries agree with a set of pairs."""
    st = new_state(SwitchParams(ports=ports, vcs=vcs), 2)
    draw = random.Random(ports * 100 + vcs)
    members: set[tuple[int, int]] = set()
    for _ in range(300):
        i, v, gone = draw.randrange(ports), draw.randrange(vcs), draw.randrange(2)
        if draw.random() < 0.5:
            insert(st, st.filled, 1, i, v)
            members.add((i, v))
        else:
            remove(st, st.filled, 1, i, v, gone)
            members -= {(i, v)} if gone else set()
        assert contains(st, st.filled, 1, i, v) == ((i, v) in members)
        assert vcs_within(st, st.filled, 1, i) == sum(1 << w for j, w in members if j == i)
        assert any_within(st, st.filled, 1) == bool(members)
        assert ports_within(st, st.filled, 1) == sum(1 << j for j in {j for j, _ in members})
    found = [
        numbered(word, bit)
        for word in range(vc_words(ports, vcs))
        for bit in range(WORD_BITS)
        if st.filled[1, word] >> bit & 1
    ]
    assert [(port_of_number(st, n), vc_of_number(st, n)) for n in found] == sorted(members)
    assert not st.filled[0].any()
    assert (st.filled >= 0).all()


@pytest.mark.parametrize(("ports", "vcs"), SHAPES)
def test_a_port_is_in_one_word(ports, vcs):
    """Without the VCs of a port, its word still contains those of the other ports."""
    st = new_state(SwitchParams(ports=ports, vcs=vcs))
    for i in range(ports):
        for v in range(vcs):
            insert(st, st.filled, 0, i, v)
    every = (1 << vcs) - 1
    for i in range(ports):
        n = i << st.k.vc_shift
        st.filled[0, n // WORD_BITS] &= ~vcs_of_port(st, i)
        assert [vcs_within(st, st.filled, 0, j) for j in range(ports)] == [every * (j > i) for j in range(ports)]
