"""Executors by name."""

import pytest

from models.errors import TsujiError
from sim.sweep.executor import open_executor
from sim.sweep.local_pool import LocalPool


def test_local_processes():
    for workers in (None, 1, 3):
        executor = open_executor("local", workers)
        assert isinstance(executor, LocalPool)
        executor.close()


@pytest.mark.parametrize(
    ("name", "workers", "told"),
    [
        ("ray://x", None, "--executor ray://x: must be local, dask://HOST:PORT or slurm:KEY=VALUE,…"),
        ("", None, "--executor : must be local"),
        ("local", 0, "workers = 0: must be a whole number, 1 or more"),
        (
            "dask://host:8786",
            2,
            "--workers 2: has no effect with --executor dask://host:8786, whose cluster has its own",
        ),
        ("slurm:jobs=1", 1, "--workers 1: has no effect with --executor slurm:jobs=1"),
    ],
)
def test_executors_are_checked(name, workers, told):
    with pytest.raises(TsujiError) as error:
        open_executor(name, workers)
    assert told in str(error.value)
