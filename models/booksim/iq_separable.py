"""Separable allocation: one side chooses among its requests, then the other side among those that are left.

Output first: each output grants one input, each input accepts one grant. Input first: each input asks for one output,
each output grants one input. iSLIP is output first, without priorities; PIM draws where its arbiters begin.
"""

from __future__ import annotations

import numpy as np

from models.booksim.iq_random import draw
from models.booksim.iq_requests import INPUT_FIRST, ISLIP, NOBODY, PIM, Allocator, match, supersedes
from models.jit.compiled import compiled, compiled_noinline


@compiled_noinline
def allocate_separable(a: Allocator, r: int, inputs: int, outputs: int) -> None:
    """Match the requests of router `r`, whose allocator has these sizes."""
    for iteration in range(a.iterations):
        if a.kind == PIM:
            _draw_pointers(a, r, inputs, outputs)
        if a.kind == INPUT_FIRST:
            _choose_by_inputs(a, r, outputs, False)
            _choose_by_outputs(a, r, inputs, True)
        else:
            _choose_by_outputs(a, r, inputs, False)
            _choose_by_inputs(a, r, outputs, True)
        _conclude(a, r, inputs, outputs, iteration == 0 and a.kind != PIM)


@compiled
def _draw_pointers(a: Allocator, r: int, inputs: int, outputs: int) -> None:
    for m in range(a.requests[0]):
        a.pointers_out[r, a.output[m]] = draw(a.random, inputs)
        a.pointers_in[r, a.input[m]] = draw(a.random, outputs)


@compiled
def _is_free(a: Allocator, m: int) -> bool:
    return a.matched_in[a.input[m]] == NOBODY and a.matched_out[a.output[m]] == NOBODY


@compiled
def _choose_by_outputs(a: Allocator, r: int, inputs: int, second: bool) -> None:
    """Let each output choose a request; `second`: of those that their inputs chose."""
    for m in range(a.requests[0]):
        output = a.output[m]
        if not _is_free(a, m) or (second and a.chosen_in[a.input[m]] != m):
            continue
        before = a.chosen_out[output]
        at = (r, output, inputs)
        if before == NOBODY or _prefers(a, a.stamps_out, a.pointers_out, a.output_priority, a.input, at, m, before):
            a.chosen_out[output] = m


@compiled
def _choose_by_inputs(a: Allocator, r: int, outputs: int, second: bool) -> None:
    """Let each input choose a request; `second`: of those that their outputs chose."""
    for m in range(a.requests[0]):
        input_ = a.input[m]
        if not _is_free(a, m) or (second and a.chosen_out[a.output[m]] != m):
            continue
        before = a.chosen_in[input_]
        at = (r, input_, outputs)
        if before == NOBODY or _prefers(a, a.stamps_in, a.pointers_in, a.input_priority, a.output, at, m, before):
            a.chosen_in[input_] = m


@compiled
def _prefers(
    a: Allocator,
    stamps: np.ndarray,
    pointers: np.ndarray,
    priorities: np.ndarray,
    others: np.ndarray,
    at: tuple[int, int, int],
    m: int,
    other: int,
) -> bool:
    """Return whether an arbiter of one side prefers request `m` to the request `other`.

    Parameters
    ----------
    a : Allocator
    stamps, pointers, priorities : array
        Those of the arbiter's side.
    others : array
        The number of each request on the other side.
    at : tuple of (int, int, int)
        Router, number of the arbiter, size of the other side.
    m, other : int
        The requests.
    """
    r, number, size = at
    equal = a.kind == ISLIP or a.kind == PIM
    priority = 0 if equal else priorities[m]
    other_priority = 0 if equal else priorities[other]
    if a.matrix:
        if priority != other_priority:
            return priority > other_priority
        return stamps[r, number, others[m]] < stamps[r, number, others[other]]
    return supersedes(others[m], priority, others[other], other_priority, pointers[r, number], size)


@compiled
def _conclude(a: Allocator, r: int, inputs: int, outputs: int, advance: bool) -> None:
    """Match the requests that both sides chose; their arbiters advance."""
    for m in range(a.requests[0]):
        input_, output = a.input[m], a.output[m]
        if a.chosen_in[input_] == m and a.chosen_out[output] == m:
            match(a, m)
            if advance:
                _advance(a, r, input_, output, inputs, outputs)
    for m in range(a.requests[0]):
        a.chosen_in[a.input[m]] = NOBODY
        a.chosen_out[a.output[m]] = NOBODY


@compiled
def _advance(a: Allocator, r: int, input_: int, output: int, inputs: int, outputs: int) -> None:
    if a.matrix:
        a.clock[0] += 1
        a.stamps_out[r, output, input_] = a.clock[0]
        a.stamps_in[r, input_, output] = a.clock[0]
    else:
        a.pointers_out[r, output] = (input_ + 1) % inputs
        a.pointers_in[r, input_] = (output + 1) % outputs
