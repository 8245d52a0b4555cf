"""Sweeps of a program, schedule or trace: points whose ranks send messages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from models.errors import TsujiError
from models.params.config_file import Setting
from sim.config import Config, load
from sim.lib.array_check import check_int
from sim.messages.loggops import LogGOPS
from sim.schedule.collectives.registry import parse_choices
from sim.schedule.files import files_of
from sim.schedule.job import with_mappings
from sim.schedule.mapping import mapped
from sim.simulation import build
from sim.sweep.axes import Axis, combinations
from sim.sweep.runnable import label
from sim.sweep.sweep import name_of
from sim.workload.mpi_run import ProgramOptions, run_mpi
from sim.workload.replay import open_jobs, replay
from sim.workload.result import WorkloadResult

COLLECTIVE = "collective."
OWN_KEYS = ("ranks", "mapping")  # keys of the run, in addition to those of the configuration and to `collective.NAME`


@dataclass(frozen=True)
class Work:
    """The workload of every point.

    Attributes
    ----------
    path : Path
        A program (`.py`), or a file for `tsuji replay`.
    ranks : int
        Number of instances of a program.
    arguments : tuple of str
        `sys.argv` after its name.
    collectives : dict of str to str
        Algorithms by collective.
    mapping : str or None
        As in `--mapping`; None: one rank per node.
    ideal : str or None
        Parameters of the ideal network, as in `--ideal`.
    slow_down : bool
        Whether to run also on the ideal network.
    """

    path: Path
    ranks: int = 0
    arguments: tuple[str, ...] = ()
    collectives: Mapping[str, str] = field(default_factory=dict)
    mapping: str | None = None
    ideal: str | None = None
    slow_down: bool = True

    @property
    def is_program(self) -> bool:
        """Whether it is a program instead of a file of operations."""
        return self.path.suffix == ".py"

    def with_value(self, key: str, text: str) -> Work:
        """Return the workload with a key of the run set, as text or as JSON."""
        value = text.strip('"')
        if key == "mapping":
            return replace(self, mapping=value)
        if key == "ranks":
            if not self.is_program:
                raise TsujiError(f"ranks = {value}: {self.path} has ranks of its own; only programs are given them")
            return replace(self, ranks=int(value) if value.isdigit() else 0)
        return replace(self, collectives={**self.collectives, **parse_choices([f"{key[len(COLLECTIVE) :]}={value}"])})

    def checked(self, config: Config) -> Work:
        """Return the workload unchanged, after checks.

        Raises
        ------
        TsujiError
            If the file does not exist, a program's number of ranks is missing or invalid, or the ideal network's
            parameters are.
        """
        if not self.path.exists():
            raise TsujiError(f"{self.path}: no such file")
        if self.is_program:
            check_int("ranks", self.ranks, 1)
            mapped(self.mapping or "linear", self.ranks, config)
        elif self.ranks or self.arguments:
            raise TsujiError(f"ranks, arguments: {self.path} is no program (.py); leave them out")
        if self.ideal is not None:
            LogGOPS.parse(self.ideal)
        return self

    def run(self, config: Config) -> WorkloadResult:
        """Run the workload on the network of a configuration; a program's output is discarded."""
        ideal = None if self.ideal is None else LogGOPS.parse(self.ideal)
        if self.is_program:
            nodes = None if self.mapping is None else mapped(self.mapping, self.ranks, config)
            options = ProgramOptions(self.arguments, self.collectives)
            with redirect_stdout(StringIO()):
                return run_mpi(self.path, self.ranks, config, ideal, options, nodes=nodes, slow_down=self.slow_down)[0]
        jobs = open_jobs([str(self.path)], [f"{name}={value}" for name, value in self.collectives.items()])
        jobs = with_mappings(jobs, [] if self.mapping is None else [self.mapping], config)
        return replay(jobs, config, ideal, slow_down=self.slow_down)

    def digest(self) -> dict[str, Any]:
        """Return everything that figures depend on, as plain values."""
        files = [self.path] if self.is_program else files_of(self.path)
        content = [[path.name, sha256(path.read_bytes()).hexdigest()] for path in files]
        mapping = self.mapping or ""
        where = sha256(Path(mapping).read_bytes()).hexdigest() if Path(mapping).is_file() else mapping
        rest = [self.ranks, list(self.arguments), dict(sorted(self.collectives.items())), self.ideal, self.slow_down]
        return {"files": content, "mapping": where, "rest": rest}


@dataclass(frozen=True)
class WorkloadSummary:
    """Figures of one run, without those of single ranks and links.

    Attributes
    ----------
    config : dict
        Sections of the configuration.
    figures : dict
        Numbers by name: means over ranks, mean and greatest utilisation of links, and those of `power`.
    """

    config: dict[str, Any]
    figures: dict[str, Any]

    @classmethod
    def of(cls, result: WorkloadResult) -> WorkloadSummary:
        """Return the summary of a result."""
        document = result.document()
        frame = result.frame().drop(columns=["job", "slow_down"], errors="ignore")
        figures: dict[str, Any] = {name: v for name, v in document.items() if isinstance(v, int | float)}
        figures |= {f"mean_{name}": float(value) for name, value in frame.mean().items()}
        if result.links is not None and len(result.links):
            busy = result.links["busy"].to_numpy(float)
            figures |= {"link_busy_mean": float(np.nanmean(busy)), "link_busy_max": float(np.nanmax(busy))}
        if result.power is not None:
            figures["power"] = result.power._asdict()
        return cls(result.config or {}, figures)

    def document(self) -> dict[str, Any]:
        """Return the summary as plain values."""
        return {"config": self.config, "version": version("tsuji"), **self.figures}


@dataclass(frozen=True)
class WorkloadPoint:
    """One run of a sweep.

    Attributes
    ----------
    values : dict of str to str
        Settings of the sweep.
    config : Config
        The whole configuration, with a section [workload].
    work : Work
        The workload.
    """

    values: dict[str, str]
    config: Config
    work: Work

    @property
    def name(self) -> str:
        """Name of the result's file, without folder."""
        return name_of(self.config, self.work.digest())

    def simulate(self) -> WorkloadSummary:
        """Run the point."""
        own = {key: value.strip('"') for key, value in self.values.items() if is_own(key)}
        summary = WorkloadSummary.of(self.work.run(self.config))
        return WorkloadSummary(summary.config, {**own, **summary.figures})

    def read(self, document: Mapping[str, Any]) -> WorkloadSummary:
        """Return the result of a document."""
        figures = {name: value for name, value in document.items() if name not in ("config", "version")}
        figures["run_time_ns"]
        return WorkloadSummary(document["config"], figures)

    def compile(self) -> None:
        """Compile, if needed, the engine that workers then load."""
        build(self.config)


def is_own(key: str) -> bool:
    """Return whether a key is one of the run instead of the configuration."""
    return key in OWN_KEYS or key.startswith(COLLECTIVE)


def workload_points(
    path: Path | None, overrides: Iterable[str], axes: list[Axis], work: Work, *, power: bool = False
) -> list[WorkloadPoint]:
    """Return the points of a sweep of a program, schedule or trace, all checked.

    Parameters
    ----------
    path : Path or None
        Configuration file.
    overrides : iterable of str
        Overrides `key=value` for all points.
    axes : list of Axis
        Axes: keys of the configuration, `ranks`, `mapping`, `collective.NAME`.
    work : Work
        The workload.
    power : bool
        Whether to add a section [power] if there is none.

    Raises
    ------
    TsujiError
        If any point is refused.
    """
    fixed = list(overrides)
    found = []
    for values in combinations(axes):
        try:
            settings = [Setting(f"{key}={value}") for key, value in values.items() if not is_own(key)]
            config = load(path, [*fixed, *settings], workload=True, power=power)
            here = work
            for key in filter(is_own, values):
                here = here.with_value(key, values[key])
            found.append(WorkloadPoint(values, config, here.checked(config)))
        except TsujiError as error:
            raise TsujiError(f"{error}\nin the point {label(values)}" if values else str(error)) from error
    return found


def sort_value(text: str) -> tuple[bool, float, str]:
    """Return the sort key of an axis's value: numbers by size, before texts."""
    try:
        return False, float(json.loads(text)), text
    except (ValueError, TypeError):
        return True, 0.0, text
