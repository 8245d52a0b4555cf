"""Ternary entries: the first that matches has the route of the tables, for every address; and there are few."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import TsujiError
from models.params import SwitchParams
from sim.routing.adaptive import with_choices
from sim.routing.base import Tables
from sim.routing.dimension_order import DimensionOrder
from sim.routing.random_up import RandomUp
from sim.routing.ternary_entries import tags_of, ternary_entries, with_ternary_addresses
from sim.routing.up_down import UpDown
from sim.topology.dragonfly import dragonfly
from sim.topology.fat_tree import fat_tree
from sim.topology.hyperx import HyperXFamily
from sim.topology.random_regular import random_regular
from sim.topology.torus import grid


def looked_up(entries, s, tags):
    """Return the column that the lowest matching entry of switch `s` has for each tag, −1 without a match."""
    mine = entries.switch == s
    assert (entries.number[mine] == np.arange(mine.sum())).all()
    matches = (tags[:, None] ^ entries.tag[mine]) & entries.mask[mine] == 0
    columns = np.append(entries.column[mine], -1)
    return columns[np.column_stack([matches, np.ones(len(tags), np.bool_)]).argmax(axis=1)]


def check(topology, tables):
    """Assert that every address has the route of the tables, by a linear search; return the entries per switch."""
    entries = ternary_entries(topology, tables)
    assert not (entries.tag & ~entries.mask).any()
    tags = tags_of(topology, tables)
    for s in range(topology.switches):
        got, want = looked_up(entries, s, tags), np.arange(len(tags))
        assert ((got >= 0) == tables.found[s]).all()
        known = tables.found[s]
        for array in (
            tables.out,
            tables.vc_first,
            tables.vc_last,
            *([] if tables.choices is None else [tables.choices]),
        ):
            assert (array[s, got[known]] == array[s, want[known]]).all()
    return entries.per_switch(topology.switches)


@pytest.mark.parametrize(
    ("topology", "routing"),
    [
        (grid((4, 3), wrap=True), DimensionOrder()),
        (grid((4, 4, 4), wrap=True), DimensionOrder()),
        (grid((5,), wrap=True, local_ports=3), DimensionOrder()),
        (grid((4, 2), wrap=True), DimensionOrder(ties="random")),
        (HyperXFamily(radix=(4, 3), locals=2).build(), DimensionOrder()),
        (fat_tree(3, 2), RandomUp(paths=3)),
        (fat_tree(2, 4), UpDown()),
        (dragonfly(4, 1), UpDown()),
        (random_regular(13, 4, seed=2), UpDown()),
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_every_address_has_its_route(topology, routing):
    tables = routing.tables(topology, 2)
    for addressed in (topology, with_ternary_addresses(topology)):
        assert check(addressed, tables).max() <= tables.out.shape[1]


def test_choices_are_routes_of_their_own():
    topology = with_ternary_addresses(grid((4, 4), wrap=True))
    params = SwitchParams.model_validate(
        {"ports": 5, "vcs": 3, "adaptive": {"escape_vcs": 2}, "cam": {"match": "ternary"}}
    )
    check(topology, with_choices(topology, DimensionOrder().tables(topology, 2), params))


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_of_any_routes_with_any_addresses_and_some_unknown(data):
    nodes = data.draw(st.integers(2, 12))
    topology = grid((nodes,), wrap=False)
    rng = np.random.default_rng(data.draw(st.integers(0, 1 << 30)))
    topology = topology.with_addresses(rng.permutation(40)[:nodes])
    shape = nodes, nodes
    outs = data.draw(st.sampled_from([1, 2, 3]))
    tables = Tables(
        out=rng.integers(0, outs, shape).astype(np.int8),
        vc_first=np.zeros(shape, np.int8),
        vc_last=rng.integers(0, 2, shape).astype(np.int8),
        found=rng.random(shape) < data.draw(st.sampled_from([1.0, 0.9, 0.3])),
    )
    check(topology, tables)


def fewest(routes):
    """Return the fewest prefixes for routes of 0 to len − 1, by trying every choice at every node of the tree."""

    def cost(low, high, above):
        best = None
        for own in {None, *routes[low:high]}:
            here = above if own is None else own
            if high - low == 1:
                total = (own is not None) if here == routes[low] else None
            else:
                middle = (low + high) // 2
                parts = cost(low, middle, here), cost(middle, high, here)
                total = None if None in parts else sum(parts) + (own is not None)
            best = total if best is None else best if total is None else min(best, total)
        return best

    return cost(0, len(routes), None)


def test_no_prefixes_are_fewer():
    """On a line of nodes the bits have two orders: as many entries as an exhaustive search finds in the better one."""
    topology = grid((4,), wrap=False)
    for routes in product(range(3), repeat=4):
        one = np.array([routes] * 4, np.int8)
        none = np.zeros_like(one)
        tables = Tables(out=one, vc_first=none, vc_last=none, found=np.ones(one.shape, np.bool_))
        lowest_bit_first = [routes[0], routes[2], routes[1], routes[3]]
        assert (check(topology, tables) == min(fewest(routes), fewest(lowest_bit_first))).all(), routes


def test_more_routes_than_a_word_of_a_set_has_bits():
    topology = grid((130,), wrap=False)
    rows = np.tile(np.arange(130) // 2, (130, 1))
    tables = Tables(
        out=(rows % 16).astype(np.int8),
        vc_first=np.zeros(rows.shape, np.int8),
        vc_last=(rows // 16).astype(np.int8),
        found=np.ones(rows.shape, np.bool_),
    )
    assert (check(topology, tables) == 65).all()


def test_a_subtree_is_one_prefix():
    """In a k-ary n-tree, a root switch has an entry per subtree; those below, some more for the links up."""
    arity, levels = 4, 3
    topology = fat_tree(arity, levels)
    counts = check(topology, UpDown().tables(topology, 2))
    assert topology.nodes == arity**levels
    assert (counts[-(arity ** (levels - 1)) :] == arity).all()
    assert arity < counts.max() < topology.nodes / 2


@pytest.mark.parametrize(("radix", "most"), [((8, 8), 20), ((5, 5, 5), 30), ((16, 16), 34)])
def test_a_torus_needs_entries_per_dimension_not_per_node(radix, most):
    topology = with_ternary_addresses(grid(radix, wrap=True))
    assert check(topology, DimensionOrder().tables(topology, 2)).max() <= most
    plain = ternary_entries(grid(radix, wrap=True), DimensionOrder().tables(topology, 2))
    assert (
        plain.per_switch(topology.switches).max()
        >= ternary_entries(topology, DimensionOrder().tables(topology, 2)).per_switch(topology.switches).max()
    )


def test_a_hyperx_needs_entries_per_dimension():
    topology = with_ternary_addresses(HyperXFamily(radix=(4, 4, 4), locals=2).build())
    assert check(topology, DimensionOrder().tables(topology, 2)).max() <= 3 * 3 + 2


def test_an_unknown_destination_is_in_no_entry():
    """What a switch cannot reach it drops, though all its neighbours in number have one route."""
    topology = fat_tree(2, 3)
    tables = UpDown().tables(topology, 2)
    found = tables.found.copy()
    found[:, 5] = False
    entries = ternary_entries(topology, replace(tables, found=found))
    assert not ((5 ^ entries.tag) & entries.mask == 0).any()
    check(topology, replace(tables, found=found))


def test_addresses_beyond_a_tree_are_refused():
    topology = grid((4,), wrap=False).with_addresses([0, 1, 2, 1 << 20])
    with pytest.raises(TsujiError, match=r'cam\.match = "ternary": addresses have 21 bits; at most 20'):
        ternary_entries(topology, DimensionOrder().tables(topology, 2))
