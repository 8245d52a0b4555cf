"""Points computed by a Dask cluster, whose workers and scheduler may be killed in the middle."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from distributed import LocalCluster

from models.errors import TsujiError
from sim.config import Config, load
from sim.sweep.axes import Axis
from sim.sweep.dask_cluster import Computed, DaskCluster
from sim.sweep.executor import open_executor
from sim.sweep.sweep import Simulations, points, run

ROOT = Path(__file__).parents[3]


class Document:
    """A result that is its document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document

    def document(self) -> dict[str, Any]:
        return self._document


@dataclass(frozen=True)
class Point:
    """A point that says in a file that it has begun, and ends when a file `go` is there."""

    number: int
    folder: Path
    fails: str = ""

    @property
    def values(self) -> dict[str, str]:
        return {"number": str(self.number)}

    @property
    def name(self) -> str:
        return f"{self.number}.json"

    @property
    def config(self) -> Config:
        return load(None, ["traffic.load=0.1"])

    def simulate(self) -> Document:
        (self.folder / f"begun-{self.number}-{os.getpid()}").touch()
        while not (self.folder / "go").exists():
            time.sleep(0.01)
        if self.fails:
            raise TsujiError(self.fails)
        return Document({"number": self.number, "by": os.getpid()})

    def read(self, document: dict[str, Any]) -> Document:
        return Document(document)


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as started:
        yield started


def name_of(cluster: LocalCluster) -> str:
    return cluster.scheduler_address.replace("tcp://", "dask://")


def begun(folder: Path) -> dict[int, int]:
    """Return, by the number of a point that has begun, the process that computes it."""
    marks = [path.name.split("-") for path in folder.glob("begun-*")]
    return {int(number): int(process) for _, number, process in marks}


def wait(condition: Any, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_each_point_is_computed_once_and_kept(cluster: LocalCluster, tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    told: list[int] = []
    found = run([Point(number, tmp_path) for number in range(5)], tmp_path, None, told.append, name_of(cluster))
    assert [each.document()["number"] for each in found] == list(range(5))
    assert sorted(told) == list(range(5))
    assert len(list(tmp_path.glob("begun-*"))) == 5
    assert os.getpid() not in begun(tmp_path).values()
    again = [Point(number, tmp_path) for number in range(6)]
    run(again, tmp_path, None, told.append, name_of(cluster))
    assert len(list(tmp_path.glob("begun-*"))) == 6  # only the new one


def test_a_killed_worker_loses_no_point_and_repeats_none(cluster: LocalCluster, tmp_path: Path) -> None:
    """Of two workers one gets SIGKILL in the middle of its point: another computes it, and all are told once."""
    told: list[int] = []
    todo = [Point(number, tmp_path) for number in range(6)]
    found: list[Document] = []
    thread = threading.Thread(target=lambda: found.extend(run(todo, tmp_path, None, told.append, name_of(cluster))))
    thread.start()
    wait(lambda: len(begun(tmp_path)) == 2)
    number, victim = next(iter(begun(tmp_path).items()))
    os.kill(victim, signal.SIGKILL)
    (tmp_path / "go").touch()
    thread.join(60)
    assert [each.document()["number"] for each in found] == list(range(6))
    assert sorted(told) == list(range(6))
    assert found[number].document()["by"] != victim
    assert {json.loads((tmp_path / each.name).read_text())["by"] for each in todo}.isdisjoint({victim})


def test_errors_of_points_come_back(cluster: LocalCluster, tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    todo = [Point(0, tmp_path), Point(1, tmp_path, fails="link 3 is cut")]
    with pytest.raises(TsujiError, match=r"link 3 is cut\nin the point number=1"):
        run(todo, tmp_path, None, None, name_of(cluster))
    with pytest.raises(TsujiError, match="in the point number=1"):  # point 0 is kept, whether it was there before
        run(todo, tmp_path, None, None, name_of(cluster))


def test_another_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TsujiError, match="node7 has another version of tsuji than"):
        DaskCluster("dask://127.0.0.1:8786")._check(Computed({}, "other", "node7"))


def test_a_lost_scheduler_keeps_finished_points(tmp_path: Path) -> None:
    script = (
        "import sys, time\n"
        "from distributed import LocalCluster\n"
        "if __name__ == '__main__':\n"
        "    started = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, silence_logs=50)\n"
        "    print(started.scheduler_address, flush=True)\n"
        "    time.sleep(300)\n"
    )
    path = tmp_path / "cluster.py"
    path.write_text(script, encoding="utf-8")
    where = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, path], stdout=subprocess.PIPE, text=True, env=where, cwd=ROOT) as process:
        try:
            assert process.stdout is not None
            name = process.stdout.readline().strip().replace("tcp://", "dask://")
            (tmp_path / "go").touch()
            with Simulations(tmp_path, None, name) as simulations:
                simulations.run([Point(0, tmp_path)])
                (tmp_path / "go").unlink()
                stop = threading.Thread(
                    target=lambda: (wait(lambda: 1 in begun(tmp_path)), os.kill(process.pid, signal.SIGKILL))
                )
                stop.start()
                with pytest.raises(TsujiError, match="lost its scheduler; finished points are kept in"):
                    simulations.run([Point(number, tmp_path) for number in range(3)])
                stop.join()
        finally:
            (tmp_path / "go").touch()
            process.kill()
    assert (tmp_path / "0.json").exists()
    assert not (tmp_path / "1.json").exists()
    run([Point(number, tmp_path) for number in range(3)], tmp_path)  # here
    assert len(list(tmp_path.glob("begun-0-*"))) == 1


@pytest.mark.parametrize("name", ["dask://", "dask://host", "dask:host:1", "dask://host:99999", "dask://host:x"])
def test_addresses_are_checked(name: str) -> None:
    with pytest.raises(TsujiError, match="must be dask://HOST:PORT, the address of a Dask scheduler"):
        open_executor(name, None)


def test_a_scheduler_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.sweep.dask_cluster.CONNECT_S", 0.5)
    with pytest.raises(TsujiError, match=r"--executor dask://127.0.0.1:9: no scheduler answers there within 0.5 s"):
        run([Point(0, tmp_path)], tmp_path, None, None, "dask://127.0.0.1:9")


def test_a_cluster_without_workers_says_so(tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    with LocalCluster(n_workers=0, dashboard_address=None, silence_logs=50) as empty:
        name = name_of(empty)
        threading.Timer(1.0, empty.scale, (1,)).start()
        with pytest.warns(UserWarning, match="has no workers yet; points wait for the first one"):
            run([Point(0, tmp_path)], tmp_path, None, None, name)


def test_figures_are_those_of_this_machine(cluster: LocalCluster, tmp_path: Path) -> None:
    small = [
        "topology.radix=[2, 2]",
        "measure.period=100",
        "measure.measure_periods=5",
        "measure.max_measure_periods=5",
    ]
    todo = points(None, small, [Axis("traffic.load", ("0.1", "0.2"))])
    here = run(todo, tmp_path / "here", 1)
    there = run(todo, tmp_path / "there", None, None, name_of(cluster))
    figures = [[{k: v for k, v in each.document().items() if k != "wall_s"} for each in side] for side in (here, there)]
    assert figures[0] == figures[1]
