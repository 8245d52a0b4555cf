"""Ten kinds of bad files and programs: each ends with one clear message and its exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sim.schedule.ti.traces import write
from tsuji.cli import main

ROOT = Path(__file__).parents[2]
TORUS = str(ROOT / "examples" / "workload_torus4x4x4.toml")
IDEAL = ("--ideal", "L=1000,o=100,g=10,G=1")
Arguments = list[str | Path]


def trace(folder: Path, *ranks: str) -> Arguments:
    return ["replay", write(folder / "trace", *ranks), *IDEAL]


def cut(folder: Path) -> Arguments:
    path = write(folder / "trace", "compute 1", "compute 1")
    file = path / "rank0001.txt"
    file.write_text(file.read_text()[: -len("finalize\n")])
    return ["replay", path, *IDEAL]


def goal(folder: Path, text: str) -> Arguments:
    file = folder / "bad.goal"
    file.write_text(text)
    return ["replay", file, *IDEAL]


def packets(folder: Path, text: str) -> Arguments:
    file = folder / "bad.packets"
    file.write_text(text)
    return ["replay", file, TORUS]


def program(folder: Path, text: str, ranks: int = 2) -> Arguments:
    file = folder / "program.py"
    file.write_text(f"from mpi4py import MPI\ncomm = MPI.COMM_WORLD\n{text}\n")
    return ["mpi", file, "--ranks", str(ranks), *IDEAL]


def mapping(folder: Path, text: str) -> Arguments:
    file = folder / "nodes.txt"
    file.write_text(text)
    return ["replay", write(folder / "trace", "send 1 1 1 0", "recv 0 1 1 0"), TORUS, "--mapping", file]


CASES: dict[str, tuple[Callable[[Path], Arguments], int, str]] = {
    "cut trace": (cut, 2, "rank0001.txt:"),
    "unknown action": (lambda folder: trace(folder, "shout 1", ""), 2, "rank0000.txt:2: `0 shout 1` (unknown action)"),
    "rank out of range": (lambda folder: trace(folder, "send 2 1 1 0", ""), 2, "(2 is not a rank from 0 to 1)"),
    "send without receive": (lambda folder: trace(folder, "send 1 1 1 0", ""), 2, "messages that nobody receives"),
    "counts that differ": (
        lambda folder: trace(folder, "allreduce 4 0 0", "allreduce 5 0 0"), 2, "allreduce of bytes 40, where"
    ),
    "collectives that differ": (lambda folder: trace(folder, "barrier", "bcast 1 0 0"), 2, "bcast, where"),
    "receive without send": (lambda folder: trace(folder, "recv 1 1 1 0", ""), 1, "ranks wait for ever"),
    "two ranks on a node of one interface": (
        lambda folder: mapping(folder, "3\n3\n"), 2, "nodes.txt:2: node 3 again, after line 1: it has 1"
    ),
    "zero ranks": (lambda folder: program(folder, "", 0), 2, "ranks = 0: must be a whole number"),
    "deadlocked program": (lambda folder: program(folder, "comm.recv(source=1 - comm.rank)"), 1, "wait for ever"),
    "program that fails": (lambda folder: program(folder, "1 / 0"), 2, "program.py:3: ZeroDivisionError"),
    "schedule with a line that says nothing": (
        lambda folder: goal(folder, "num_ranks 1\nrank 0 {\nl1: sing 5\n}\n"), 2, "bad.goal:3: "
    ),
    "schedule that requires what is not there": (
        lambda folder: goal(folder, "num_ranks 1\nrank 0 {\nl1: calc 5\nl1 requires l2\n}\n"), 2, "bad.goal:4: "
    ),
    "packet that is none": (lambda folder: packets(folder, "0 0 1 8\n5 0 one 8\n"), 2, "bad.packets:2: "),
    "no such file": (lambda folder: ["replay", folder / "nothing.goal", *IDEAL], 2, "nothing.goal"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_it_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make, code, message = CASES[name]
    monkeypatch.setenv("COLUMNS", "1000")
    monkeypatch.setattr(sys, "argv", ["tsuji", *map(str, make(tmp_path))])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr().err
    assert ended.value.code == code, said
    assert message in said
    assert "Traceback" not in said
    assert said.count("error") <= 1
