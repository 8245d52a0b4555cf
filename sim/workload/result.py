"""The result of a replay, and its document."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.lib.html_table import html_table
from sim.power.account import PowerFigures
from sim.workload.executor import Executor
from sim.workload.names import SLOW_DOWN

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RankTimes:
    """Times of ranks, nanoseconds, [ranks] each.

    Attributes
    ----------
    end : array
        End of a rank's last operation.
    compute : array
        Time in which its CPUs calculated.
    overhead : array
        Time in which they were busy with messages.
    wait : array
        Remaining time of CPU 0 until `end`.
    """

    end: Floats
    compute: Floats
    overhead: Floats

    @property
    def wait(self) -> Floats:
        """Remaining time until the end."""
        return np.maximum(self.end - self.compute - self.overhead, 0.0)

    @classmethod
    def of(cls, executor: Executor, starts: Floats) -> RankTimes:
        """Return the times of ranks that started at `starts`."""
        ranks = executor.rank_times()
        unit = executor.ns(1)
        end = np.maximum(ranks["end"] * unit - starts, 0.0)
        return cls(end, ranks["compute"] * unit, ranks["overhead"] * unit)


@dataclass(frozen=True, eq=False)
class RegionResult:
    """The region of interest of a program.

    Attributes
    ----------
    ranks : RankTimes
        Times of ranks within the region.
    ideal_ranks : RankTimes or None
        Times on the ideal network, if requested.
    messages, bytes : int
        Messages and bytes sent within the region.
    """

    ranks: RankTimes
    ideal_ranks: RankTimes | None
    messages: int
    bytes: int

    @property
    def run_time_ns(self) -> float:
        """Longest time of a rank within the region."""
        return float(self.ranks.end.max())

    @property
    def slow_down(self) -> float | None:
        """Run time on the network ÷ on the ideal one."""
        return _ratio(self.ranks, self.ideal_ranks)

    def document(self) -> dict[str, Any]:
        """Return the region as plain values."""
        ratio = {} if self.slow_down is None else {"slow_down": self.slow_down}
        return {
            "run_time_ns": _plain(np.array([self.run_time_ns]))[0],
            **ratio,
            "messages": self.messages,
            "bytes": self.bytes,
            "ranks": {
                "end_ns": _plain(self.ranks.end),
                "compute_ns": _plain(self.ranks.compute),
                "overhead_ns": _plain(self.ranks.overhead),
                "wait_ns": _plain(self.ranks.wait),
            },
        }


@dataclass(frozen=True, eq=False)
class WorkloadResult:
    """Result of a replay.

    Attributes
    ----------
    sources : list of str
        Files replayed, one per job.
    jobs : array [ranks]
        Job of each rank.
    config : dict or None
        Configuration of the network; None: the ideal network.
    ideal : dict
        LogGOPS parameters of the ideal network.
    ranks : RankTimes
        Times of ranks, from each job's start.
    ideal_ranks : RankTimes or None
        Times on the ideal network, if requested.
    arrived : tuple of array [ranks], or None
        In a network, messages of each rank that have arrived, and the sum of their latencies, ns.
    messages, bytes, operations : int
        Messages and bytes sent, and operations done.
    packets, flits, flit_hops : int or None
        Packets, flits and flit-hops in the network.
    links : pandas.DataFrame or None
        Traffic of links, one row per link.
    wall_s : float
        Wall-clock time of the simulation, seconds, without compilation.
    power : PowerFigures or None
        The energy account, with a section [power].
    set_up : tuple of int
        Of the messages and bytes, those of calls of a program that create communicators.
    region : RegionResult or None
        The region of interest of a program, if it has one.
    threads : int or None
        Threads that advanced the network.
    """

    sources: list[str]
    jobs: NDArray[np.int64]
    config: dict[str, Any] | None
    ideal: dict[str, Any]
    ranks: RankTimes
    ideal_ranks: RankTimes | None
    arrived: tuple[NDArray[np.int64], Floats] | None
    messages: int
    bytes: int
    operations: int
    packets: int | None
    flits: int | None
    flit_hops: int | None
    links: pd.DataFrame | None
    wall_s: float
    power: PowerFigures | None = None
    set_up: tuple[int, int] = (0, 0)
    region: RegionResult | None = None
    threads: int | None = None

    @property
    def run_time_ns(self) -> float:
        """Longest run time of the jobs, from a job's start to the end of its last rank."""
        return float(self.ranks.end.max())

    @property
    def slow_down(self) -> float | None:
        """Run time on the network ÷ on the ideal one."""
        return _ratio(self.ranks, self.ideal_ranks)

    @property
    def message_latency_ns(self) -> float | None:
        """Mean time from the beginning of a send until all bytes are at the receiver's node; None: no network."""
        return None if self.arrived is None else _mean(int(self.arrived[0].sum()), float(self.arrived[1].sum()))

    def by_job(self) -> pd.DataFrame:
        """Return a table, one row per job: file, ranks, times, and the ratio to the ideal network."""
        ends = pd.DataFrame({"job": self.jobs, "run_time_ns": self.ranks.end, "mean_wait_ns": self.ranks.wait})
        found = ends.groupby("job").agg({"run_time_ns": "max", "mean_wait_ns": "mean"})
        found.insert(0, "ranks", ends.groupby("job").size())
        found.insert(0, "file", self.sources)
        if self.arrived is not None:
            count, total = (pd.Series(each).groupby(self.jobs).sum() for each in self.arrived)
            found["message_latency_ns"] = (total / count).where(count > 0)
        if self.ideal_ranks is not None:
            ideal = pd.Series(self.ideal_ranks.end).groupby(self.jobs).max()
            found["ideal_run_time_ns"] = ideal
            found["slow_down"] = (found["run_time_ns"] / ideal).where(ideal > 0)
        return found.reset_index()

    def __repr__(self) -> str:
        """Return what ran, and the main figures, on one line."""
        return f"WorkloadResult({self._title}: {', '.join(' '.join(row).strip() for row in self._main()[:3])})"

    def _repr_html_(self) -> str:
        """Return the main figures as a table, for notebooks."""
        return html_table(self._title, self._main())

    @property
    def _title(self) -> str:
        """What ran, and on what."""
        network = "the ideal network" if self.config is None else str(self.config["topology"]["kind"])
        return f"{', '.join(Path(each).name for each in self.sources)} on {network}"

    def _main(self) -> list[tuple[str, str, str]]:
        """Return the main figures: name, value and unit, as text."""
        ratio = [] if self.slow_down is None else [(SLOW_DOWN, f"{self.slow_down:.3f}", "")]
        return [
            ("run time", f"{self.run_time_ns:,.0f}", "ns"),
            *ratio,
            ("ranks", f"{len(self.jobs):,}", ""),
            ("messages", f"{self.messages:,}", f"of {self.bytes:,} bytes in all"),
        ]

    def frame(self) -> pd.DataFrame:
        """Return a table, one row per rank."""
        table = pd.DataFrame({
            "job": self.jobs,
            "end_ns": self.ranks.end,
            "compute_ns": self.ranks.compute,
            "overhead_ns": self.ranks.overhead,
            "wait_ns": self.ranks.wait,
        })  # fmt: skip
        if self.ideal_ranks is not None:
            table["ideal_end_ns"] = self.ideal_ranks.end
            with np.errstate(divide="ignore", invalid="ignore"):
                table["slow_down"] = np.where(self.ideal_ranks.end > 0, self.ranks.end / self.ideal_ranks.end, 1.0)
        return table

    def document(self) -> dict[str, Any]:
        """Return the result as plain values; whole times as integers."""
        frame = self.frame()
        document: dict[str, Any] = {
            "version": version("tsuji"),
            "files": self.sources,
            "config": self.config,
            "ideal": self.ideal,
            "run_time_ns": _plain(np.array([self.run_time_ns]))[0],
            "slow_down": self.slow_down,
            "message_latency_ns": self.message_latency_ns,
            "jobs": self._jobs() if len(self.sources) > 1 else None,
            "operations": self.operations,
            "messages": self.messages,
            "bytes": self.bytes,
            "set_up": {"messages": self.set_up[0], "bytes": self.set_up[1]} if self.set_up[0] else None,
            "region": None if self.region is None else self.region.document(),
            "packets": self.packets,
            "flits": self.flits,
            "flit_hops": self.flit_hops,
            "ranks": {name: _plain(frame[name].to_numpy()) for name in frame},
            "wall_s": self.wall_s,
            "threads": self.threads,
            "power": None if self.power is None else self.power._asdict(),
        }
        if self.links is not None:
            document["links"] = {
                name: [None if pd.isna(value) else value for value in self.links[name].tolist()] for name in self.links
            }
        return {key: value for key, value in document.items() if value is not None}

    def _jobs(self) -> list[dict[str, Any]]:
        """Return the table of jobs as plain values."""
        rows: list[dict[str, Any]] = self.by_job().drop(columns="job").to_dict("records")
        return [{key: None if pd.isna(value) else value for key, value in row.items()} for row in rows]


def _mean(count: int, total: float) -> float | None:
    """Return a mean; None of nothing."""
    return total / count if count else None


def _ratio(ranks: RankTimes, ideal: RankTimes | None) -> float | None:
    """Return the longest time on the network ÷ that on the ideal one; None if either is not known."""
    return None if ideal is None or not ideal.end.max() else float(ranks.end.max() / ideal.end.max())


def _plain(values: NDArray[Any]) -> list[int | float]:
    """Return numbers as plain ones."""
    if values.dtype.kind == "f" and (values == np.rint(values)).all():
        values = values.astype(np.int64)
    found: list[int | float] = values.tolist()
    return found
