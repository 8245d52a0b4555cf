"""Worker processes of a sweep: forked from a process that has everything loaded, told how many points are left."""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from models.errors import TsujiError
from sim.config import Config, load
from sim.engine import payback
from sim.lib.progress import listening, report
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


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_workers_have_what_this_process_has_loaded(tmp_path: Path) -> None:
    """The engine, loaded once, is not loaded again; what workers report does not reach a listener of this process."""
    told: list[str] = []
    with listening(lambda stage, done, total: told.append(stage)):
        found = _points(2, tmp_path)
    assert {tuple(each["loaded"]) for each in found} == {("engine",)}
    assert os.getpid() not in {each["process"] for each in found}
    assert told == []


@pytest.mark.parametrize("workers", [1, 2])
def test_each_point_knows_how_many_are_left(workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payback, "_more_runs", [0])
    assert [each["left"] for each in _points(workers, tmp_path)] == [5, 4, 3, 2, 1, 0]


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_a_worker_that_ends_is_named_with_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Point, "simulate", lambda self: os._exit(3))
    with pytest.raises(TsujiError, match="a worker process ended unexpectedly; finished points are kept in"):
        _points(2, tmp_path)
