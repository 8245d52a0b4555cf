"""Requests of the inputs of an allocator for its outputs, and the matching that the allocator finds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.booksim.iq_random import Words
from models.jit.compiled import compiled
from models.jit.struct_pointer import struct_pointer

ISLIP, OUTPUT_FIRST, INPUT_FIRST, PIM, LOA, WAVEFRONT, RR_WAVEFRONT, MAX_SIZE = range(8)
NOBODY = -1


@struct_pointer
class Side(NamedTuple):
    """The inputs or the outputs of allocators: N of them, and O on the other side. M requests at most."""

    number: np.ndarray  # int64 [M]: which of this side a request is of
    priority: np.ndarray  # int64 [M]: of a request, at this side
    matched: np.ndarray  # int64 [N]: number on the other side, or NOBODY
    chosen: np.ndarray  # int64 [N]: scratch: a request
    pointers: np.ndarray  # int64 [routers, N]: number on the other side at which an arbiter begins
    stamps: np.ndarray  # int64 [routers, N, O]: matrix arbiters: when one last took which of the other side


@struct_pointer
class Allocator(NamedTuple):
    """Allocators of one kind, one for each router. I inputs, O outputs, M requests at most.

    Requests and matching are those of the router at work; pointers and stamps are kept for each router.
    """

    kind: int
    iterations: int
    matrix: bool
    inputs: Side
    outputs: Side
    clock: np.ndarray  # int64 [1]: the last stamp of matrix arbiters
    diagonal: np.ndarray  # int64 [routers]: wavefront: first diagonal; maximum size: first input
    requests: np.ndarray  # int64 [1]: their number
    label: np.ndarray  # int64 [M]
    label_of: np.ndarray  # int64 [I]: label of the matched request
    order: np.ndarray  # int64 [M]: scratch: requests, sorted
    first_of: np.ndarray  # int64 [I + 1]: scratch
    found: np.ndarray  # int64 [2, I]: scratch: inputs
    random: Words


def allocator(
    kind: int, routers: int, inputs: int, outputs: int, most: int, matrix: bool, iterations: int, random: Words
) -> Allocator:
    """Return the allocators of `routers` routers at reset, for at most `most` requests at a time."""

    def side(count: int, others: int) -> Side:
        return Side(
            number=np.zeros(most, np.int64),
            priority=np.zeros(most, np.int64),
            matched=np.full(count, NOBODY),
            chosen=np.full(count, NOBODY),
            pointers=np.zeros((routers, count), np.int64),
            stamps=np.tile(-np.arange(others), (routers * matrix, count, 1)),  # the highest number goes first
        )

    return Allocator(
        kind=kind,
        iterations=iterations,
        matrix=matrix,
        inputs=side(inputs, outputs),
        outputs=side(outputs, inputs),
        clock=np.zeros(1, np.int64),
        diagonal=np.zeros(routers, np.int64),
        requests=np.zeros(1, np.int64),
        label=np.zeros(most, np.int64),
        label_of=np.zeros(inputs, np.int64),
        order=np.zeros(most, np.int64),
        first_of=np.zeros(inputs + 1, np.int64),
        found=np.zeros((2, inputs), np.int64),
        random=random,
    )


@compiled
def add_request(a: Allocator, input_: int, output: int, label: int, input_priority: int, output_priority: int) -> None:
    """Enter a request, the only one of its input for this output."""
    m = a.requests[0]
    a.requests[0] = m + 1
    a.inputs.number[m] = input_
    a.outputs.number[m] = output
    a.label[m] = label
    a.inputs.priority[m] = input_priority
    a.outputs.priority[m] = output_priority


@compiled
def clear_requests(a: Allocator) -> None:
    """Forget requests and matching."""
    for m in range(a.requests[0]):
        a.inputs.matched[a.inputs.number[m]] = NOBODY
        a.outputs.matched[a.outputs.number[m]] = NOBODY
    a.requests[0] = 0


@compiled
def match(a: Allocator, m: int) -> None:
    """Match input and output of request `m`."""
    input_, output = a.inputs.number[m], a.outputs.number[m]
    a.inputs.matched[input_] = output
    a.outputs.matched[output] = input_


@compiled
def is_matched(a: Allocator, m: int) -> bool:
    """Return whether input and output of request `m` are matched with each other."""
    return a.inputs.matched[a.inputs.number[m]] == a.outputs.number[m]


@compiled
def is_free(a: Allocator, m: int) -> bool:
    """Return whether neither input nor output of request `m` is matched."""
    input_, output = a.inputs.number[m], a.outputs.number[m]
    return a.inputs.matched[input_] == NOBODY and a.outputs.matched[output] == NOBODY


@compiled
def supersedes(one: int, priority: int, other: int, other_priority: int, pointer: int, count: int) -> bool:
    """Return whether a request goes before another: by priority, then by the distance from the pointer."""
    if priority != other_priority:
        return priority > other_priority
    return (one - pointer + count) % count < (other - pointer + count) % count
