"""Sweeps of programs, schedules and traces: the same on many configurations, each finished one kept on disk."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from models.errors import TsujiError
from sim.array_check import check_int
from sim.config import Config, load
from sim.measure.result import write_json
from sim.sweep.axes import Axis, combinations
from sim.sweep.sweep import label, program_digest
from sim.sweep.worker import prepare
from sim.workload.job import with_mappings
from sim.workload.loggops import LogGOPS
from sim.workload.mapping import mapped
from sim.workload.mpi.run import ProgramOptions, run_mpi
from sim.workload.replay import open_jobs, replay
from sim.workload.result import WorkloadResult


@dataclass(frozen=True)
class Workload(ABC):
    """What runs on each configuration.

    Attributes
    ----------
    ideal : LogGOPS or None
        Parameters of the ideal network; None: those of the configuration.
    slow_down : bool
        Whether it runs on the ideal network, too.
    """

    ideal: LogGOPS | None
    slow_down: bool

    @abstractmethod
    def run(self, config: Config) -> WorkloadResult:
        """Run it on the network of a configuration."""

    @property
    @abstractmethod
    def files(self) -> list[Path]:
        """Files that its result depends on."""


@dataclass(frozen=True)
class Schedules(Workload):
    """Schedules or traces, as of `sim.workload.replay.open_jobs` and `sim.workload.job.with_mappings`."""

    jobs: tuple[str, ...]
    collectives: tuple[str, ...] = ()
    mappings: tuple[str, ...] = ()

    def run(self, config: Config) -> WorkloadResult:
        """Replay them."""
        jobs = with_mappings(open_jobs(self.jobs, self.collectives), self.mappings, config)
        return replay(jobs, config, self.ideal, slow_down=self.slow_down)

    @property
    def files(self) -> list[Path]:
        """Files, or folders, of the jobs."""
        paths = [Path(text) for text in self.jobs]
        return [path if path.exists() else Path(str(path).rpartition("@")[0]) for path in paths]


@dataclass(frozen=True)
class MpiProgram(Workload):
    """An MPI program, as of `sim.workload.mpi.run.run_mpi`; modules that it imports are taken not to change."""

    program: Path
    ranks: int
    options: ProgramOptions
    mapping: str | None = None

    def run(self, config: Config) -> WorkloadResult:
        """Run it."""
        nodes = None if self.mapping is None else mapped(self.mapping, self.ranks, config)
        parts = self.program, self.ranks, config, self.ideal, self.options
        return run_mpi(*parts, nodes=nodes, slow_down=self.slow_down)[0]

    @property
    def files(self) -> list[Path]:
        """The program, and a file of a mapping."""
        mapping = [] if self.mapping is None else [Path(self.mapping)]
        return [self.program, *(path for path in mapping if path.exists())]


@dataclass(frozen=True)
class WorkloadPoint:
    """One run of a sweep.

    Attributes
    ----------
    values : dict of str to str
        What the sweep sets.
    config : Config
    workload : Workload
    """

    values: dict[str, str]
    config: Config
    workload: Workload

    @cached_property
    def name(self) -> str:
        """Name of the result's file, without folder: after everything that it depends on."""
        document = self.config.document()
        document["run"].pop("specialise")  # figures do not depend on it
        files = [_digest(path) for path in [*self.workload.files, *self.config.files]]
        content = json.dumps([document, repr(self.workload), files, program_digest()], sort_keys=True)
        return f"{sha256(content.encode()).hexdigest()[:20]}.json"


def workload_points(
    workload: Workload, path: Path, overrides: Iterable[str], axes: list[Axis], *, power: bool = False
) -> list[WorkloadPoint]:
    """Return the points of a sweep, all checked.

    Parameters
    ----------
    workload : Workload
    path : Path
        Configuration file.
    overrides : iterable of str
        `key=value` for all points.
    axes : list of Axis
        What differs; the product is swept.
    power : bool
        Whether there is a section [power], though it may be empty.

    Raises
    ------
    TsujiError
        If any point's configuration is refused.
    """
    fixed, found = list(overrides), []
    for values in combinations(axes):
        settings = [*fixed, *(f"{key}={value}" for key, value in values.items())]
        try:
            found.append(WorkloadPoint(values, load(path, settings, workload=True, power=power), workload))
        except TsujiError as error:
            raise TsujiError(f"{error}\nin the point {label(values)}") from error
    return found


def run_workloads(
    todo: list[WorkloadPoint], directory: Path, workers: int, finished: Callable[[int], None]
) -> list[dict[str, Any]]:
    """Run the points that a folder has no result of; return the documents of all, in order.

    Parameters
    ----------
    todo : list of WorkloadPoint
    directory : Path
        Where each result is written as soon as it is there.
    workers : int
        Processes.
    finished : callable
        Told the number of each point as its result becomes available.

    Raises
    ------
    TsujiError
        If a point cannot be run; the results of others stay.
    """
    check_int("workers", workers, 1)
    found = {number: document for number, each in enumerate(todo) if (document := _stored(directory / each.name))}
    for number in found:
        finished(number)
    for number in _compute(todo, [number for number in range(len(todo)) if number not in found], directory, workers):
        document = _stored(directory / todo[number].name)
        assert document is not None
        found[number] = document
        finished(number)
    return [found[number] for number in range(len(todo))]


def _compute(todo: list[WorkloadPoint], numbers: list[int], directory: Path, workers: int) -> Iterator[int]:
    """Run points; yield their numbers as they finish. The first one compiles for all."""
    for number in numbers if workers == 1 else numbers[:1]:
        _run(todo[number], directory)
        yield number
    if workers == 1 or len(numbers) < 2:
        return
    pool = ProcessPoolExecutor(min(workers, len(numbers)), get_context("spawn"), initializer=prepare)
    futures = {pool.submit(_run, todo[number], directory): number for number in numbers[1:]}
    try:
        for future in as_completed(futures):
            future.result()
            yield futures[future]
    except BrokenProcessPool as error:
        raise TsujiError(f"a worker process ended unexpectedly; finished points are kept in {directory}") from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _run(point: WorkloadPoint, directory: Path) -> None:
    """Run a point and write its result."""
    try:
        document = point.workload.run(point.config).document()
    except TsujiError as error:
        raise type(error)(f"{error}\nin the point {label(point.values)}") from error
    write_json(document, directory / point.name)


def _stored(path: Path) -> dict[str, Any] | None:
    """Return a result that is there."""
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return document


def _digest(path: Path) -> str:
    """Return what tells a file, or a folder of files, from one of other content."""
    digest = sha256()
    for each in sorted(path.iterdir()) if path.is_dir() else [path]:
        if each.is_file():
            digest.update(each.name.encode())
            with each.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
    return digest.hexdigest()
