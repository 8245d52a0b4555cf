"""Allocators of BookSim2's router: matchings are valid, of the size that each promises, and fair."""

import itertools

import numpy as np
import pytest

from models.booksim.iq_matching import allocate_requests
from models.booksim.iq_requests import (
    INPUT_FIRST,
    ISLIP,
    LOA,
    MAX_SIZE,
    OUTPUT_FIRST,
    PIM,
    RR_WAVEFRONT,
    WAVEFRONT,
    add_request,
    allocator,
    clear_requests,
)

KINDS = (ISLIP, OUTPUT_FIRST, INPUT_FIRST, PIM, LOA, WAVEFRONT, RR_WAVEFRONT, MAX_SIZE)
SIZE = 4


def made(kind, matrix=False, iterations=1):
    return allocator(kind, 1, SIZE, SIZE, SIZE * SIZE, matrix, iterations, np.array([99], np.uint64))


def matched(a, requests):
    """Return the matching of requests (input, output, priority)."""
    clear_requests(a)
    for number, (input_, output, priority) in enumerate(requests):
        add_request(a, input_, output, number, priority, priority)
    allocate_requests(a, 0, SIZE, SIZE)
    pairs = {(input_, int(output)) for input_, output in enumerate(a.inputs.matched) if output >= 0}
    assert pairs == {(int(input_), output) for output, input_ in enumerate(a.outputs.matched) if input_ >= 0}
    assert pairs <= {request[:2] for request in requests}
    for input_, output in pairs:
        assert requests[a.label_of[input_]][:2] == (input_, output)
    return pairs


def most(requests):
    """Return the size of the largest matching."""
    edges = {request[:2] for request in requests}
    ways = itertools.permutations(range(SIZE))
    return max(sum((input_, output) in edges for input_, output in enumerate(way)) for way in ways)


@pytest.mark.parametrize("kind", KINDS)
def test_matchings_are_valid_and_grow_with_what_the_allocator_looks_at(kind):
    rng = np.random.default_rng(kind)
    a = made(kind)
    for _ in range(60):
        wanted = np.argwhere(rng.random((SIZE, SIZE)) < 0.5).tolist()
        requests = [(input_, output, 0) for input_, output in rng.permutation(wanted).tolist()] if wanted else []
        found = matched(a, requests)
        assert bool(found) == bool(requests)
        if kind == MAX_SIZE:
            assert len(found) == most(requests)
        if kind in (WAVEFRONT, RR_WAVEFRONT):  # maximal: no request is left between a free input and a free output
            inputs, outputs = ({pair[side] for pair in found} for side in (0, 1))
            assert all(input_ in inputs or output in outputs for input_, output, _ in requests)


@pytest.mark.parametrize("kind", KINDS)
def test_every_request_is_served_in_turn(kind):
    """All inputs ask for all outputs: every pair is matched before long."""
    a, pairs = made(kind), set()
    requests = [(input_, output, 0) for input_ in range(SIZE) for output in range(SIZE)]
    for _ in range(40):
        pairs |= matched(a, requests)
    assert len(pairs) == (SIZE if kind == MAX_SIZE else SIZE * SIZE) or kind in (MAX_SIZE, LOA)
    assert {pair[0] for pair in pairs} == {pair[1] for pair in pairs} == set(range(SIZE))


@pytest.mark.parametrize("kind", [OUTPUT_FIRST, INPUT_FIRST, WAVEFRONT])
def test_a_higher_priority_goes_first(kind):
    a = made(kind)
    for _ in range(5):
        assert matched(a, [(0, 1, 0), (2, 1, 7), (3, 1, 0)]) == {(2, 1)}
    fair = made(ISLIP)
    assert {pair for _ in range(3) for pair in matched(fair, [(0, 1, 0), (2, 1, 7), (3, 1, 0)])} == {
        (0, 1),
        (2, 1),
        (3, 1),
    }


def test_matrix_arbiters_serve_the_one_that_waits_longest():
    """At reset, the highest number; a winner goes behind all others."""
    a = made(OUTPUT_FIRST, matrix=True)
    order = [next(iter(matched(a, [(0, 1, 0), (1, 1, 0), (3, 1, 0)])))[0] for _ in range(4)]
    assert order == [3, 1, 0, 3]
    assert next(iter(matched(a, [(0, 1, 0), (1, 1, 0)])))[0] == 1


def test_the_largest_matching_begins_at_the_next_input_each_time():
    """Only one of the inputs that ask for one output is served."""
    a = made(MAX_SIZE)
    order = [next(iter(matched(a, [(input_, 1, 0) for input_ in range(SIZE)])))[0] for _ in range(6)]
    assert order == [0, 1, 2, 3, 0, 1]


def test_more_iterations_match_more():
    requests = [(0, 0, 0), (0, 1, 0), (1, 1, 0)]
    sizes = [len(matched(made(ISLIP, iterations=iterations), requests)) for iterations in (1, 2)]
    assert sizes == [1, 2]
