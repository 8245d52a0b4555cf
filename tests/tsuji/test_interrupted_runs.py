"""Ctrl-C and SIGTERM in a run that writes files: rows so far are kept, and the run says how far it came."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from models.errors import TsujiError
from sim.power.read import PowerFile, read_results
from tsuji.cli import command_line

EXAMPLES = Path(__file__).parents[2] / "examples"
ENDS = [("SIGTERM", 143, "interrupted by SIGTERM"), ("SIGINT", 130, "interrupted")]
PROGRAM = """
import os, signal
from mpi4py import MPI
comm = MPI.COMM_WORLD
for step in range(40):
    comm.Barrier()
    if step == 20 and comm.rank == 3:
        os.kill(os.getpid(), signal.{number})
        while True:
            pass
"""
MEASURING = """
import os, signal
import tsuji.cli
from tsuji.progress import Phases
def update(self, phase, done, expected):
    if phase == "measuring":
        os.kill(os.getpid(), signal.{number})
Phases.update = update
tsuji.cli.main()
"""


def tsuji(*arguments, code="from tsuji.cli import main; main()", cwd):
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=cwd
    )


@pytest.mark.parametrize(("number", "code", "said"), ENDS)
def test_a_workload_keeps_its_rows(tmp_path, number, code, said):
    """The signal comes while a rank's Python code runs."""
    (tmp_path / "program.py").write_text(PROGRAM.format(number=number))
    files = ["--links", "links.parquet", "--power-file", "power.parquet", "--operations", "operations.parquet"]
    settings = ["--chunk", "500", "--set", "power.chunk_ns=2000", "--json", "result.json"]
    network = [EXAMPLES / "workload_torus4x4x4.toml", "--ranks", "8"]
    done = tsuji("mpi", "program.py", *network, *files, *settings, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    line = next(line for line in done.stderr.splitlines() if "links.parquet" in line)
    assert line.startswith(f"{said} at ")
    assert line.endswith("is in links.parquet, power.parquet and power.switches.parquet")
    assert not (tmp_path / "result.json").exists()
    assert pd.read_parquet(tmp_path / "links.parquet")["bytes"].sum() > 0
    assert (pd.read_parquet(tmp_path / "operations.parquet").groupby("rank").size() > 20).all()
    links, switches = (pd.read_parquet(tmp_path / f"power{name}.parquet") for name in ("", ".switches"))
    assert links["end_ns"].max() == switches["end_ns"].max() > 2000
    assert f"at {links['end_ns'].max():,.0f} ns" in line
    assert str(PowerFile(tmp_path / "power.parquet").broken_off) in line


@pytest.mark.parametrize(("number", "code", "said"), ENDS)
def test_traffic_keeps_its_rows_and_view_says_so(tmp_path, number, code, said):
    settings = ["--set", "measure.period=500", "--set", "power.chunk_ns=100", "--power-file", "power.parquet"]
    arguments = ["run", EXAMPLES / "mesh2x3.toml", *settings]
    done = tsuji(*arguments, code=MEASURING.format(number=number), cwd=tmp_path)
    assert done.returncode == code, done.stderr
    line = done.stderr.splitlines()[-1]
    assert line.startswith(f"{said} at cycle ")
    assert line.endswith(
        "500 cycles after the measurement began; what is recorded until then is in power.parquet and "
        "power.switches.parquet"
    )
    with pytest.raises(TsujiError, match=rf"did not end, {said} at cycle .*; there are no figures"):
        read_results(tmp_path / "power.parquet")
    viewed = tsuji("view", "power.parquet", cwd=tmp_path)
    assert viewed.returncode == 0
    assert f"warning: power.parquet: of a broken-off run, {said} at cycle " in viewed.stderr
    assert (tmp_path / "power.html").exists()


def test_view_says_nothing_of_a_whole_run(tmp_path, recwarn):
    path = tmp_path / "power.parquet"
    settings = ["--set", "measure.period=500", "--json", str(tmp_path / "a.json"), "--power-file", str(path)]
    done = CliRunner().invoke(command_line(["run"]), ["run", str(EXAMPLES / "mesh2x3.toml"), *settings])
    assert done.exit_code == 0, done.output
    assert PowerFile(path).broken_off is None
    done = CliRunner().invoke(command_line(["view"]), ["view", str(path)])
    assert done.exit_code == 0, done.output
    assert not [each for each in recwarn if "broken-off" in str(each.message)]
    assert json.loads((tmp_path / "a.json").read_text())["power"] == PowerFile(path).summary
