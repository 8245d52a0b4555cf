"""An empty configuration is the network of the defaults, wherever one is read."""

import sys
from pathlib import Path

import pytest

from sim.plot.recorded import read_recorded
from sim.topology.torus import Grid
from tsuji.cli import main

ROOT = Path(__file__).resolve().parents[2]
SHORT = ("measure.period=200", "traffic.load=0.05")
SETTINGS = [text for setting in SHORT for text in ("--set", setting)]


@pytest.fixture
def tsuji(tmp_path, monkeypatch, capsys):
    """Return a function that runs a command in a folder with an empty file; it returns exit code, output and errors."""
    (tmp_path / "empty.toml").write_text("# nothing is set\n")
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["tsuji", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code or 0, *capsys.readouterr()

    return run


def test_a_network_of_the_defaults(tsuji):
    code, printed, _ = tsuji("topology", "empty.toml")
    assert code == 0
    assert "8×8 torus" in printed


def test_its_power_can_be_viewed(tsuji, tmp_path):
    code, _, errors = tsuji("run", "empty.toml", *SETTINGS, "--power-file", "p.parquet")
    assert code == 0, errors
    assert isinstance(read_recorded(tmp_path / "p.parquet", ["mean_w"], ["mean_w"]).topology, Grid)
    assert tsuji("view", "p.parquet", "--heat-map", "p.png")[0] == 0


def test_programs_and_switches(tsuji):
    program = str(ROOT / "examples" / "mpi" / "ping_pong.py")
    assert tsuji("mpi", program, "empty.toml", "--ranks", "2", "--no-slow-down")[0] == 0
    assert tsuji("verilog", "empty.toml", "-o", "switch.v")[0] == 0


@pytest.mark.parametrize("command", ["power", "view"])
def test_it_is_no_result(tsuji, command):
    code, _, errors = tsuji(command, "empty.toml")
    assert code == 2
    assert errors.startswith("error: empty.toml: cannot be read")
