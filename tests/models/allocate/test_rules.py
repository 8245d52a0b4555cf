"""Rules of a switch, which are functions of sets, against definitions in terms of Python's sets.

Each is one text for whole numbers and vectors. It is called for one switch and for 64; `test_faults.py` calls it as
plain Python.
"""

import itertools

import numpy as np
import pytest

from models.allocate.arbiter import orders_after, pointer_of, round_robin, row_after, row_wins, won_first, won_last
from models.allocate.switch_allocator import connected_first, not_held
from models.allocate.vc_allocator import choose_head_vc
from models.jit.compiled import compiled
from models.jit.ring_index import next_index, wrap_index
from models.jit.sets import first, order_after
from models.jit.simd import simd_load, simd_store
from models.jit.simd_type import LANES, WIDTHS
from models.state.layout import aligned
from models.transfer.output_unit import free_vcs, open_vcs, vcs_after_credit, vcs_after_spend

SIZE = 5  # members


def members(mask):
    return {n for n in range(SIZE) if int(mask) >> n & 1}


def mask_of(numbers):
    return sum(1 << n for n in numbers)


def orders():
    """All orders of an arbiter over SIZE requesters, as masks of SIZE bits."""
    return [0, *(mask_of(range(start, SIZE)) for start in range(1, SIZE + 1))]


def in_turn(requests, order):
    """The requester that is asked first: around the circle, from the pointer on."""
    pointer = min(members(order), default=0)
    turns = [(pointer + k) % SIZE for k in range(SIZE)]
    return next((1 << n for n in turns if n in members(requests)), 0)


SETS = range(1 << SIZE)
SOME = range(0, 1 << SIZE, 3)
MASKS = 0, -1
RULES = {
    "first": (first, list(itertools.product(SETS, orders())), in_turn),
    "choose_head_vc": (choose_head_vc, list(itertools.product(SETS, orders())), in_turn),
    "order_after": (
        order_after,
        list(itertools.product([0, *(1 << n for n in range(SIZE))], orders())),
        lambda granted, order: mask_of(range(min(members(granted)) + 1, SIZE)) if granted else order,
    ),
    "won_first": (
        won_first,
        list(itertools.product(SETS, SOME, SOME)),
        lambda requests, order, given: mask_of(members(requests) & members(order) - members(given)),
    ),
    "won_last": (
        won_last,
        list(itertools.product(SETS, SETS)),
        lambda requests, given: mask_of(members(requests) - members(given)),
    ),
    "orders_after": (
        orders_after,
        list(itertools.product(SOME, SETS, SOME)),
        lambda order, taken, below: mask_of(members(order) - members(taken) | members(below)),
    ),
    "row_wins": (
        row_wins,
        list(itertools.product(SETS, SETS, [1 << n for n in range(SIZE)])),
        lambda requests, row, this: (
            this if members(this) <= members(requests) and members(requests) - members(this) <= members(row) else 0
        ),
    ),
    "row_after": (
        row_after,
        list(itertools.product(SETS, [1 << n for n in range(SIZE)], [0, *(1 << n for n in range(SIZE))])),
        lambda row, this, chosen: 0 if this == chosen else mask_of(members(row) | members(chosen)),
    ),
    "open_vcs": (
        open_vcs,
        list(itertools.product(SETS, SETS, MASKS)),
        lambda credited, free, head: mask_of(n for n in members(credited) if n in members(free) or not head),
    ),
    "free_vcs": (
        free_vcs,
        list(itertools.product(SETS, SOME, SOME)),
        lambda free, claimed, ended: mask_of(members(free) - members(claimed) | members(ended)),
    ),
    "connected_first": (
        connected_first,
        list(itertools.product(SETS, [0, *(1 << n for n in range(SIZE))])),
        lambda ready, connected: connected if members(connected) & members(ready) else ready,
    ),
    "not_held": (
        not_held,
        list(itertools.product([1 << n for n in range(SIZE)], SETS, MASKS)),
        lambda output, held, connected: mask_of(range(SIZE)) if connected or not output & held else 0,
    ),
}


@compiled
def _two(rule, a, b, result):
    for n in range(len(result) // LANES):
        simd_store(result, n, rule(simd_load(a, n), simd_load(b, n)))


@compiled
def _three(rule, a, b, c, result):
    for n in range(len(result) // LANES):
        simd_store(result, n, rule(simd_load(a, n), simd_load(b, n), simd_load(c, n)))


@compiled
def _first(a, b, result):
    _two(first, a, b, result)


@compiled
def _choose_head_vc(a, b, result):
    _two(choose_head_vc, a, b, result)


@compiled
def _order_after(a, b, result):
    _two(order_after, a, b, result)


@compiled
def _won_first(a, b, c, result):
    _three(won_first, a, b, c, result)


@compiled
def _won_last(a, b, result):
    _two(won_last, a, b, result)


@compiled
def _orders_after(a, b, c, result):
    _three(orders_after, a, b, c, result)


@compiled
def _row_wins(a, b, c, result):
    _three(row_wins, a, b, c, result)


@compiled
def _row_after(a, b, c, result):
    _three(row_after, a, b, c, result)


@compiled
def _open_vcs(a, b, c, result):
    _three(open_vcs, a, b, c, result)


@compiled
def _free_vcs(a, b, c, result):
    _three(free_vcs, a, b, c, result)


@compiled
def _connected_first(a, b, result):
    _two(connected_first, a, b, result)


@compiled
def _not_held(a, b, c, result):
    _three(not_held, a, b, c, result)


VECTORS = {
    "first": _first,
    "choose_head_vc": _choose_head_vc,
    "order_after": _order_after,
    "won_first": _won_first,
    "won_last": _won_last,
    "orders_after": _orders_after,
    "row_wins": _row_wins,
    "row_after": _row_after,
    "open_vcs": _open_vcs,
    "free_vcs": _free_vcs,
    "connected_first": _connected_first,
    "not_held": _not_held,
}


def of_python(function):
    """A function as plain Python, and as it is called compiled."""
    return {"compiled": function, "python": getattr(function, "py_func", function)}


@pytest.mark.parametrize("form", ["compiled", "python"])
@pytest.mark.parametrize("name", RULES)
def test_a_rule_of_one_switch(name, form):
    rule, cases, definition = RULES[name]
    called = of_python(rule)[form]
    every = mask_of(range(SIZE))
    assert [int(called(*case)) & every for case in cases] == [definition(*case) for case in cases]
    assert len({definition(*case) for case in cases}) > 1


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", RULES)
def test_the_same_rule_of_64_switches(name, bits):
    _, cases, definition = RULES[name]
    count = -(-len(cases) // LANES)
    columns = []
    for column in zip(*cases, strict=True):
        vectors = aligned((count * LANES,), f"uint{bits}")
        vectors[: len(cases)] = np.array(column, np.int64).astype(vectors.dtype)
        columns.append(vectors)
    result = aligned((count * LANES,), f"uint{bits}")
    VECTORS[name](*columns, result)
    every = mask_of(range(SIZE))
    assert [int(number) & every for number in result[: len(cases)]] == [definition(*case) for case in cases]


def test_passes_of_many_arbiters_choose_as_one_arbiter_does():
    """Each of three arbiters, a bit each, chooses among four requesters; their orders advance alike."""
    draw = np.random.default_rng(3)
    for _ in range(500):
        requests = draw.integers(0, 16, 3)  # of each arbiter, over requesters
        pointers = draw.integers(0, 4, 3)
        asks = [mask_of(a for a in range(3) if int(requests[a]) >> i & 1) for i in range(4)]
        order = [mask_of(a for a in range(3) if 0 < pointers[a] <= i) for i in range(4)]
        given, won = 0, []
        for i in range(4):
            won.append(int(won_first(asks[i], order[i], given)))
            given |= won[-1]
        for i in range(4):
            more = int(won_last(asks[i], given))
            won[i] |= more
            given |= more
        below = 0
        for i in range(4):
            order[i] = int(orders_after(order[i], given, below))
            below |= won[i]
        for a in range(3):
            before = -1 << int(pointers[a]) if pointers[a] else 0
            chosen = first(int(requests[a]), before)
            assert mask_of(i for i in range(4) if won[i] >> a & 1) == chosen
            after = order_after(chosen, before)
            assert [order[i] >> a & 1 for i in range(4)] == [after >> i & 1 for i in range(4)]


def test_numbers_of_requesters_and_pointers():
    assert [round_robin(0b10010, -1 << start) for start in range(6)] == [1, 1, 4, 4, 4, 1]
    assert [pointer_of(order, 4) for order in (0, -2, -4, -8, -16)] == [0, 1, 2, 3, 0]


def test_vcs_with_enough_credits():
    assert [vcs_after_credit(0b101, 1, credits, 3) for credits in (2, 3, 4)] == [0b101, 0b111, 0b111]
    assert [vcs_after_spend(0b111, 1, credits, 3) for credits in (2, 3, 4)] == [0b101, 0b111, 0b111]


@pytest.mark.parametrize("size", [1, 3, 4, 5])
def test_places_of_a_ring(size):
    for place in range(size):
        assert next_index(place, size) == (place + 1) % size
        assert next_index(place, size, 0) == place
        for count in range(size):
            assert wrap_index(place + count, size) == (place + count) % size


@compiled
def _next_places(places, size, result):
    simd_store(result, 0, next_index(simd_load(places, 0), size))


@pytest.mark.parametrize(("bits", "size"), [(8, 1), (8, 7), (8, 8), (8, 255), (8, 256), (16, 257), (16, 300)])
def test_places_of_64_rings(bits, size):
    places, result = (aligned((LANES,), f"uint{bits}") for _ in range(2))
    places[:] = (np.arange(LANES) + size - LANES // 2) % size
    _next_places(places, size, result)
    assert result.tolist() == [(int(place) + 1) % size for place in places]
