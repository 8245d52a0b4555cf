"""The public Python interface of workloads."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from models.errors import TsujiError
from sim.config import load
from sim.lib.array_check import Int64, check_ints, check_number
from sim.messages.loggops import LogGOPS
from sim.schedule.goal import MOST_TIME
from sim.schedule.job import Job
from sim.workload import replay as replaying
from sim.workload.replay import Records
from sim.workload.result import WorkloadResult
from tsuji.description import source
from tsuji.progress import Phases

if TYPE_CHECKING:
    from tsuji.description import Description

MOST_NODE = (1 << 31) - 1


def replay(
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    description: Description | None = None,
    settings: Mapping[str, Any] | None = None,
    *,
    ideal: Mapping[str, float] | str | None = None,
    mappings: Iterable[Iterable[int] | None] | None = None,
    starts_ns: Iterable[float] | None = None,
    collectives: Mapping[str, str] | None = None,
    groups: Iterable[str] | None = None,
    slow_down: bool = True,
    links: str | os.PathLike[str] | None = None,
    chunk: int = 50_000,
    power_file: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> WorkloadResult:
    """Replay GOAL schedules or traces, as `tsuji replay` does.

    Parameters
    ----------
    files : path or iterable of paths
        Schedules or traces, one per job.
    description
        Network, as in `config`; None: only the ideal network, with the parameters `ideal`.
    settings
        Network, as in `config`; None: only the ideal network, with the parameters `ideal`.
    ideal : mapping, str or None
        LogGOPS parameters of the ideal network: `{"L": 2500, "o": 1500}`, or a string as for `--ideal`; None: those of
        the network without contention.
    mappings : iterable of (iterable of int, or None) or None
        Node of each rank, for each job; None: one rank per node, job after job.
    starts_ns : iterable of float or None
        Start time of each job; None: all start at 0.
    collectives : mapping of str to str or None
        Algorithms by collective, such as `{"allreduce": "ring"}`.
    groups : iterable of str or None
        Collectives that run in groups of ranks, which traces do not name: `alltoall 256: 128 stride 2` runs each
        all-to-all of 256 elements in groups of 128 ranks, two apart.
    slow_down : bool
        Whether to replay also on the ideal network.
    links : path or None
        Parquet file of the traffic of links, chunk by chunk.
    chunk : int
        Cycles of a chunk.
    power_file : path or None
        Parquet or CSV file of the power of links, chunk by chunk; needs a section `power`, empty or not.
    progress : bool
        Show progress on standard error.

    Returns
    -------
    sim.workload.result.WorkloadResult
        The result; its `frame()` is a table of ranks, its `links` one of links.

    Raises
    ------
    models.errors.TsujiError
        As `config`; also if a file is invalid, messages are not received, or ranks wait for ever.
    """
    paths = [files] if isinstance(files, str | os.PathLike) else list(files)
    algorithms = [f"{name}={value}" for name, value in (collectives or {}).items()]
    parameters = ideal_parameters(ideal)
    if description is None and parameters is None:
        raise TsujiError("replay: say a network, or the parameters of the ideal one")
    with bar(progress):
        opened = replaying.open_jobs([os.fspath(path) for path in paths], algorithms, groups=list(groups or ()))
        jobs = _placed(opened, mappings, starts_ns)
        if description is None:
            assert parameters is not None
            return replaying.replay_ideal(jobs, parameters)
        configuration = load(*source(description, settings), workload=True)
        records = link_records(links, chunk, power_file)
        return replaying.replay(jobs, configuration, parameters, records=records, slow_down=slow_down)


def _placed(
    jobs: list[Job], mappings: Iterable[Iterable[int] | None] | None, starts_ns: Iterable[float] | None
) -> list[Job]:
    """Return jobs with the nodes of their ranks and their start times.

    Raises
    ------
    TsujiError
        If the numbers of mappings and starts differ from that of jobs.
    """
    nodes = [
        None if each is None else check_nodes(f"mappings[{number}]", each)
        for number, each in enumerate(mappings or [None] * len(jobs))
    ]
    starts = [
        check_number(f"starts_ns[{number}]", each, 0, MOST_TIME)
        for number, each in enumerate(starts_ns or [0.0] * len(jobs))
    ]
    if not len(jobs) == len(nodes) == len(starts):
        raise TsujiError(f"replay: {len(jobs)} files, {len(nodes)} mappings, {len(starts)} starts: must be as many")
    return [replace(job, nodes=where, start_ns=start) for job, where, start in zip(jobs, nodes, starts, strict=True)]


def check_nodes(name: str, nodes: Iterable[int]) -> Int64:
    """Return the node of each rank as an array of whole numbers.

    Raises
    ------
    TsujiError
        If one is no whole number; whether there is such a node is checked with the network.
    """
    return check_ints(name, list(nodes), (None,), 0, MOST_NODE)


def ideal_parameters(ideal: Mapping[str, float] | str | None) -> LogGOPS | None:
    """Return the parameters of the ideal network from a mapping or a string of `--ideal`; None for None."""
    if isinstance(ideal, Mapping):
        ideal = ",".join(f"{name}={value}" for name, value in ideal.items())
    return None if ideal is None else LogGOPS.parse(ideal)


def link_records(
    links: str | os.PathLike[str] | None, chunk: int, power_file: str | os.PathLike[str] | None
) -> Records:
    """Return the record files of the traffic and power of links, in chunks of `chunk` cycles."""
    power = None if power_file is None else Path(power_file)
    return Records(None if links is None else Path(links), chunk, power=power)


def bar(progress: bool) -> AbstractContextManager[object]:
    """Return a progress bar on standard error if requested, else None."""
    return Phases(Console(stderr=True)) if progress else nullcontext()
