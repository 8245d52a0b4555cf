"""Executor of Slurm jobs: `slurm:queue=main,cores=16,memory=64GB,walltime=04:00:00,jobs=4`, by dask-jobqueue.

Each job runs one worker process per core. Jobs are submitted when the first point is computed, and end with the sweep.
"""

from __future__ import annotations

import re
import shutil
from typing import Any

from models.errors import TsujiError
from sim.sweep.dask_cluster import HELP, DaskCluster

OPTIONS = {
    "jobs": r"[1-9]\d{0,4}",
    "cores": r"[1-9]\d{0,3}",
    "memory": r"[1-9]\d*[KMGT]i?B",
    "walltime": r"(\d+-)?\d{1,2}:\d{2}:\d{2}",
    "queue": r"[\w.-]+",
    "account": r"[\w.-]+",
    "interface": r"[\w.-]+",
}
"""Options and the form of their values. `interface` is the network interface on which processes talk, such as ib0."""
NEEDED = ("jobs", "cores", "memory", "walltime")


def slurm_options(text: str) -> dict[str, str]:
    """Return the options of `slurm:`.

    Raises
    ------
    TsujiError
        If there is no such option, a value has another form, or an option is missing.
    """
    given: dict[str, str] = {}
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        if key not in OPTIONS or key in given:
            told = "is given twice" if key in given else f"there is no such option; there are {', '.join(OPTIONS)}"
            raise TsujiError(f"--executor slurm:{text}: {key}: {told}")
        if not re.fullmatch(OPTIONS[key], value, re.ASCII):
            raise TsujiError(f"--executor slurm:{text}: {key} = {value!r}: must be such as {EXAMPLES[key]}")
        given[key] = value
    if missing := [key for key in NEEDED if key not in given]:
        example = ",".join(f"{key}={EXAMPLES[key]}" for key in NEEDED)
        raise TsujiError(f"--executor slurm:{text}: needs {', '.join(missing)}; write such as slurm:{example}")
    return given


EXAMPLES = {
    "jobs": "4",
    "cores": "16",
    "memory": "64GB",
    "walltime": "04:00:00",
    "queue": "main",
    "account": "project",
    "interface": "ib0",
}


def slurm_cluster(text: str) -> DaskCluster:
    """Return the executor of Slurm jobs with these options."""
    given = slurm_options(text)

    def start() -> Any:
        try:
            from dask_jobqueue.slurm import SLURMCluster
        except ImportError as error:
            raise TsujiError(f"--executor slurm:{text}: needs dask-jobqueue; {HELP}") from error

        if shutil.which("sbatch") is None:
            raise TsujiError(f"--executor slurm:{text}: no command sbatch here; run it on a login node of the cluster")
        keywords: dict[str, Any] = {key: value for key, value in given.items() if key not in ("jobs", "cores")}
        jobs, cores = int(given["jobs"]), int(given["cores"])
        cluster: Any = SLURMCluster(cores=cores, processes=cores, job_name="tsuji", **keywords)
        cluster.scale(jobs=jobs)
        return cluster

    return DaskCluster(f"slurm:{text}", start)
