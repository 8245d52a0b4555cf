"""Programs for tests, run on the ideal network, and their recordings, replayed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sim.messages.loggops import LogGOPS
from sim.mpi.comm import Comm
from sim.schedule.job import Job
from sim.schedule.ti.trace import TiTrace, TraceOptions
from sim.workload.ideal_executor import IdealExecutor
from sim.workload.mpi_run import ProgramOptions, run_mpi
from sim.workload.replay import replay_ideal
from sim.workload.result import WorkloadResult

SLOW = LogGOPS(L=2500, o=1500, g=1000, G=6, S=65535)
FAST = LogGOPS(L=1000, o=200, g=50, G=1, S=8192)

__all__ = ["FAST", "SLOW", "IdealExecutor", "recorded_and_replayed", "run"]


def run(
    program: Path | Callable[[Comm], Any], ranks: int, parameters: LogGOPS = SLOW, **options: Any
) -> tuple[WorkloadResult, list[Any]]:
    """Run a program on the ideal network."""
    return run_mpi(program, ranks, None, parameters, ProgramOptions(**options))


def recorded_and_replayed(
    program: Path | Callable[[Comm], Any],
    ranks: int,
    folder: Path,
    parameters: LogGOPS = SLOW,
    collectives: dict[str, str] | None = None,
) -> tuple[list[float], list[float]]:
    """Return the finishing time of each rank, in the program and in its recorded trace."""
    options = {"collectives": collectives or {}, "record": folder}
    result, _ = run(program, ranks, parameters, **options)
    trace = TiTrace(folder, TraceOptions(collectives=collectives or {}))
    replayed = replay_ideal([Job(trace)], parameters)
    assert (replayed.messages, replayed.bytes) == (result.messages, result.bytes)
    unrecorded, _ = run(program, ranks, parameters, collectives=collectives or {})
    assert unrecorded.ranks.end.tolist() == result.ranks.end.tolist()
    return result.ranks.end.tolist(), replayed.ranks.end.tolist()
