"""Programs written for mpi4py print the same under MPI and on a simulated network.

`calls.txt` is what `mpi4py_programs/calls.py` printed under MPICH; the campaign runs MPI again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sim.mpi.programs import run

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent / "mpi4py_programs"
PROGRAMS = [HERE / "calls.py", ROOT / "examples" / "mpi" / "conjugate_gradient.py"]
RANKS = 4
ENVIRONMENT = "TSUJI_MPI"


def _under_mpi(program: Path) -> str:
    """Return what a program prints under MPI; the test is skipped without MPI."""
    folder = Path(os.environ.get(ENVIRONMENT, Path(sys.executable).parent.parent)) / "bin"
    python, mpiexec = folder / "python", shutil.which("mpiexec", path=folder) or shutil.which("mpiexec")
    if mpiexec is None:
        pytest.skip(f"no mpiexec in {folder} or in PATH: make mpi installs one")
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if subprocess.run([python, "-c", "import mpi4py"], capture_output=True, env=clean, check=False).returncode:
        pytest.skip(f"{python} has no mpi4py: make mpi installs it; {ENVIRONMENT} names the environment")
    clean["PRTE_MCA_rmaps_default_mapping_policy"] = ":oversubscribe"  # Open MPI: more ranks than cores
    command = [mpiexec, "-n", str(RANKS), python, program]
    done = subprocess.run(command, capture_output=True, text=True, env=clean, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _simulated(program: Path, capsys: pytest.CaptureFixture[str]) -> str:
    run(program, RANKS)
    return capsys.readouterr().out


def test_all_calls_return_what_they_returned_under_mpi(capsys: pytest.CaptureFixture[str]) -> None:
    assert _simulated(HERE / "calls.py", capsys).splitlines() == (HERE / "calls.txt").read_text().splitlines()


def test_a_recorded_run_returns_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(HERE / "calls.py", RANKS, record=tmp_path / "trace", operations=tmp_path / "operations.parquet")
    assert capsys.readouterr().out == (HERE / "calls.txt").read_text()


@pytest.mark.campaign
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_the_same_is_printed_under_mpi(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = _under_mpi(program)
    assert printed
    assert _simulated(program, capsys) == printed


@pytest.mark.campaign
def test_the_kept_results_are_those_of_mpi() -> None:
    assert _under_mpi(HERE / "calls.py") == (HERE / "calls.txt").read_text()
