"""`tsuji engines`: compiles engines in processes, goes on after an interruption, refuses wrong numbers."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from models.errors import TsujiError
from models.jit import disk_cache
from tsuji import usual_engines
from tsuji.cli import command_line
from tsuji.usual_engines import USUAL, UsualEngine, compile_usual

ROOT = Path(__file__).parents[2]


def _engine(name: str, *settings: str) -> UsualEngine:
    return UsualEngine(name, (*usual_engines.TORUS, *usual_engines.SHORT, *settings))


def test_the_usual_kinds_are_what_they_are_named() -> None:
    """Each is another kind of engine: in batches or not, with messages or not, lean or not."""
    from sim.config import load
    from sim.engine.dispatch import _lean
    from sim.simulation import build

    kinds = set()
    for each in USUAL:
        network = build(load(None, each.settings))
        kind = network._engine.hooks.batched, each.messages, bool(_lean(network._engine))
        kinds.add(kind)
        assert kind[0] == ("batches" in each.name)
        assert kind[2] == ("other rare" not in each.name)
    assert len(kinds) == len(USUAL)


def test_an_engine_that_cannot_be_built_is_an_error() -> None:
    with pytest.raises(TsujiError, match=r"switch.vcs = 0"):
        list(compile_usual([_engine("none", "switch.vcs=0")], 1))


@pytest.mark.parametrize("workers", ["0", "-1"])
def test_the_number_of_processes_is_checked(workers: str) -> None:
    done = CliRunner().invoke(command_line(["engines"]), ["engines", "--workers", workers])
    assert isinstance(done.exception, TsujiError)
    assert f"workers = {workers}: must be a whole number, 1 or more" in str(done.exception)


def test_a_folder_that_cannot_be_written_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would compile for minutes, keep nothing, and say that the engines are there."""
    (tmp_path / "code").write_text("a file")
    monkeypatch.setattr(disk_cache, "folder", lambda: tmp_path / "code")
    monkeypatch.setattr(usual_engines, "USUAL", ())
    done = CliRunner().invoke(command_line(["engines"]), ["engines", "--workers", "1"])
    assert isinstance(done.exception, TsujiError)
    assert "compiled code cannot be stored" in str(done.exception)


INTERRUPTED = """
import sys
from tsuji import usual_engines
from tsuji.cli import main
usual_engines.USUAL = tuple(
    usual_engines.UsualEngine(name, (*usual_engines.TORUS, "traffic.load=0.1", f"topology.radix=[{name},4]", setting))
    for name, setting in (("3", "measure.period=10"), ("4", sys.argv.pop()))
)
sys.argv = ["tsuji", "engines", "--workers", "1"]
if __name__ == "__main__":
    main()
"""


def test_an_interruption_leaves_no_process_and_keeps_what_is_finished(tmp_path: Path) -> None:
    """Ctrl-C ends it with the number of engines that are kept; the same command goes on."""
    program = tmp_path / "engines.py"
    program.write_text(INTERRUPTED)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}

    def start(setting: str) -> "subprocess.Popen[str]":
        command = [sys.executable, str(program), setting]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stderr=pipe, stdout=pipe, text=True, env=environment, start_new_session=True)

    process = start("measure.period=1000000")  # would take minutes
    assert process.stderr is not None
    lines = []
    while "1/2" not in "".join(lines):
        lines.append(process.stderr.readline())
        assert lines[-1], "".join(lines)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode
    assert "1 of 2 engines are kept in" in told
    deadline = time.monotonic() + 60
    while subprocess.run(["pgrep", "-s", str(process.pid)], capture_output=True, check=False).stdout:
        assert time.monotonic() < deadline, "a worker outlived the command"
        time.sleep(0.1)
    again = start("measure.period=10")
    printed, told = again.communicate(timeout=240)
    assert again.returncode == 0, told
    assert "2/2" in told
    assert "2 engines are in" in printed
