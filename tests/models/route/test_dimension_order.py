"""Fixed ring classes: one class all the way round, that of the place where a packet enters the ring."""

import itertools

import numpy as np
import pytest

from models.route.dimension_order import (
    BY_PARITY,
    dateline_vc_class,
    dimension_order_route,
    kept_class,
    productive,
    ring_plus,
)
from models.state.route_word import DROP, route_out, route_word

RING = 8
ALL = 0b1111  # mask of dimensions that are rings


def fixed(x, y, k=RING, vcs=4, wrap=1, ties=BY_PARITY):
    return dimension_order_route(np.array([y]), 0, np.array([x]), np.array([k]), wrap, True, vcs, ties)


@pytest.mark.parametrize(
    ("x", "y", "route"),
    [
        (1, 3, (0, 0, 1)),
        (6, 1, (0, 2, 3)),  # through the wrap-around link
        (3, 1, (1, 2, 3)),
        (1, 6, (1, 0, 1)),  # through the wrap-around link
        (0, 4, (0, 0, 1)),
        (7, 3, (1, 2, 3)),
        (3, 3, (2, 0, 3)),
    ],
)
def test_a_packet_that_gets_on(x, y, route):
    assert fixed(x, y) == route


@pytest.mark.parametrize(
    ("k", "minus", "plus"),
    [
        (4, 0, [1, 1, 0]),  # half-way, 2 ahead
        (4, 1, [1, 0, 0]),
        (5, 0, [1, 1, 0, 0]),
        (5, 1, [1, 1, 0, 0]),  # no place is half-way
    ],
)
def test_the_shorter_way_round_a_ring(k, minus, plus):
    assert [ring_plus(ahead, minus, k) for ahead in range(1, k)] == plus


LOWER, UPPER = (0, 1), (2, 4)  # of five VCs


@pytest.mark.parametrize(
    ("plus", "above", "anew", "kept"),
    [
        (1, 1, UPPER, LOWER),  # 1 to 3: does not cross
        (1, 0, LOWER, UPPER),  # 6 to 1: crosses, and has not yet
        (0, 0, UPPER, UPPER),  # 3 to 1: does not cross
        (0, 1, LOWER, LOWER),  # 1 to 6: crosses
    ],
)
def test_the_vc_class_at_a_dateline(plus, above, anew, kept):
    """Of every place anew, and fixed where a packet gets on."""
    assert dateline_vc_class(plus, above, False, 5) == anew
    assert dateline_vc_class(plus, above, True, 5) == kept


@pytest.mark.parametrize(
    ("x", "y", "route"),
    [
        (7, 1, (0, 0, 1)),  # the next link is the dateline
        (0, 1, (0, 2, 3)),  # the last one was
        (0, 6, (1, 0, 1)),
        (7, 6, (1, 2, 3)),
    ],
)
def test_the_class_changes_at_the_ends_of_a_ring(x, y, route):
    there, here = np.array([y]), np.array([x])
    assert dimension_order_route(there, 0, here, np.array([RING]), 1, False, 4, BY_PARITY) == route


@pytest.mark.parametrize(("x", "y"), [(0, 4), (7, 3), (4, 0), (3, 7)])
@pytest.mark.parametrize("fixed_classes", [True, False])
def test_a_drawn_tie_goes_as_its_bit_says(x, y, fixed_classes):
    """Tie bits only for the second and fourth dimension: rings of odd length have none."""
    radix = np.array([5, RING, 3, RING])
    for ties in range(4):
        for d, bit in ((1, 0), (3, 1)):
            here, there = np.zeros((2, 4), np.int64)
            here[d], there[d] = x, y
            out, first, last = dimension_order_route(there, 0, here, radix, ALL, fixed_classes, 4, ties)
            minus = ties >> bit & 1
            assert out == 2 * d + minus
            crosses = minus ^ int(y < x)
            upper = int(y < x) if fixed_classes else 1 - crosses
            assert (first, last) == (2 * upper, 2 * upper + 1)


def test_only_ties_are_drawn():
    ways = [[fixed(x, y, ties=ties) for ties in (BY_PARITY, 0, 1)] for x in range(RING) for y in range(RING)]
    drawn = [routes for routes in ways if len(set(routes)) > 1]
    assert len(drawn) == RING


def test_an_odd_number_of_vcs_is_divided_as_ever():
    assert (fixed(1, 3, vcs=5), fixed(6, 1, vcs=5)) == ((0, 0, 1), (0, 2, 4))


@pytest.mark.parametrize(("k", "wrap"), [(3, 1), (8, 0)])
def test_no_classes_without_a_long_ring(k, wrap):
    assert {fixed(x, y, k, wrap=wrap)[1:] for x in range(k) for y in range(k)} == {(0, 3)}


@pytest.mark.parametrize("vcs", [2, 3, 5])
def test_straight_on_it_keeps_its_class(vcs):
    radix = np.array([3, 5])
    for out in range(6):
        for p in range(6):
            for v in range(vcs):
                word = int(route_word(out, 7, 9, 0))
                kept = int(kept_class(word, p, v, radix, ALL, vcs))
                if {p, out} != {2, 3}:
                    assert kept == word
                    continue
                lower, upper = (0, vcs // 2 - 1), (vcs // 2, vcs - 1)
                first, last = lower if v < vcs // 2 else upper
                assert kept == route_word(out, first, last, 0)
                assert kept_class(word | DROP, p, v, radix, ALL, vcs) == word | DROP


@pytest.mark.parametrize("k", [4, 5, 8, 9])
def test_no_class_of_a_direction_goes_all_the_way_round(k):
    """Freedom from deadlock: some link is on no path that crosses, another on no path that does not."""
    for out, lower in itertools.product((0, 1), (True, False)):
        links = set()
        for x, ties in itertools.product(range(k), (BY_PARITY, 0, 1)):
            for y in set(range(k)) - {x}:
                route = fixed(x, y, k, vcs=2, ties=ties)
                if route != (out, 1 - lower, 1 - lower):
                    continue
                here, word = x, route_word(*route, 0)
                while here != y:
                    links.add(here)
                    here = (here + 1 - 2 * out) % k
                    onward = route_word(*fixed(here, y, k, vcs=2, ties=ties), 0)
                    if here != y:
                        assert route_out(onward) == out
                        assert kept_class(onward, out ^ 1, route[1], np.array([k]), 1, 2) == word
        assert 0 < len(links) < k


def test_rows_beside_rings_have_no_classes_and_no_ties():
    """Dimensions 0 and 2 are rows: one direction, all VCs; the tie bit belongs to the ring."""
    radix, rings = np.array([4, 8, 8]), 0b010
    for d, x, y, ties in itertools.product((0, 2), range(4), range(4), (BY_PARITY, 0, 1)):
        here, there = np.zeros((2, 3), np.int64)
        here[d], there[d] = x, y
        if x != y:
            assert dimension_order_route(there, 0, here, radix, rings, False, 4, ties) == (2 * d + int(y < x), 0, 3)
    here, there = np.array([[1, 0, 5], [1, 4, 2]])
    for ties in (0, 1):
        assert dimension_order_route(there, 0, here, radix, rings, False, 4, ties)[0] == 2 + ties
    assert productive(np.array([3, 4, 0]), np.array([0, 0, 7]), radix, rings) == 0b10_11_01
    word = int(route_word(0, 0, 3, 0))
    assert int(kept_class(word, 1, 3, radix, rings, 4)) == word  # straight on in a row
