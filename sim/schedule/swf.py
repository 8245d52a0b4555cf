"""Logs of jobs in the Standard Workload Format, as the Parallel Workloads Archive has them: sizes of jobs.

Source of the format: Chapin et al., Benchmarks and Standards for the Evaluation of Parallel Job Schedulers (1999): a
job a line, 18 fields; `;` begins a comment, whose `MaxNodes` and `MaxProcs` we read; −1 is what is not known.
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
    """Jobs of a log that have a size.

    Attributes
    ----------
    jobs : pandas.DataFrame
        A row a job: `job`, `submit_s`, `run_s` (−1: not known), `processors`, `nodes`, `status`.
    left_out : int
        Jobs whose size the log does not say.
    processors_per_node : int
        By the log's head, or as given.
    """

    jobs: pd.DataFrame
    left_out: int
    processors_per_node: int

    @property
    def nodes(self) -> NDArray[np.int64]:
        """Nodes of each job."""
        return np.asarray(self.jobs["nodes"], np.int64)

    def share(self, nodes: int) -> float:
        """Return the share of jobs of at most so many nodes."""
        return float(np.mean(self.nodes <= nodes))

    def cdf(self) -> pd.DataFrame:
        """Return the distribution of sizes: of each that occurs, the share of jobs of at most as many nodes."""
        sizes, counts = np.unique(self.nodes, return_counts=True)
        return pd.DataFrame({"nodes": sizes, "share": np.cumsum(counts) / counts.sum()})

    def cache_entries(self, share: float = 0.99) -> int:
        """Return the entries of a route cache that hold all destinations of a share of the jobs, a power of two.

        A job's nodes are the destinations of its packets (paper A, figure 1): where the cache has as many entries, it
        misses each of them once only, conflicts left aside.

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
    """Read a log, `.swf` or `.swf.gz`.

    Parameters
    ----------
    path : Path
    processors_per_node : int or None
        None: `MaxProcs` ÷ `MaxNodes` of its head; 1 if it does not say.

    Raises
    ------
    TsujiError
        At a bad line, with what was expected; or if no job has a size.
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
    """Take in a line of the head."""
    name, colon, value = line.lstrip(" ;\t").partition(":")
    words = value.split()
    if colon and name.strip() in ("MaxNodes", "MaxProcs") and words and words[0].isdigit():
        head.setdefault(name.strip(), int(words[0]))


def _job(path: Path, number: int, text: list[str]) -> tuple[int, float, float, int, int] | None:
    """Return a job's number, times, processors and status; None: its size is not known."""
    if len(text) != FIELDS:
        raise TsujiError(f"{path}:{number}: {len(text)} fields: expected the {FIELDS} of the Standard Workload Format")
    try:
        values = [float(field) for field in text]
        job, processors, requested, status = (int(values[k]) for k in (NUMBER, ALLOCATED, REQUESTED, STATUS))
    except (ValueError, OverflowError):
        raise TsujiError(f"{path}:{number}: `{' '.join(text)[:60]}`: expected {FIELDS} numbers") from None
    size = processors if processors > 0 else requested
    if size > _LARGEST_ENTRIES:
        raise TsujiError(f"{path}:{number}: {size} processors: expected at most {_LARGEST_ENTRIES}")
    return (job, values[SUBMIT], values[RUN_TIME], size, status) if size > 0 else None
