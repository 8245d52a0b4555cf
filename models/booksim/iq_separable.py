"""Separable allocation: one side chooses among its requests, then the other side among those that are left.

Output first: each output grants one input, each input accepts one grant. Input first: each input asks for one output,
each output grants one input. iSLIP is output first, without priorities; PIM draws where its arbiters begin.
"""

from __future__ import annotations

from models.booksim.iq_random import draw
from models.booksim.iq_requests import (
    INPUT_FIRST,
    ISLIP,
    LOA,
    NOBODY,
    PIM,
    Allocator,
    Side,
    is_free,
    match,
    supersedes,
)
from models.jit.compiled import compiled, compiled_noinline


@compiled_noinline
def allocate_separable(a: Allocator, r: int, inputs: int, outputs: int) -> None:
    """Match the requests of router `r`, whose allocator has these sizes."""
    for iteration in range(a.iterations):
        if a.kind == PIM:
            _draw_pointers(a, r, inputs, outputs)
        if a.kind == INPUT_FIRST:
            choose(a, a.inputs, a.outputs, r, outputs, False)
            choose(a, a.outputs, a.inputs, r, inputs, True)
        else:
            choose(a, a.outputs, a.inputs, r, inputs, False)
            choose(a, a.inputs, a.outputs, r, outputs, True)
        conclude(a, r, inputs, outputs, iteration == 0 and a.kind != PIM)


@compiled
def _draw_pointers(a: Allocator, r: int, inputs: int, outputs: int) -> None:
    for m in range(a.requests[0]):
        a.outputs.pointers[r, a.outputs.number[m]] = draw(a.random, inputs)
        a.inputs.pointers[r, a.inputs.number[m]] = draw(a.random, outputs)


@compiled
def choose(a: Allocator, side: Side, others: Side, r: int, size: int, second: bool) -> None:
    """Let each arbiter of a side choose among the `size` others; `second`: of the requests that these chose."""
    for m in range(a.requests[0]):
        number = side.number[m]
        if not is_free(a, m) or (second and others.chosen[others.number[m]] != m):
            continue
        before = side.chosen[number]
        if before == NOBODY or _prefers(a, side, others, r, size, m, before):
            side.chosen[number] = m


@compiled
def _prefers(a: Allocator, side: Side, others: Side, r: int, size: int, m: int, other: int) -> bool:
    """Return whether an arbiter of a side, among `size` others, prefers request `m` to the request `other`."""
    number = side.number[m]
    equal = a.kind == ISLIP or a.kind == PIM or a.kind == LOA
    priority = 0 if equal else side.priority[m]
    other_priority = 0 if equal else side.priority[other]
    one, two = others.number[m], others.number[other]
    if a.matrix:
        if priority != other_priority:
            return priority > other_priority
        return side.stamps[r, number, one] < side.stamps[r, number, two]
    return supersedes(one, priority, two, other_priority, side.pointers[r, number], size)


@compiled
def conclude(a: Allocator, r: int, inputs: int, outputs: int, advance: bool) -> None:
    """Match the requests that both sides chose; their arbiters advance."""
    for m in range(a.requests[0]):
        input_, output = a.inputs.number[m], a.outputs.number[m]
        if a.inputs.chosen[input_] == m and a.outputs.chosen[output] == m:
            match(a, m)
            if advance:
                _advance(a, r, input_, output, inputs, outputs)
    for m in range(a.requests[0]):
        a.inputs.chosen[a.inputs.number[m]] = NOBODY
        a.outputs.chosen[a.outputs.number[m]] = NOBODY


@compiled
def _advance(a: Allocator, r: int, input_: int, output: int, inputs: int, outputs: int) -> None:
    if a.matrix:
        a.clock[0] += 1
        a.outputs.stamps[r, output, input_] = a.clock[0]
        a.inputs.stamps[r, input_, output] = a.clock[0]
    else:
        a.outputs.pointers[r, output] = (input_ + 1) % inputs
        a.inputs.pointers[r, input_] = (output + 1) % outputs
