"""The training step in examples/goal is that of examples/mpi."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sim.messages.loggops import LogGOPS
from sim.schedule.goal import read_goal
from sim.schedule.job import Job
from sim.schedule.operations import SEND
from sim.workload.mpi_run import ProgramOptions, run_mpi
from sim.workload.replay import replay_ideal

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
WRITER = EXAMPLES / "goal" / "transformer_step.py"
IDEAL = LogGOPS(L=2500, o=1500, g=1000, G=6, S=65535)


def written(*arguments: int) -> str:
    command = [sys.executable, str(WRITER), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_schedule_is_what_its_writer_writes() -> None:
    assert written() == WRITER.with_suffix(".goal").read_text()


@pytest.mark.parametrize(
    ("data", "tensor", "stages", "batches", "layers"),
    [(2, 2, 2, 4, 2), (1, 4, 2, 3, 1), (4, 1, 1, 2, 2), (1, 1, 3, 4, 1)],
)
def test_program_and_schedule_do_the_same(
    tmp_path: Path, data: int, tensor: int, stages: int, batches: int, layers: int
) -> None:
    """The same messages, calculations and time, to the nanosecond, after the program has made its communicators."""
    path = tmp_path / "step.goal"
    path.write_text(written(data, tensor, stages, batches, layers, 64, 32))
    schedule = read_goal(path)
    goal = replay_ideal([Job(schedule)], IDEAL)
    arguments = [str(each) for each in (data, tensor, batches, layers, 64, 32)]
    options = ProgramOptions(arguments=arguments, flops=1e12)
    program, _ = run_mpi(EXAMPLES / "mpi" / "transformer_step.py", data * tensor * stages, None, IDEAL, options)
    ranks = data * tensor * stages
    set_up = 2 * ranks * (ranks - 1)  # two splits, each an all-gather of 8 bytes
    assert (program.messages - set_up, program.bytes - 8 * set_up) == (goal.messages, goal.bytes)
    assert goal.ranks.compute.tolist() == program.ranks.compute.tolist()
    alone = sum(int((each.kind == SEND).sum()) for each in schedule.operations)
    assert alone == goal.messages
    each = IDEAL.o + IDEAL.L + 7 * IDEAL.G + IDEAL.o  # a round of the set-up: 8 bytes from each rank to the next
    assert program.run_time_ns == goal.run_time_ns + 2 * (ranks - 1) * each
