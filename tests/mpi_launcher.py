"""Runs programs under MPI: `tsuji[test]` installs mpi4py and MPICH, whose launcher is beside the interpreter."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 600


def under_mpi(
    count: int, *arguments: object, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments in `count` processes; the test is skipped without MPI."""
    launcher = shutil.which("mpiexec", path=Path(sys.executable).parent) or shutil.which("mpiexec")
    if launcher is None or find_spec("mpi4py") is None:
        pytest.skip("no mpiexec or no mpi4py: pip install 'tsuji[mpi]' installs both")
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})}
    variables["PRTE_MCA_rmaps_default_mapping_policy"] = ":oversubscribe"  # Open MPI: more processes than cores
    command = [launcher, "-n", str(count), sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=variables, timeout=SECONDS, check=False)
