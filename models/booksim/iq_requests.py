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
class Allocator(NamedTuple):
    """Allocators of one kind, one for each router. I inputs, O outputs, M requests at most.

    Requests and matching are those of the router at work; pointers and stamps are kept for each router.
    """

    kind: int
    iterations: int
    matrix: bool
    pointers_out: np.ndarray  # int64 [routers, O]: input at which the arbiter of an output begins
    pointers_in: np.ndarray  # int64 [routers, I]: output at which the arbiter of an input begins
    stamps_out: np.ndarray  # int64 [routers, O, I]: matrix arbiters: when an output last took an input
    stamps_in: np.ndarray  # int64 [routers, I, O]
    clock: np.ndarray  # int64 [1]: the last of these stamps
    diagonal: np.ndarray  # int64 [routers]: wavefront: first diagonal; maximum size: first input
    requests: np.ndarray  # int64 [1]: their number
    input: np.ndarray  # int64 [M]
    output: np.ndarray  # int64 [M]
    label: np.ndarray  # int64 [M]
    input_priority: np.ndarray  # int64 [M]
    output_priority: np.ndarray  # int64 [M]
    matched_in: np.ndarray  # int64 [I]: the output of each input, or NOBODY
    matched_out: np.ndarray  # int64 [O]: the input of each output, or NOBODY
    label_of: np.ndarray  # int64 [I]: label of the matched request
    chosen_in: np.ndarray  # int64 [I]: scratch: a request of an input
    chosen_out: np.ndarray  # int64 [O]: scratch: a request of an output
    order: np.ndarray  # int64 [M]: scratch: requests, sorted
    first_of: np.ndarray  # int64 [I + 1]: scratch
    found: np.ndarray  # int64 [2, I]: scratch: inputs
    random: Words


def allocator(
    kind: int, routers: int, inputs: int, outputs: int, most: int, matrix: bool, iterations: int, random: Words
) -> Allocator:
    """Return the allocators of `routers` routers at reset, for at most `most` requests at a time."""
    stamped = routers if matrix else 0
    return Allocator(
        kind=kind,
        iterations=iterations,
        matrix=matrix,
        pointers_out=np.zeros((routers, outputs), np.int64),
        pointers_in=np.zeros((routers, inputs), np.int64),
        stamps_out=np.tile(-np.arange(inputs), (stamped, outputs, 1)),  # the highest number goes first
        stamps_in=np.tile(-np.arange(outputs), (stamped, inputs, 1)),
        clock=np.zeros(1, np.int64),
        diagonal=np.zeros(routers, np.int64),
        requests=np.zeros(1, np.int64),
        input=np.zeros(most, np.int64),
        output=np.zeros(most, np.int64),
        label=np.zeros(most, np.int64),
        input_priority=np.zeros(most, np.int64),
        output_priority=np.zeros(most, np.int64),
        matched_in=np.full(inputs, NOBODY),
        matched_out=np.full(outputs, NOBODY),
        label_of=np.zeros(inputs, np.int64),
        chosen_in=np.full(inputs, NOBODY),
        chosen_out=np.full(outputs, NOBODY),
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
    a.input[m] = input_
    a.output[m] = output
    a.label[m] = label
    a.input_priority[m] = input_priority
    a.output_priority[m] = output_priority


@compiled
def clear_requests(a: Allocator) -> None:
    """Forget requests and matching."""
    for m in range(a.requests[0]):
        a.matched_in[a.input[m]] = NOBODY
        a.matched_out[a.output[m]] = NOBODY
    a.requests[0] = 0


@compiled
def match(a: Allocator, m: int) -> None:
    """Match input and output of request `m`."""
    a.matched_in[a.input[m]] = a.output[m]
    a.matched_out[a.output[m]] = a.input[m]


@compiled
def supersedes(one: int, priority: int, other: int, other_priority: int, pointer: int, count: int) -> bool:
    """Return whether a request goes before another: by priority, then by the distance from the pointer."""
    if priority != other_priority:
        return priority > other_priority
    return (one - pointer + count) % count < (other - pointer + count) % count
