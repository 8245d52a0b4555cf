"""Replays schedules on the network of a configuration, or on the ideal network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from models.errors import TsujiError
from sim.analysis.zero_load import lone_latency
from sim.config import Config
from sim.config.workload import flit_bytes
from sim.engine.network import Network
from sim.files.output_file import check_output
from sim.lib.array_check import check_int
from sim.lib.clock import wall_s
from sim.messages.loggops import LogGOPS
from sim.packets import Delivered
from sim.power.file_names import check_files
from sim.power.recorder import PowerRecorder
from sim.schedule.collectives.registry import parse_choices
from sim.schedule.files import open_schedule
from sim.schedule.goal import MOST_TIME
from sim.schedule.job import Job, place
from sim.schedule.ti.groups import GroupRule
from sim.schedule.ti.timed_part import WHOLE, TimedPart
from sim.schedule.ti.trace import TraceOptions
from sim.simulation import build
from sim.topology.base import NOBODY, Topology
from sim.workload.executor import Executor
from sim.workload.history import HistoryRecorder
from sim.workload.ideal_executor import IdealExecutor
from sim.workload.links import LinkRecorder, LinkTable
from sim.workload.network_executor import NetworkExecutor, Recorder
from sim.workload.result import RankTimes, WorkloadResult
from sim.workload.run_jobs import Play, run_jobs
from sim.workload.warm_up import warm_up

MOST_RANKS = 1 << 18
"""Of a file; more would take hours, or more memory than there is, before the first message."""


class Records:
    """Files that are written while a replay runs.

    Parameters
    ----------
    links : Path or None
        Parquet file of the traffic of links, chunk by chunk.
    chunk : int
        Cycles of a chunk.
    history : Path or None
        Parquet file of the packets that pass `switches` from cycle `begin` to `end` − 1.
    power : Path or None
        Parquet or CSV file of the power of links, chunk by chunk (`sim.power.chunk_files`); with a section [power].
    """

    def __init__(
        self,
        links: Path | None = None,
        chunk: int = 50_000,
        history: Path | None = None,
        switches: Sequence[int] = (),
        begin: int = 0,
        end: int = 1 << 62,
        power: Path | None = None,
    ) -> None:
        check_int("chunk", chunk, 1)
        if (history is None) != (not switches):
            raise TsujiError("history: say both a file and the switches")
        self.links, self.chunk, self.history = links, chunk, history
        self.switches, self.begin, self.end = list(switches), begin, end
        self.power = power
        for path in filter(None, (links, history)):
            check_output(path)
        if power is not None:
            check_files(power)

    def recorders(self, network: Network, table: LinkTable, cycle_ns: float) -> tuple[Recorder, ...]:
        """Return the recorders of a network."""
        found: list[Recorder] = []
        if self.links is not None:
            found.append(LinkRecorder(table, self.links, self.chunk, cycle_ns))
        if self.history is not None:
            found.append(HistoryRecorder(network, self.history, self.switches, self.begin, self.end, cycle_ns))
        return tuple(found)


NOTHING = Records()


def replay_ideal(
    jobs: Sequence[Job], parameters: LogGOPS, compute_scale: float = 1.0, play: Play | None = None
) -> WorkloadResult:
    """Replay jobs on the ideal network; they do not interfere, because each rank has its own node.

    `play` as in `replay`.

    Raises
    ------
    TsujiError
        If a file is invalid, or messages are not received (exit code 2); if ranks wait for ever (exit code 1).
    """
    executor = IdealExecutor(_ranks(jobs), parameters, *_places(jobs), compute_scale=compute_scale)
    executor.run()  # compile it
    started = wall_s()
    times = run_jobs(executor, jobs, play)
    return _result(executor, jobs, None, parameters, times, None, None, wall_s() - started)


def replay(
    jobs: Sequence[Job],
    config: Config,
    ideal: LogGOPS | None = None,
    *,
    records: Records = NOTHING,
    slow_down: bool = True,
    play: Play | None = None,
) -> WorkloadResult:
    """Replay jobs on the network of a configuration, and on the ideal one for the slow-down.

    Parameters
    ----------
    jobs : sequence of Job
    config : Config
        Configuration with a section [workload].
    ideal : LogGOPS or None
        Parameters of the ideal network; None: those of the configured network without contention.
    records : Records
    slow_down : bool
        Whether to replay on the ideal network, too.
    play : callable or None
        Lets an executor run jobs that are not known in advance, to their end; None: run the schedules.

    Raises
    ------
    TsujiError
        As `replay_ideal`; also if the configuration is not suitable.
    """
    params = config.workload
    assert params is not None
    if config.planes is not None:
        raise TsujiError("[planes]: messages of ranks take one network; leave it out")
    if config.loop.reply_size or config.loop.window:
        raise TsujiError("traffic.reply_size, traffic.window: messages of ranks have none; leave them out")
    network = build(config)
    assert isinstance(network, Network)
    ideal = ideal or without_contention(config, network)
    nodes = place(list(jobs), network.topology.nodes, params.interfaces)
    if params.warm_up == "alltoall":
        warm_up(network, params, [job.schedule.ranks for job in jobs], nodes)
        used, network = network, build(config)  # at reset again: nothing but the contents of caches is kept
        assert isinstance(network, Network)
        network.take_caches(used)
    table = LinkTable(network, params.cycle_ns)
    executor = NetworkExecutor(network, params, nodes, *_places(jobs))
    recorders, power = records.recorders(network, table, params.cycle_ns), None
    if config.power is None and records.power is not None:
        raise TsujiError(f"power file {records.power}: there is no section [power]; set it, empty or not")
    if config.power is not None:
        sources = [job.schedule.source for job in jobs]
        parts = config.switch, config.power, config.document(), records.power, sources, nodes
        power = PowerRecorder(network, *parts)
        recorders += (power,)
    executor.record(recorders)
    network.advance_messages(executor.layer, 0)  # compile it
    started = wall_s()
    times = run_jobs(executor, jobs, play)
    took = wall_s() - started
    executor.finish()
    links = table.frame(network.flits_sent(), network.busy_cycles(), network.cycle)
    ideal_times = None
    if slow_down:
        beside = IdealExecutor(
            _ranks(jobs), ideal, *_places(jobs), cpu_receives=False, compute_scale=params.compute_scale
        )
        ideal_times = run_jobs(beside, jobs, play)
    result = _result(executor, jobs, config.document(), ideal, times, ideal_times, links, took)
    return result if power is None else replace(result, power=power.figures)


def without_contention(config: Config, network: Network) -> LogGOPS:
    """Return the LogGOPS parameters of a network in which no packet waits for another.

    L is the latency of one flit over the mean distance, G the time per byte on a local link; o is the mean of both
    overheads.
    """
    params = config.workload
    assert params is not None
    distance = network.topology.figures.mean_distance
    one = np.ones(1, np.int64)
    hops = 1 + round(distance)
    flight = round(distance * _mean_link(network.topology, config.link.latency)) * (2 if config.switch.reserves else 1)
    head = Delivered(*(one * value for value in (0, 0, 1, 0, 0, 0, hops, 0, flight, 0)))
    latency = int(lone_latency(config.switch, head)[0]) + 2  # from the queue to the switch, from the switch to the rank
    speedup = config.switch.speedup
    return LogGOPS(
        L=round(latency * params.cycle_ns),
        o=round((params.send_overhead + params.receive_overhead) / 2),
        g=0,
        G=speedup * params.cycle_ns / flit_bytes(config.switch.data_width) / params.interfaces,
        O=params.copy_cost,
        S=params.eager_bytes,
    )


def _mean_link(topology: Topology, latency: int) -> float:
    """Return the mean latency of links between switches, cycles."""
    wired = topology.peer_switch != NOBODY
    more = np.broadcast_to(topology.link_latency, wired.shape)[wired]
    return latency + float(more.mean()) if len(more) else float(latency)


def _ranks(jobs: Sequence[Job]) -> int:
    return sum(job.schedule.ranks for job in jobs)


def _places(jobs: Sequence[Job]) -> tuple[int, int]:
    """Return the CPUs and interfaces per rank that jobs name."""
    return max((job.schedule.cpus for job in jobs), default=1), max((job.schedule.nics for job in jobs), default=1)


def _result(
    executor: Executor,
    jobs: Sequence[Job],
    config: dict[str, Any] | None,
    ideal: LogGOPS,
    ranks: RankTimes,
    ideal_ranks: RankTimes | None,
    links: Any,
    seconds: float,
) -> WorkloadResult:
    """Return the result of a replay."""
    network = executor.network if isinstance(executor, NetworkExecutor) else None
    packets, flits = network.packets_sent if network else (None, None)
    return WorkloadResult(
        sources=[job.schedule.source for job in jobs],
        jobs=np.repeat(np.arange(len(jobs)), [job.schedule.ranks for job in jobs]),
        config=config,
        ideal=ideal.model_dump(mode="json"),
        ranks=ranks,
        ideal_ranks=ideal_ranks,
        arrived=None if network is None else executor.latencies(),
        messages=executor.messages,
        bytes=executor.bytes,
        operations=executor.finished,
        packets=packets,
        flits=flits,
        flit_hops=network.flit_hops if network else None,
        links=links,
        wall_s=seconds,
        threads=network.threads if network else None,
    )


def open_jobs(
    files: Sequence[str], collectives: Sequence[str] = (), part: TimedPart = WHOLE, groups: Sequence[str] = ()
) -> list[Job]:
    """Return the jobs of `FILE`, or of `FILE@NS`, which start `NS` nanoseconds after the beginning.

    Parameters
    ----------
    files : sequence of str
    collectives : sequence of str
        Algorithms by collective, such as `allreduce=ring`.
    part : TimedPart
        Part that is read of every trace.
    groups : sequence of str
        Collectives of traces that run in groups of ranks, such as `alltoall 256: 128 stride 2`.

    Raises
    ------
    TsujiError
        If a file cannot be read or has more than `MOST_RANKS`, or there is no such collective or group.
    """
    rules = [GroupRule.parse(each) for each in groups]
    options = TraceOptions(collectives=parse_choices(collectives), part=part, groups=rules)
    jobs = []
    for text in files:
        name, _, start = text.rpartition("@")
        if not name or Path(text).exists():
            name, start = text, "0"
        try:
            when = float(start)
        except ValueError:
            raise TsujiError(f"{text}: {start}: expected FILE@NS, nanoseconds after the beginning") from None
        if not 0 <= when <= MOST_TIME:
            raise TsujiError(f"{text}: {start}: must be from 0 to {MOST_TIME} ns")
        schedule = open_schedule(Path(name), options)
        if schedule.ranks > MOST_RANKS:
            raise TsujiError(f"{name}: {schedule.ranks} ranks: must be at most {MOST_RANKS}")
        jobs.append(Job(schedule, start_ns=when))
    return jobs
