"""Allocators that look at all requests together: lonely output, wavefront, matching of maximum size."""

from __future__ import annotations

from models.booksim.iq_requests import (
    LOA,
    MAX_SIZE,
    NOBODY,
    RR_WAVEFRONT,
    WAVEFRONT,
    Allocator,
    match,
)
from models.booksim.iq_separable import allocate_separable
from models.jit.compiled import compiled, compiled_noinline


@compiled
def allocate_requests(a: Allocator, r: int, inputs: int, outputs: int) -> None:
    """Match the requests of router `r`, whose allocator has these sizes; `label_of` has the labels of the matched."""
    if a.kind == LOA:
        _lonely_outputs(a, r, inputs, outputs)
    elif a.kind == WAVEFRONT or a.kind == RR_WAVEFRONT:
        _wavefront(a, r, max(inputs, outputs))
    elif a.kind == MAX_SIZE:
        _maximum_size(a, r, inputs, outputs)
    else:
        allocate_separable(a, r, inputs, outputs)
    for m in range(a.requests[0]):
        if a.matched_in[a.input[m]] == a.output[m]:
            a.label_of[a.input[m]] = a.label[m]


@compiled_noinline
def _lonely_outputs(a: Allocator, r: int, inputs: int, outputs: int) -> None:
    """Let each input ask for the output with the fewest requests, and each output grant one of those that ask."""
    asking = a.first_of  # not needed otherwise: of each request's output, how many requests
    for m in range(a.requests[0]):
        a.chosen_out[a.output[m]] = 0
    for m in range(a.requests[0]):
        a.chosen_out[a.output[m]] += 1
    for m in range(a.requests[0]):
        input_, before = a.input[m], a.chosen_in[a.input[m]]
        if before == NOBODY or _is_lonelier(a, r, input_, m, before, outputs):
            a.chosen_in[input_] = m
    for m in range(a.requests[0]):
        a.chosen_out[a.output[m]] = NOBODY
        asking[a.input[m]] = a.chosen_in[a.input[m]]
    for m in range(a.requests[0]):
        output, before = a.output[m], a.chosen_out[a.output[m]]
        start = a.pointers_out[r, output]
        if asking[a.input[m]] == m and (
            before == NOBODY or (a.input[m] - start) % inputs < (a.input[before] - start) % inputs
        ):
            a.chosen_out[output] = m
    for m in range(a.requests[0]):
        if a.chosen_out[a.output[m]] == m:
            match(a, m)
            a.pointers_in[r, a.input[m]] = (a.pointers_in[r, a.input[m]] + 1) % outputs
            a.pointers_out[r, a.output[m]] = (a.pointers_out[r, a.output[m]] + 1) % inputs
    for m in range(a.requests[0]):
        a.chosen_in[a.input[m]] = NOBODY
        a.chosen_out[a.output[m]] = NOBODY


@compiled
def _is_lonelier(a: Allocator, r: int, input_: int, m: int, other: int, outputs: int) -> bool:
    """Return whether the output of request `m` has fewer requests than that of `other`, or as many and comes first."""
    some, others = a.chosen_out[a.output[m]], a.chosen_out[a.output[other]]
    if some != others:
        return some < others
    start = a.pointers_in[r, input_]
    return (a.output[m] - start) % outputs < (a.output[other] - start) % outputs


@compiled_noinline
def _wavefront(a: Allocator, r: int, size: int) -> None:
    """Match requests in the order of their priorities, then of their diagonals in the matrix of `size`² requests."""
    if not a.requests[0]:
        return
    start = a.diagonal[r]
    for m in range(a.requests[0]):
        at = m
        while at > 0 and _goes_before(a, m, a.order[at - 1], start, size):
            a.order[at] = a.order[at - 1]
            at -= 1
        a.order[at] = m
    first = a.order[0]
    for at in range(a.requests[0]):
        m = a.order[at]
        if a.matched_in[a.input[m]] == NOBODY and a.matched_out[a.output[m]] == NOBODY:
            match(a, m)
    skipped = a.input[first] + a.output[first] if a.kind == RR_WAVEFRONT else start
    a.diagonal[r] = (skipped + 1) % size


@compiled
def _goes_before(a: Allocator, m: int, other: int, start: int, size: int) -> bool:
    if a.output_priority[m] != a.output_priority[other]:
        return a.output_priority[m] > a.output_priority[other]
    if a.input_priority[m] != a.input_priority[other]:
        return a.input_priority[m] > a.input_priority[other]
    one = (a.input[m] + a.output[m] - start) % size
    two = (a.input[other] + a.output[other] - start) % size
    return one < two or (one == two and a.output[m] < a.output[other])


@compiled_noinline
def _maximum_size(a: Allocator, r: int, inputs: int, outputs: int) -> None:
    """Find a matching of maximum size along shortest augmenting paths, from a first input that advances."""
    for m in range(a.requests[0]):  # sorted by input, then output
        at = m
        while at > 0 and _place(a, m, outputs) < _place(a, a.order[at - 1], outputs):
            a.order[at] = a.order[at - 1]
            at -= 1
        a.order[at] = m
    at = 0
    for input_ in range(inputs + 1):
        while at < a.requests[0] and a.input[a.order[at]] < input_:
            at += 1
        a.first_of[input_] = at
    while True:
        end = _reach_free_output(a, r, inputs)
        _forget_or_take(a, end)
        if end == NOBODY:
            break
    a.diagonal[r] = (a.diagonal[r] + 1) % inputs


@compiled
def _place(a: Allocator, m: int, outputs: int) -> int:
    return a.input[m] * outputs + a.output[m]


@compiled
def _reach_free_output(a: Allocator, r: int, inputs: int) -> int:
    """Return a free output at the end of a shortest augmenting path; `chosen_out` holds the inputs on the way."""
    some = 0
    for number in range(inputs):
        input_ = (number + a.diagonal[r]) % inputs
        if a.matched_in[input_] == NOBODY and a.first_of[input_] < a.first_of[input_ + 1]:
            a.found[0, some] = input_
            some += 1
    now = 0
    while some:
        following = 0
        for number in range(some):
            input_ = a.found[now, number]
            for at in range(a.first_of[input_], a.first_of[input_ + 1]):
                output = a.output[a.order[at]]
                if a.matched_in[input_] == output or a.chosen_out[output] != NOBODY:
                    continue
                a.chosen_out[output] = input_
                if a.matched_out[output] == NOBODY:
                    return output
                a.found[1 - now, following] = a.matched_out[output]
                following += 1
        some, now = following, 1 - now
    return NOBODY


@compiled
def _forget_or_take(a: Allocator, end: int) -> None:
    """Match along the path to output `end`, if there is one; forget the search."""
    output = end
    while output != NOBODY:
        input_ = a.chosen_out[output]
        a.matched_out[output] = input_
        output, a.matched_in[input_] = a.matched_in[input_], output
    for m in range(a.requests[0]):
        a.chosen_out[a.output[m]] = NOBODY
