"""Where the points of a sweep are computed: in processes of this machine, or by a Dask cluster.

`--executor local | dask://HOST:PORT | slurm:KEY=VALUE,…`. An executor computes points and writes their results; what
is stored, and in which order results are returned, does not depend on it (`sim.sweep.sweep.Simulations`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from models.errors import TsujiError
from sim.lib.array_check import check_int
from sim.sweep.runnable import Runnable

LOCAL = "local"
ALLOWED = "local, dask://HOST:PORT or slurm:KEY=VALUE,…"


class Executor(Protocol):
    """Computes points."""

    def compute(self, todo: Sequence[Runnable[Any]], numbers: Sequence[int], directory: Path) -> Iterator[int]:
        """Compute the points of these numbers, write their results, and yield each number as its result is there."""

    def close(self) -> None:
        """End what the executor started."""


def open_executor(name: str, workers: int | None) -> Executor:
    """Return an executor by its name.

    Parameters
    ----------
    name : str
        `local`; `dask://HOST:PORT`, the scheduler of a running Dask cluster; or `slurm:` and options of a cluster of
        Slurm jobs, see `sim.sweep.slurm`.
    workers : int or None
        Number of processes of `local`, None: 1. Other executors have as many as their cluster, and take None only.

    Raises
    ------
    TsujiError
        If there is no such executor, or it cannot have this number of workers.
    """
    if name == LOCAL:
        from sim.sweep.local_pool import LocalPool

        return LocalPool(1 if workers is None else check_int("workers", workers, 1))
    kind, _, rest = name.partition(":")
    if kind not in ("dask", "slurm"):
        raise TsujiError(f"--executor {name}: must be {ALLOWED}")
    if workers is not None:
        raise TsujiError(
            f"--workers {workers}: has no effect with --executor {name}, whose cluster has its own; omit it"
        )
    if kind == "slurm":
        from sim.sweep.slurm import slurm_cluster

        return slurm_cluster(rest)
    from sim.sweep.dask_cluster import DaskCluster

    return DaskCluster(name)
