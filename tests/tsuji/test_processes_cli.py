"""`mpirun tsuji run`: the result of one process, told once; one message for an error."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from models.errors import TsujiError
from sim.engine.processes.launch import Launch
from tests.mpi_launcher import ROOT, under_mpi
from tsuji.cli import _tell, main, processes

MESH = ROOT / "examples" / "mesh2x3.toml"
QUICK = (
    "--set", "measure.period=200", "--set", "measure.max_measure_periods=2", "--set", "measure.max_warmup_periods=2",
    "--set", "measure.warmup_periods=1", "--set", "measure.measure_periods=1",
    "--set", "run.specialise=false",
)  # fmt: skip


def test_the_result_is_that_of_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["tsuji", "run", str(MESH), *QUICK, "--json", str(tmp_path / "one.json")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    done = under_mpi(
        2, "-m", "tsuji", "run", MESH, *QUICK, "--json", tmp_path / "two.json", "--csv", tmp_path / "two.csv"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("packets measured") == 1
    assert "by 2 processes" in done.stdout
    one, two = (json.loads((tmp_path / name).read_text()) for name in ("one.json", "two.json"))
    assert (one.pop("processes"), two.pop("processes")) == (1, 2)
    assert one.pop("wall_s") != two.pop("wall_s")
    assert one == two
    assert (tmp_path / "two.csv").read_text().count("\n") == 2


def test_an_error_is_told_once() -> None:
    done = under_mpi(2, "-m", "tsuji", "run", MESH, "--set", "traffic.load=7")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("error: traffic.load = 7") == 1
    assert done.stderr.count("\n") == 1, done.stderr


class One:
    """What is left of several processes, where each is asked for itself."""

    size = 2

    def __init__(self, rank: int) -> None:
        self.rank = rank

    def end(self, code: int, speak: object) -> int:
        assert callable(speak)
        speak()
        return code


class Started(Launch):
    def join(self) -> One:  # type: ignore[override]
        return One(self.rank)


def _run(command: str | None, work: object, rank: int = 0) -> int:
    with pytest.raises(SystemExit) as ended:
        processes.run_together(Started(2, rank), command, work, _tell)  # type: ignore[arg-type]
    processes._joined.set(None)
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.parametrize("command", ["sweep", "curve", "replay", "papers"])
def test_other_commands_take_one_process(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(command, lambda: pytest.fail("it ran")) == 2
    assert capsys.readouterr().err == (
        f"error: mpirun -n 2: `tsuji {command}` runs in one process; start it without mpirun\n"
    )


def test_another_process_than_the_first_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    """But for an error that it alone has."""

    def work() -> None:
        print("a table")
        print("progress", file=sys.stderr)
        assert not processes.writes()
        raise TsujiError("no memory")

    assert _run("run", work, rank=1) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "error: no memory\n")


def test_a_defect_is_told_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> None:
        raise ZeroDivisionError

    assert _run("run", work, rank=1) == 1
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_what_the_command_line_refuses_is_told_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> None:
        print("Usage: tsuji run", file=sys.stderr)
        raise SystemExit(2)

    assert _run("run", work, rank=0) == _run("run", work, rank=1) == 2
    assert capsys.readouterr().err == "Usage: tsuji run\n" * 2


def test_without_mpi4py_one_process_tells(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    for rank in (0, 1):
        with pytest.raises(SystemExit) as ended:
            processes.run_together(Launch(2, rank), "run", lambda: None, _tell)
        assert ended.value.code == 2
    assert capsys.readouterr().err.count("pip install 'tsuji[mpi]'") == 1


def test_energy_files_take_one_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    processes._joined.set(One(0))  # type: ignore[arg-type]
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setattr(sys, "argv", ["tsuji", "run", str(MESH), "--power-file", str(tmp_path / "power.csv")])
    try:
        with pytest.raises(SystemExit) as ended:
            main()
    finally:
        processes._joined.set(None)
    assert ended.value.code == 2
    assert "power.csv: one process only; start it without mpirun, or leave it out" in sys.stderr.getvalue()  # type: ignore[attr-defined]
