"""Processes of this machine: fewer if each point runs several threads."""

from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from sim.sweep import local_pool
from sim.sweep.local_pool import LocalPool


class Future:
    """A result that is there."""

    def result(self) -> None:
        """Return nothing."""


class Pool:
    """A pool of processes that notes how many there are, and computes in this one."""

    sizes: ClassVar[list[int]] = []

    def __init__(self, size: int, *_: Any, **__: Any) -> None:
        self.sizes.append(size)

    def submit(self, *_: Any) -> Any:
        return Future()

    def shutdown(self, **_: Any) -> None:
        pass


def point(threads: Any) -> Any:
    return SimpleNamespace(config=SimpleNamespace(run=SimpleNamespace(threads=threads)))


@pytest.mark.parametrize(
    ("threads", "workers", "processes"),
    [(1, 12, 12), ("auto", 6, 6), (2, 6, 4), (3, 2, 2), (4, 6, 2), (8, 6, None), (16, 6, None), (2, 1, None)],
)
def test_workers_times_threads_are_no_more_than_the_processors(monkeypatch, tmp_path, threads, workers, processes):
    """Where only one fits, points are computed in this process."""
    here = []
    monkeypatch.setattr(local_pool, "cpus", lambda: 8)
    monkeypatch.setattr(local_pool, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(local_pool, "as_completed", list)
    monkeypatch.setattr(local_pool, "simulate_into", lambda each, _: here.append(each))
    monkeypatch.setattr(LocalPool, "_compile", lambda *_: None)
    monkeypatch.setattr(Pool, "sizes", [])
    todo = [point(threads), point(1)]
    assert len(list(LocalPool(workers).compute(todo, [0, 1], tmp_path))) == 2
    assert Pool.sizes == ([] if processes is None else [processes])
    assert bool(here) == (processes is None)
