"""Points computed by Slurm jobs; `sbatch` is a stand-in that runs the job's script at once, on this machine."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from models.errors import TsujiError
from sim.sweep.executor import open_executor
from sim.sweep.slurm import slurm_options
from sim.sweep.sweep import run
from tests.sim.sweep.test_dask_cluster import Point

NEEDED = "jobs=1,cores=1,memory=1GB,walltime=00:05:00"

SBATCH = """#!/bin/sh
cp "$1" "{folder}/job.sh"
setsid sh "{folder}/job.sh" > "{folder}/job.log" 2>&1 &
echo $! > "{folder}/job.pid"
echo "Submitted batch job 7"
"""


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the folder with the script of the job that `sbatch` was given."""
    for name, text in {"sbatch": SBATCH.format(folder=tmp_path), "scancel": "#!/bin/sh\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    yield tmp_path
    with suppress(FileNotFoundError, ProcessLookupError):
        os.killpg(int((tmp_path / "job.pid").read_text()), signal.SIGKILL)


def test_jobs_compute_points(slurm: Path) -> None:
    (slurm / "go").touch()
    found = run([Point(number, slurm) for number in range(3)], slurm, None, None, f"slurm:{NEEDED},queue=short")
    assert [each.document()["number"] for each in found] == [0, 1, 2]
    script = (slurm / "job.sh").read_text(encoding="utf-8")
    for line in ("#SBATCH -J tsuji", "#SBATCH -p short", "#SBATCH --cpus-per-task=1", "#SBATCH -t 00:05:00"):
        assert line in script


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "needs jobs, cores, memory, walltime; write such as slurm:jobs=4,cores=16,memory=64GB,walltime=04:00:00"),
        ("jobs=1,cores=1", "needs memory, walltime"),
        ("nodes=2", "nodes: there is no such option; there are jobs, cores, memory"),
        (f"{NEEDED},jobs=2", "jobs: is given twice"),
        ("jobs=0", "jobs = '0': must be such as 4"),
        ("memory=64", "memory = '64': must be such as 64GB"),
        ("walltime=4h", "walltime = '4h': must be such as 04:00:00"),
        ("queue=a b", "queue = 'a b': must be such as main"),
    ],
)
def test_options_are_checked(text: str, told: str) -> None:
    with pytest.raises(TsujiError) as error:
        slurm_options(text)
    assert told in str(error.value)


def test_options_are_checked_before_anything_starts() -> None:
    with pytest.raises(TsujiError, match="cores"):
        open_executor("slurm:jobs=4", None)


def test_without_slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TsujiError, match=r"no command sbatch here; run it on a login node"):
        run([Point(0, tmp_path)], tmp_path, None, None, f"slurm:{NEEDED}")
