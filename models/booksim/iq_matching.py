"""Allocators that look at all requests together: lonely output, wavefront, matching of maximum size."""

from __future__ import annotations

from models.booksim.iq_requests import (
    LOA,
    MAX_SIZE,
    NOBODY,
    RR_WAVEFRONT,
    WAVEFRONT,
    Allocator,
    is_free,
    is_matched,
    match,
    supersedes,
)
from models.booksim.iq_separable import allocate_separable, choose, conclude
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
        if is_matched(a, m):
            a.label_of[a.inputs.number[m]] = a.label[m]


@compiled_noinline
def _lonely_outputs(a: Allocator, r: int, inputs: int, outputs: int) -> None:
    """Let each input ask for the output with the fewest requests, and each output grant one of those that ask."""
    one, two = a.inputs, a.outputs
    asking = two.chosen  # at first: of each output, how many requests
    for m in range(a.requests[0]):
        asking[two.number[m]] = 0
    for m in range(a.requests[0]):
        asking[two.number[m]] += 1
    for m in range(a.requests[0]):
        input_, output, before = one.number[m], two.number[m], one.chosen[one.number[m]]
        start = one.pointers[r, input_]
        if before == NOBODY or supersedes(
            output, -asking[output], two.number[before], -asking[two.number[before]], start, outputs
        ):
            one.chosen[input_] = m
    for m in range(a.requests[0]):
        two.chosen[two.number[m]] = NOBODY
    choose(a, two, one, r, inputs, True)
    conclude(a, r, inputs, outputs, False)
    for m in range(a.requests[0]):
        if is_matched(a, m):
            one.pointers[r, one.number[m]] = (one.pointers[r, one.number[m]] + 1) % outputs
            two.pointers[r, two.number[m]] = (two.pointers[r, two.number[m]] + 1) % inputs


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
        if is_free(a, m):
            match(a, m)
    skipped = a.inputs.number[first] + a.outputs.number[first] if a.kind == RR_WAVEFRONT else start
    a.diagonal[r] = (skipped + 1) % size


@compiled
def _goes_before(a: Allocator, m: int, other: int, start: int, size: int) -> bool:
    if a.outputs.priority[m] != a.outputs.priority[other]:
        return a.outputs.priority[m] > a.outputs.priority[other]
    if a.inputs.priority[m] != a.inputs.priority[other]:
        return a.inputs.priority[m] > a.inputs.priority[other]
    one = (a.inputs.number[m] + a.outputs.number[m] - start) % size
    two = (a.inputs.number[other] + a.outputs.number[other] - start) % size
    return one < two or (one == two and a.outputs.number[m] < a.outputs.number[other])


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
        while at < a.requests[0] and a.inputs.number[a.order[at]] < input_:
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
    return a.inputs.number[m] * outputs + a.outputs.number[m]


@compiled
def _reach_free_output(a: Allocator, r: int, inputs: int) -> int:
    """Return a free output at the end of a shortest augmenting path; `outputs.chosen` holds the inputs on the way."""
    some = 0
    for number in range(inputs):
        input_ = (number + a.diagonal[r]) % inputs
        if a.inputs.matched[input_] == NOBODY and a.first_of[input_] < a.first_of[input_ + 1]:
            a.found[0, some] = input_
            some += 1
    now = 0
    while some:
        following = 0
        for number in range(some):
            input_ = a.found[now, number]
            for at in range(a.first_of[input_], a.first_of[input_ + 1]):
                output = a.outputs.number[a.order[at]]
                if a.inputs.matched[input_] == output or a.outputs.chosen[output] != NOBODY:
                    continue
                a.outputs.chosen[output] = input_
                if a.outputs.matched[output] == NOBODY:
                    return output
                a.found[1 - now, following] = a.outputs.matched[output]
                following += 1
        some, now = following, 1 - now
    return NOBODY


@compiled
def _forget_or_take(a: Allocator, end: int) -> None:
    """Match along the path to output `end`, if there is one; forget the search."""
    output = end
    while output != NOBODY:
        input_ = a.outputs.chosen[output]
        a.outputs.matched[output] = input_
        output, a.inputs.matched[input_] = a.inputs.matched[input_], output
    for m in range(a.requests[0]):
        a.outputs.chosen[a.outputs.number[m]] = NOBODY
