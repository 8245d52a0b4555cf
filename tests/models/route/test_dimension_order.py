"""Fixed ring classes: one class all the way round, that of the place where a packet gets on."""

import numpy as np
import pytest

from models.route.dimension_order import choose, kept_class
from models.state.route_word import DROP, route_out, route_word

RING = 8


def fixed(x, y, k=RING, vcs=4, wrap=True):
    return choose(np.array([y]), 0, np.array([x]), np.array([k]), wrap, True, vcs)


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


def test_an_odd_number_of_vcs_is_divided_as_ever():
    assert (fixed(1, 3, vcs=5), fixed(6, 1, vcs=5)) == ((0, 0, 1), (0, 2, 4))


@pytest.mark.parametrize(("k", "wrap"), [(3, True), (8, False)])
def test_no_classes_without_a_long_ring(k, wrap):
    assert {fixed(x, y, k, wrap=wrap)[1:] for x in range(k) for y in range(k)} == {(0, 3)}


@pytest.mark.parametrize("vcs", [2, 3, 5])
def test_straight_on_it_keeps_its_class(vcs):
    radix = np.array([3, 5])
    for out in range(6):
        for p in range(6):
            for v in range(vcs):
                word = int(route_word(out, 7, 9, 0))
                kept = int(kept_class(word, p, v, radix, vcs))
                if {p, out} != {2, 3}:
                    assert kept == word
                    continue
                lower, upper = (0, vcs // 2 - 1), (vcs // 2, vcs - 1)
                first, last = lower if v < vcs // 2 else upper
                assert kept == route_word(out, first, last, 0)
                assert kept_class(word | DROP, p, v, radix, vcs) == word | DROP


@pytest.mark.parametrize("k", [4, 5, 8, 9])
def test_no_class_of_a_direction_goes_all_the_way_round(k):
    """Why it is free of deadlock: some link of the ring is in no way of those who cross, one in none of the others."""
    for out in (0, 1):
        for lower in (True, False):
            links = set()
            for x in range(k):
                for y in set(range(k)) - {x}:
                    route = fixed(x, y, k, vcs=2)
                    if route != (out, 1 - lower, 1 - lower):
                        continue
                    here, word = x, route_word(*route, 0)
                    while here != y:
                        links.add(here)
                        here = (here + 1 - 2 * out) % k
                        onward = route_word(*fixed(here, y, k, vcs=2), 0)
                        if here != y:
                            assert route_out(onward) == out
                            assert kept_class(onward, out ^ 1, route[1], np.array([k]), 2) == word
            assert 0 < len(links) < k
