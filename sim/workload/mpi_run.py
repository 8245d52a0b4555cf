"""Runs a program on the network of a configuration, or on the ideal network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.errors import TsujiError
from sim.config import Config
from sim.lib.array_check import check_int
from sim.lib.interruption import end_of_run, note_end
from sim.lib.progress import report as report_progress
from sim.messages.loggops import LogGOPS
from sim.mpi.operation_log import OperationLog
from sim.mpi.program import Program, run_program
from sim.mpi.recorder import Recorder
from sim.mpi.world import World
from sim.schedule.job import Job
from sim.schedule.operations import Operations
from sim.schedule.ti.timed_part import WHOLE, TimedPart
from sim.schedule.ti.trace import FLOPS
from sim.workload.executor import Executor
from sim.workload.replay import NOTHING, Records, replay_ideal
from sim.workload.replay import replay as replay_on
from sim.workload.result import RankTimes, RegionResult, WorkloadResult

MOST_RANKS = 1 << 14
"""Of a program; each is a coroutine with Python's own stack."""


@dataclass(frozen=True)
class ProgramOptions:
    """Options of running a program.

    Attributes
    ----------
    arguments : sequence of str
        `sys.argv` after a script's name.
    collectives : mapping of str to str
        Algorithms by collective.
    flops : float
        Floating-point operations per second of `compute`.
    poll_ns : int
        Time of a test or probe that finds nothing.
    record : Path or None
        Folder in which the program is recorded as a trace.
    operations : Path or None
        Parquet file of begin and end of each operation (`OperationLog`).
    part : TimedPart
        Calls between which the region of interest is.
    """

    arguments: Sequence[str] = ()
    collectives: Mapping[str, str] = field(default_factory=dict)
    flops: float = FLOPS
    poll_ns: int = 100
    record: Path | None = None
    operations: Path | None = None
    part: TimedPart = WHOLE


class _Ranks:
    """Ranks whose operations are unknown before they run, as a schedule without operations."""

    whole = True
    cpus = 1
    total: int | None = 0
    read = size = 0

    def __init__(self, ranks: int, nics: int, source: str) -> None:
        self.ranks = ranks
        self.nics = nics
        self.source = source

    def blocks(self, rank: int) -> Iterator[Operations]:
        """Yield nothing."""
        return iter(())


class _Player:
    """Runs a program on one network after the other; records the first run, and keeps its results."""

    def __init__(self, program: Program, options: ProgramOptions) -> None:
        self._program = program
        self._options = options
        self.values: list[Any] | None = None
        self.regions: list[RankTimes] = []  # of each run
        self.region_sent = self.set_up = (0, 0)  # messages and bytes, which are the same in each run

    def __call__(self, executor: Executor) -> None:
        options = self._options
        recorder, log = None, None
        if options.operations is not None and self.values is None:
            log = OperationLog(executor, options.operations)
        if options.record is not None and self.values is None:
            recorder = Recorder(options.record, executor.ranks)
        seen: Any = executor if log is None else log
        world = World(
            seen,
            options.collectives,
            poll_ns=options.poll_ns,
            flops=options.flops,
            recorder=recorder,
            part=options.part,
        )

        def told(ns: float, received: int, ended: int) -> None:
            report_progress(f"{ns / 1000:,.0f} µs, {received:,} messages", ended, executor.ranks)

        with nullcontext() if self.values is None else redirect_stdout(StringIO()):  # only the first run prints
            try:
                values = run_program(world, self._program, options.arguments, told)
            except BaseException as error:  # Ctrl-C, too
                if log is not None:
                    log.write()
                    note_end(error, end_of_run(error), [log.path])
                raise
        if log is not None:
            log.write()
        if (totals := world.region.totals()) is not None:
            times = (np.asarray(each) * executor.ns(1) for each in (totals.time, totals.compute, totals.overhead))
            self.regions.append(RankTimes(*times))
            self.region_sent = int(totals.messages.sum()), int(totals.bytes.sum())
        self.set_up = int(world.set_up[0]), int(world.set_up[1])
        if self.values is None:
            self.values = values


def run_mpi(
    program: Program,
    ranks: int,
    config: Config | None,
    ideal: LogGOPS | None = None,
    options: ProgramOptions = ProgramOptions(),
    *,
    nodes: NDArray[np.int64] | None = None,
    records: Records = NOTHING,
    slow_down: bool = True,
) -> tuple[WorkloadResult, list[Any]]:
    """Run a program; return the workload's result, and the return value of each rank's function.

    Parameters
    ----------
    program : path or callable
        As in `run_program`.
    ranks : int
        Number of ranks, one instance of the program each.
    config : Config or None
        Configuration with a section [workload]; None: only the ideal network.
    ideal : LogGOPS or None
        Parameters of the ideal network; None: those of the configured network without contention.
    options : ProgramOptions
    nodes : array [ranks] or None
        Node of each rank; None: rank k on node k.
    records, slow_down
        As in `replay`. For the slow-down, the program is run again on the ideal network, without its output.

    Raises
    ------
    TsujiError
        If the program violates the rules of MPI or fails (exit code 2), or waits for ever (exit code 1).
    """
    ranks = check_int("ranks", ranks, 1, MOST_RANKS)
    name = getattr(program, "__name__", None) or str(program)
    interfaces = config.workload.interfaces if config is not None and config.workload is not None else 1
    jobs = [Job(_Ranks(ranks, interfaces, name), nodes)]
    player = _Player(program, options)
    if config is not None:
        result = replay_on(jobs, config, ideal, records=records, slow_down=slow_down, play=player)
    elif ideal is not None:
        result = replay_ideal(jobs, ideal, play=player)
    else:
        raise TsujiError("mpi: name a network to run on, or the parameters of the ideal one")
    return replace(result, set_up=player.set_up, region=_region(player)), player.values or []


def _region(player: _Player) -> RegionResult | None:
    """Return the region of interest; None if the program has none."""
    if not player.regions:
        return None
    beside = player.regions[1] if len(player.regions) > 1 else None
    return RegionResult(player.regions[0], beside, *player.region_sent)
