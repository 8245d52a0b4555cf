"""Logs of jobs in the Standard Workload Format of the Parallel Workloads Archive: sizes of jobs.

Source of the format: Chapin et al., Benchmarks and Standards for the Evaluation of Parallel Job Schedulers (1999): one
line of 18 fields per job; `;` begins a comment, of which `MaxNodes` and `MaxProcs` are read; −1: unknown.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from models.errors import TsujiError

FIELDS = 18
NUMBER, SUBMIT, RUN_TIME, ALLOCATED, REQUESTED, STATUS = 0, 1, 3, 4, 7, 10
_LARGEST_ENTRIES = 1 << 24


@dataclass(frozen=True, eq=False)
class JobLog:
    """Jobs of a log with a known size.

    Attributes
    ----------
    jobs : pandas.DataFrame
        One row per job: `job`, `submit_s`, `run_s` (−1: unknown), `processors`, `nodes`, `status`.
    left_out : int
        Number of jobs without a size in the log.
    processors_per_node : int
        Processors per node, from the log's header or as given.
    """

    jobs: pd.DataFrame
    left_out: int
    processors_per_node: int

    @property
    def nodes(self) -> NDArray[np.int64]:
        """Nodes of each job."""
        return np.asarray(self.jobs["nodes"], np.int64)

    def share(self, nodes: int) -> float:
        """Return the share of jobs of at most `nodes` nodes."""
        return float(np.mean(self.nodes <= nodes))

    def cdf(self) -> pd.DataFrame:
        """Return the distribution of sizes: for each size that occurs, the share of jobs that are at most as large."""
        sizes, counts = np.unique(self.nodes, return_counts=True)
        return pd.DataFrame({"nodes": sizes, "share": np.cumsum(counts) / counts.sum()})

    def cache_entries(self, share: float = 0.99) -> int:
        """Return the entries, a power of two, of a route cache that holds all destinations of a share of the jobs.

        A job's nodes are the destinations of its packets (paper A, figure 1): a cache with as many entries misses each
        of them only once, conflicts aside.

        Raises
        ------
        TsujiError
            If the share is not above 0 and at most 1.
        """
        if not 0 < share <= 1:
            raise TsujiError(f"share = {share}: must be above 0 and at most 1")
        needed = int(np.quantile(self.nodes, share, method="inverted_cdf"))
        return 1 << max(0, needed - 1).bit_length()


def read_swf(path: Path, processors_per_node: int | None = None) -> JobLog:
    """Return the jobs of a log, `.swf` or `.swf.gz`.

    Parameters
    ----------
    path : Path
    processors_per_node : int or None
        None: `MaxProcs` ÷ `MaxNodes` of the header; 1 without these.

    Raises
    ------
    TsujiError
        If a line is invalid, with what was expected; or if no job has a size.
    """
    if processors_per_node is not None and processors_per_node < 1:
        raise TsujiError(f"processors_per_node = {processors_per_node}: must be at least 1")
    if not path.is_file():
        raise TsujiError(f"{path}: no such file")
    head: dict[str, int] = {}
    rows: list[tuple[int, float, float, int, int]] = []
    left_out = 0
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                if line.lstrip().startswith(";"):
                    _note(head, line)
                elif text := line.split():
                    row = _job(path, number, text)
                    if row is None:
                        left_out += 1
                    else:
                        rows.append(row)
    except (OSError, EOFError) as error:
        raise TsujiError(f"{path}: cannot be read ({error})") from error
    if not rows:
        raise TsujiError(f"{path}: no job says how many processors it has")
    known = head.get("MaxProcs", 0) > 0 and head.get("MaxNodes", 0) > 0
    a_node = processors_per_node or (max(1, head["MaxProcs"] // head["MaxNodes"]) if known else 1)
    jobs = pd.DataFrame(rows, columns=["job", "submit_s", "run_s", "processors", "status"])
    jobs.insert(4, "nodes", -(-jobs["processors"] // a_node))
    return JobLog(jobs, left_out, a_node)


def _note(head: dict[str, int], line: str) -> None:
    """Read a line of the header."""
    name, colon, value = line.lstrip(" ;\t").partition(":")
    words = value.split()
    if colon and name.strip() in ("MaxNodes", "MaxProcs") and words and words[0].isdigit():
        head.setdefault(name.strip(), int(words[0]))


def _job(path: Path, number: int, text: list[str]) -> tuple[int, float, float, int, int] | None:
    """Return a job's number, times, processors and status; None if its size is unknown, or if it never ran.

    A job that was cancelled before it began has no run time (−1) and no processors; what it requested counts nothing.
    """
    if len(text) != FIELDS:
        raise TsujiError(f"{path}:{number}: {len(text)} fields: expected the {FIELDS} of the Standard Workload Format")
    try:
        values = [float(field) for field in text]
        job, processors, requested, status = (int(values[k]) for k in (NUMBER, ALLOCATED, REQUESTED, STATUS))
    except (ValueError, OverflowError):
        raise TsujiError(f"{path}:{number}: `{' '.join(text)[:60]}`: expected {FIELDS} numbers") from None
    if processors == 0 and values[RUN_TIME] < 0:
        return None
    size = processors if processors > 0 else requested
    if size > _LARGEST_ENTRIES:
        raise TsujiError(f"{path}:{number}: {size} processors: expected at most {_LARGEST_ENTRIES}")
    return (job, values[SUBMIT], values[RUN_TIME], size, status) if size > 0 else None
