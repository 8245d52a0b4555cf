"""`tsuji mpi` and `tsuji.mpi`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tsuji
from sim.mpi.comm import Comm

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "mpi"
IDEAL = "L=2500,o=1500,g=1000,G=6"


def _tsuji(*arguments: str) -> subprocess.CompletedProcess[str]:
    code = "from tsuji.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
        check=False,
    )


def test_a_script_prints_and_what_was_found_is_written(tmp_path: Path) -> None:
    out, table, trace = tmp_path / "out.json", tmp_path / "ranks.csv", tmp_path / "trace"
    done = _tsuji(
        *("mpi", str(EXAMPLES / "alltoall_ring.py"), "--ranks", "4", "--ideal", IDEAL, "--arg", "100"),
        *("--json", str(out), "--csv", str(table), "--record", str(trace)),
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(out.read_text())
    assert document["messages"] == 12
    assert document["bytes"] == 1200
    assert document["run_time_ns"] == 3 * (2 * 1500 + 2500 + 99 * 6)
    assert len(table.read_text().splitlines()) == 5
    replayed = _tsuji("replay", str(trace), "--ideal", IDEAL, "--json", str(out))
    assert replayed.returncode == 0, replayed.stderr
    assert json.loads(out.read_text())["ranks"]["end_ns"] == document["ranks"]["end_ns"]


@pytest.mark.parametrize(
    ("program", "arguments", "code", "message"),
    [
        ("MPI.COMM_WORLD.recv(source=0)", ("--ideal", IDEAL), 1, "rank 0 in recv: a message from rank 0, any tag"),
        ("MPI.COMM_WORLD.send(1, 9)", ("--ideal", IDEAL), 2, "dest = 9: must be a rank from 0 to 1"),
        ("", (), 2, "name a network to run on, or the parameters of the ideal one"),
        ("", ("--ideal", "L=x"), 2, "L=x: expected a number"),
        ("", ("--ideal", IDEAL, "--collective", "allreduce"), 2, "expected NAME=ALGORITHM"),
        ("", ("--ideal", IDEAL, "--mapping", "linear"), 2, "--mapping: the ideal network has no nodes"),
    ],
)
def test_errors_end_with_one_message(
    tmp_path: Path, program: str, arguments: tuple[str, ...], code: int, message: str
) -> None:
    script = tmp_path / "program.py"
    script.write_text(f"from mpi4py import MPI\n{program}\n")
    done = _tsuji("mpi", str(script), "--ranks", "2", *arguments)
    assert done.returncode == code, done.stderr
    assert message in done.stderr.replace("\n", " ").replace("  ", " ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("examples/mesh2x3.toml",), 0, "rank 5 of 6"),
        (("examples/mesh2x3.toml", "--ranks", "0"), 2, "ranks = 0: must be a whole number, 1 to 16384"),
        (("--ideal", IDEAL), 2, "say a CONFIG, each of whose nodes gets one rank, or --ranks N for the ideal network"),
    ],
)
def test_without_ranks_each_node_gets_one(tmp_path: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    script = tmp_path / "program.py"
    script.write_text("from mpi4py import MPI\ncomm = MPI.COMM_WORLD\nprint(f'rank {comm.rank} of {comm.size}')\n")
    done = _tsuji("mpi", str(script), *arguments)
    assert done.returncode == code, done.stderr
    assert message in (done.stdout + done.stderr).replace("\n", " ").replace("  ", " ")


def test_a_function_returns_its_values() -> None:
    def program(comm: Comm) -> int:
        return comm.allreduce(comm.rank)

    result, values = tsuji.mpi(program, 5, ideal={"L": 1000, "o": 100, "g": 0, "G": 1})
    assert values == [10] * 5
    assert len(result.frame()) == 5


def test_on_a_network_with_a_mapping(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torus = {"topology": {"kind": "torus", "radix": [4]}, "switch": {"routing": "dimension_order"}}
    settings = {"run.specialise": False}

    def program(comm: Comm) -> None:
        if comm.rank == 0:
            comm.send(None, 1, bytes=8)
        else:
            comm.recv(source=0)

    prints = tmp_path / "prints.py"
    prints.write_text("from mpi4py import MPI\nprint(f'rank {MPI.COMM_WORLD.rank} was here')\n")
    result, _ = tsuji.mpi(prints, 2, torus, settings)
    assert result.ideal_ranks is not None
    assert capsys.readouterr().out == "rank 0 was here\nrank 1 was here\n"  # not repeated on the ideal network
    times = [
        tsuji.mpi(program, 2, torus, settings, mapping=mapping)[0].run_time_ns
        for mapping in ("linear", [0, 1], [0, 2], "random:1")
    ]
    assert times[0] == times[1] < times[2]
    traced, _ = tsuji.mpi(program, 2, torus, settings, mapping=[0, 2], record=tmp_path / "t")
    replayed = tsuji.replay(tmp_path / "t", torus, settings, mappings=[[0, 2]])
    assert replayed.ranks.end.tolist() == traced.ranks.end.tolist()
