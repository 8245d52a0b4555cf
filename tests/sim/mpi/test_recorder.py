"""A program and its recorded trace take the same time, for each rank and to the nanosecond."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from models.errors import TsujiError
from sim.mpi.comm import Comm
from sim.mpi.request import Request
from tests.sim.mpi.programs import FAST, SLOW, recorded_and_replayed, run

ALGORITHMS = [
    {},
    {"allreduce": "ring", "bcast": "chain", "alltoall": "ring"},
    {"allreduce": "rabenseifner", "bcast": "scatter_allgather", "alltoall": "bruck", "barrier": "linear"},
    {"alltoall": "simple_spread", "reduce": "linear"},
]


class _Program:
    """Random steps, the same on all ranks; times often coincide."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self, comm: Comm) -> None:
        draw = random.Random(self._seed)
        for number in range(20):
            step = draw.choice([self._work, self._halo, self._master, self._collective, self._split])
            step(comm, draw, number)

    def _work(self, comm: Comm, draw: random.Random, number: int) -> None:
        comm.compute(draw.choice([1, 2, 4, 5.5, 10]) * 1e-6)

    def _halo(self, comm: Comm, draw: random.Random, number: int) -> None:
        rank, ranks = comm.rank, comm.size
        step, size = draw.randrange(ranks), draw.choice([8, 1000, 9000])
        one_by_one = draw.random() < 0.5
        requests = [
            comm.irecv(source=(rank - step) % ranks, tag=1),
            comm.irecv(source=(rank + step) % ranks, tag=2),
            comm.isend(np.zeros(size), (rank + step) % ranks, 1),
            comm.isend(np.zeros(size), (rank - step) % ranks, 2),
        ]
        if one_by_one:
            while any(requests):
                Request.waitany(requests)
        else:
            comm.compute(2e-6)
            Request.waitall(requests)

    def _master(self, comm: Comm, draw: random.Random, number: int) -> None:
        if comm.rank == 0:
            for _ in range(comm.size - 1):
                comm.recv(tag=100 + number)
        else:
            comm.compute(comm.rank * 7 % 5 * 1e-6)
            comm.send("x" * comm.rank, 0, tag=100 + number)

    def _collective(self, comm: Comm, draw: random.Random, number: int) -> None:
        size, root = draw.choice([1, 100, 5000]), draw.randrange(comm.size)
        kind = draw.randrange(10)
        if kind == 0:
            comm.allreduce(np.zeros(size))
        elif kind == 1:
            comm.alltoall([np.zeros(size)] * comm.size)
        elif kind == 2:
            comm.barrier()
        elif kind == 3:
            comm.bcast(np.zeros(size) if comm.rank == root else None, root)
        elif kind == 4:
            comm.reduce(np.zeros(size), root=root)
        elif kind == 5:
            comm.gather("y" * comm.rank, root)  # of different sizes, which a trace cannot record
        elif kind == 6:
            comm.scatter([np.zeros(size)] * comm.size if comm.rank == root else None, root)
        elif kind == 7:
            comm.allgather(np.zeros(size))
        elif kind == 8:
            comm.alltoallv([np.zeros((comm.rank * 3 + to) % 4 * size // 4) for to in range(comm.size)])
        else:
            comm.reduce_scatter([np.zeros(size)] * comm.size)

    def _split(self, comm: Comm, draw: random.Random, number: int) -> None:
        part = comm.Split(comm.rank % 2, comm.rank)
        assert part is not None
        part.allreduce(np.zeros(100))
        part.sendrecv(1, (part.rank + 1) % part.size, 3, None, (part.rank - 1) % part.size, 3)


@pytest.mark.parametrize("collectives", ALGORITHMS)
@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8])
def test_programs_drawn_at_random(tmp_path: Path, ranks: int, collectives: dict[str, str]) -> None:
    for seed, parameters in ((ranks, SLOW), (ranks + 100, FAST)):
        folder = tmp_path / f"{seed}"
        program, trace = recorded_and_replayed(_Program(seed), ranks, folder, parameters, collectives)
        assert program == trace


class _Overlapping:
    """Random steps, the same on all ranks, with several nonblocking operations under way."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self, comm: Comm) -> None:
        draw = random.Random(self._seed)
        pending: list[Request] = []
        for number in range(25):
            kind, size, step = draw.randrange(7), draw.choice([1, 100, 5000]), draw.randrange(comm.size)
            if kind == 0:
                comm.compute((1 + comm.rank) * 1e-6)
            elif kind == 1:
                pending.append(comm.Iallreduce(np.zeros(size), np.zeros(size)))
            elif kind == 2:
                pending.append(comm.Ibarrier())
            elif kind == 3:
                pending.append(comm.Ibcast(np.zeros(size), step))
            elif kind == 4:
                pending.append(comm.irecv(source=(comm.rank - step) % comm.size, tag=number))
                pending.append(comm.isend(np.zeros(size), (comm.rank + step) % comm.size, number))
            elif kind == 5:
                comm.allreduce(np.zeros(size))
            elif pending:
                pending.pop(draw.randrange(len(pending))).wait()
        Request.waitall(pending)


def test_of_nonblocking_collectives_the_messages_are_the_same_and_the_time_is_near(tmp_path: Path) -> None:
    ratios = []
    for seed, ranks in enumerate([2, 3, 4, 5, 8] * 4):
        program, trace = recorded_and_replayed(_Overlapping(seed), ranks, tmp_path / f"{seed}", FAST)
        ratios.append(max(trace) / max(program))
    assert 0.8 < min(ratios) <= max(ratios) < 1.2
    assert ratios.count(1.0) >= len(ratios) / 2


def test_a_collective_beside_a_nonblocking_one_is_recorded_as_its_messages(tmp_path: Path) -> None:
    def program(comm: Comm) -> None:
        request = comm.Ibarrier()
        comm.barrier()
        request.Wait()
        comm.barrier()

    run(program, 2, record=tmp_path / "t")
    lines = [line.split()[1:] for line in (tmp_path / "t" / "rank0000.txt").read_text().splitlines()]
    assert [line[0] for line in lines].count("barrier") == 1
    sent = [int(tag) for action, _, tag, *_ in (line for line in lines if line[0] == "isend") if action]
    assert len(set(sent)) == 2  # the two barriers cannot match each other


def test_lines_of_a_trace(tmp_path: Path) -> None:
    def program(comm: Comm) -> None:
        comm.compute(1e-6)
        comm.allreduce(np.zeros(3, np.int32))
        if comm.rank:
            comm.send(None, 0, tag=9, bytes=12)
        else:
            comm.recv()
        comm.alltoall([np.zeros(2)] * 2)

    run(program, 2, record=tmp_path / "t")
    assert (tmp_path / "t" / "rank0000.txt").read_text().splitlines() == [
        "0 init",
        "0 compute 10000",
        "0 allreduce 3 0 1",
        "0 irecv 1 9 12 6",
        "0 wait 1 0 9",
        "0 alltoall 2 2 0 0",
        "0 finalize",
    ]
    assert (tmp_path / "t" / "t.ti").read_text() == "t/rank0000.txt\nt/rank0001.txt\n"


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("")
    with pytest.raises(TsujiError, match="must be an empty folder, or none"):
        run(lambda comm: None, 1, record=tmp_path)
