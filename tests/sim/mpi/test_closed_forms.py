"""Times of programs on the ideal network, exact to the nanosecond, against the LogGOPS model by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim.messages.loggops import LogGOPS
from sim.mpi.comm import Comm
from tests.sim.mpi.programs import FAST, SLOW, run


def _one_way(p: LogGOPS, size: int) -> float:
    return 2 * p.o + p.L + (size - 1) * p.G


@pytest.mark.parametrize("parameters", [SLOW, FAST])
@pytest.mark.parametrize("size", [1, 8, 1000, 8192])
def test_ping_pong(parameters: LogGOPS, size: int) -> None:
    repeats = 5

    def program(comm: Comm) -> None:
        for _ in range(repeats):
            if comm.rank == 0:
                comm.send(None, 1, bytes=size)
                comm.recv(source=1)
            else:
                comm.recv(source=0)
                comm.send(None, 0, bytes=size)

    result, _ = run(program, 2, parameters)
    assert result.run_time_ns == 2 * repeats * _one_way(parameters, size)


@pytest.mark.parametrize("parameters", [SLOW, FAST])
@pytest.mark.parametrize("ranks", [2, 4, 8, 32])
def test_binomial_broadcast_of_a_byte(parameters: LogGOPS, ranks: int) -> None:
    # A rank sends to its largest subtree first; the next message leaves max(o, g) later, which is less than a message
    # takes. So the last rank is reached through the largest subtrees, after log2(ranks) messages one after the other.
    gap = max(parameters.o, parameters.g)
    depth = int(math.log2(ranks))
    arrival = {0: 0.0}
    for rank in range(ranks):
        start = arrival[rank]
        lowest = (rank & -rank).bit_length() - 1 if rank else depth
        for number, bit in enumerate(reversed(range(lowest))):
            arrival[rank | 1 << bit] = start + number * gap + _one_way(parameters, 1)
    result, _ = run(lambda comm: comm.bcast(None, bytes=1), ranks, parameters, collectives={"bcast": "binomial"})
    assert result.run_time_ns == max(arrival.values())
    assert max(arrival.values()) == depth * _one_way(parameters, 1)


@pytest.mark.parametrize("parameters", [SLOW, FAST])
@pytest.mark.parametrize("ranks", [2, 3, 8, 13])
def test_ring_allreduce(parameters: LogGOPS, ranks: int) -> None:
    # Each of 2 (ranks − 1) rounds takes one message from the neighbour, sent at the same time as ours.
    elements = 16 * ranks
    result, _ = run(
        lambda comm: comm.allreduce(np.zeros(elements)), ranks, parameters, collectives={"allreduce": "ring"}
    )
    assert result.run_time_ns == 2 * (ranks - 1) * _one_way(parameters, 16 * 8)
    assert result.messages == 2 * ranks * (ranks - 1)
    assert result.bytes == 2 * (ranks - 1) * elements * 8


def test_calculations_take_their_time() -> None:
    def program(comm: Comm) -> None:
        comm.compute(1.5e-6)
        comm.compute(flops=25e3)

    result, _ = run(program, 1, flops=1e10)
    assert result.run_time_ns == 1500 + 2500
    assert result.ranks.compute[0] == 4000


@pytest.mark.parametrize("ranks", [2, 5, 8, 16])
def test_dissemination_barrier(ranks: int) -> None:
    result, _ = run(lambda comm: comm.barrier(), ranks, SLOW)
    assert result.run_time_ns == math.ceil(math.log2(ranks)) * (2 * SLOW.o + SLOW.L)
