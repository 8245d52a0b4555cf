"""Worker processes of a sweep: forked from a loaded process, told how many points are left, fewer with threads."""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from models.errors import TsujiError
from sim.config import Config, load
from sim.engine import payback
from sim.lib.progress import listening, report
from sim.sweep import local_pool
from sim.sweep.local_pool import LocalPool

LOADED: list[str] = []  # what this process has loaded


@dataclass
class _Document:
    content: dict[str, Any]

    def document(self) -> dict[str, Any]:
        return self.content


@dataclass
class _Point:
    """A point that reports the process it runs in."""

    number: int
    config: Config = field(default_factory=lambda: load(None, ["traffic.load=0.1"]))
    values: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.number}.json"

    def simulate(self) -> _Document:
        report("in a worker")
        left = payback._more_runs[0]
        return _Document({"process": os.getpid(), "loaded": list(LOADED), "left": left})

    def read(self, document: Any) -> _Document:
        return _Document(dict(document))

    def compile(self) -> None:
        LOADED.append("engine")


def _points(workers: int, folder: Path) -> list[dict[str, Any]]:
    import json

    LOADED.clear()
    pool = LocalPool(workers)
    try:
        list(pool.compute([_Point(number) for number in range(6)], range(6), folder))
    finally:
        pool.close()
    return [json.loads((folder / f"{number}.json").read_text()) for number in range(6)]


def test_each_kind_of_engine_is_compiled_once_before_workers_start() -> None:
    """A sweep from 16 to 64 switches needs one of single switches, and one of batches."""
    LOADED.clear()
    pool = LocalPool(2)
    for size in (4, 4, 8, 8, 4):
        pool._compile(_Point(0, load(None, ['topology.kind="torus"', f"topology.radix=[{size},{size}]"])))
    assert LOADED == ["engine"] * 2


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_workers_have_what_this_process_has_loaded(tmp_path: Path) -> None:
    """The engine, loaded once, is not loaded again; what workers report does not reach a listener of this process."""
    told: list[str] = []
    with listening(lambda stage, done, total: told.append(stage)):
        found = _points(2, tmp_path)
    assert {tuple(each["loaded"]) for each in found} == {("engine",)}
    assert os.getpid() not in {each["process"] for each in found}
    assert "in a worker" not in told


@pytest.mark.parametrize("workers", [1, 2])
def test_each_point_knows_how_many_are_left(workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payback, "_more_runs", [0])
    assert [each["left"] for each in _points(workers, tmp_path)] == [5, 4, 3, 2, 1, 0]


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_a_worker_that_ends_is_named_with_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Point, "simulate", lambda self: os._exit(3))
    with pytest.raises(TsujiError, match="a worker process ended unexpectedly; finished points are kept in"):
        _points(2, tmp_path)


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
    monkeypatch.setattr(local_pool, "simulate_into", lambda each, *_: here.append(each))
    monkeypatch.setattr(LocalPool, "_compile", lambda *_: None)
    monkeypatch.setattr(Pool, "sizes", [])
    todo = [point(threads), point(1)]
    assert len(list(LocalPool(workers).compute(todo, [0, 1], tmp_path))) == 2
    assert Pool.sizes == ([] if processes is None else [processes])
    assert bool(here) == (processes is None)
