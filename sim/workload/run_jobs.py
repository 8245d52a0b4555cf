"""Runs jobs on an executor to their end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from models.errors import TsujiError
from sim.engine.stalls.stall import StalledError
from sim.schedule.job import Job
from sim.workload.executor import Executor
from sim.workload.result import RankTimes

Play = Callable[[Executor], None]
SHOWN = 16  # most ranks that an error message names


def run_jobs(executor: Executor, jobs: Sequence[Job], play: Play | None = None) -> RankTimes:
    """Run jobs to their end; return the times of their ranks.

    Parameters
    ----------
    executor : Executor
        Executor of all ranks, at its beginning.
    jobs : sequence of Job
    play : callable or None
        Lets the executor run jobs that are not known in advance, to their end; None: run the schedules.

    Raises
    ------
    TsujiError
        If messages are not received (exit code 2), or ranks wait for ever (exit code 1).
    """
    try:
        return _run(executor, jobs, play)
    except BaseException as error:  # Ctrl-C, too
        executor.break_off(error)
        raise


def _run(executor: Executor, jobs: Sequence[Job], play: Play | None) -> RankTimes:
    """Run jobs to their end; return the times of their ranks."""
    first, starts = 0, []
    for job in jobs:
        executor.load(job.schedule, first, int(executor.start_of(job.start_ns)))
        first += job.schedule.ranks
        starts += [job.start_ns] * job.schedule.ranks
    if play is not None:
        play(executor)
    executor.run()
    sources = "; ".join(dict.fromkeys(job.schedule.source for job in jobs))
    if executor.unfinished:
        raise StalledError(_lines(f"{sources}: ranks wait for ever:", executor.waiting()))
    if lost := executor.unreceived():
        raise TsujiError(_lines(f"{sources}: messages that nobody receives:", lost))
    return RankTimes.of(executor, np.array(starts))


def _lines(start: str, lines: list[str]) -> str:
    more = [f"… and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    return "\n  ".join([start, *lines[:SHOWN], *more])
