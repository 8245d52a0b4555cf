"""`tsuji power`, and the energy account of the commands that simulate."""

import json
import sys
from pathlib import Path

import pandas as pd
import pytest

from tsuji.cli import main

ROOT = Path(__file__).parents[2]
RING = str(ROOT / "examples" / "goal" / "ring_allreduce.goal")
PING_PONG = str(ROOT / "examples" / "mpi" / "ping_pong.py")
TORUS = str(ROOT / "examples" / "workload_torus4x4x4.toml")
COMPUTED = str(ROOT / "examples" / "torus8x8_computed.toml")
SLOW = ["--set", "run.specialise=false"]
SHORT = ["--set", "measure.period=100", "--set", "measure.max_measure_periods=10", *SLOW]
MEMBERS = {"mean_w", "peak_w", "energy_j", "energy_by_state_j"}


def tsuji(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["tsuji", *map(str, arguments)])
    try:
        main()
    except SystemExit as end:
        return end.code or 0
    return 0


@pytest.mark.parametrize(
    "command",
    [
        ["run", COMPUTED, *SHORT],
        ["replay", RING, TORUS, *SLOW, "--no-slow-down"],
        ["mpi", PING_PONG, TORUS, "--ranks", "2", *SLOW, "--no-slow-down"],
    ],
    ids=lambda command: command[0],
)
def test_power_is_in_the_result(command, tmp_path, monkeypatch, capsys):
    found, links = tmp_path / "found.json", tmp_path / "links.csv"
    assert tsuji(monkeypatch, *command, "--power", "--json", found) == 0
    assert " W, mean" in capsys.readouterr().out
    power = json.loads(found.read_text())["power"]
    assert set(power) >= MEMBERS
    assert power["energy_j"] == pytest.approx(power["mean_w"] * power["duration_ns"] * 1e-9)
    assert tsuji(monkeypatch, *command, "--power-file", links, "--json", found) == 0
    assert json.loads(found.read_text())["power"] == power
    table, switches = pd.read_csv(links), pd.read_csv(tmp_path / "links.switches.csv")
    seconds = (switches["end_ns"] - switches["start_ns"]) * 1e-9
    assert (switches["mean_w"] * seconds).sum() == pytest.approx(power["energy_j"])
    assert table["flits"].sum() == power["flits"]
    assert tsuji(monkeypatch, *command, "--json", found) == 0
    assert json.loads(found.read_text()).get("power") is None


def test_a_sweep_and_its_pictures(tmp_path, monkeypatch, capsys):
    found, pareto = tmp_path / "found.json", tmp_path / "pareto.png"
    over = ["--over", "power.t_lt_ns=off,0,100", "--set", "power.t_ls_ns=50", "--set", "power.t_lw_ns=30"]
    kept = ["--dir", tmp_path / "kept", "--workers", "1", "--json", found]
    assert tsuji(monkeypatch, "sweep", COMPUTED, "--power", *over, *SHORT, *kept) == 0
    points = json.loads(found.read_text())["points"]
    off, soonest, later = (point["power"]["mean_w"] for point in points)
    assert soonest < later < off
    capsys.readouterr()
    assert tsuji(monkeypatch, "power", found, "--pareto", pareto, "--by-state", tmp_path / "states.png") == 0
    printed = capsys.readouterr().out
    for label in ("T_lt off", "T_lt 0 µs", "T_lt 0.1 µs", "energy ÷"):
        assert label in printed
    assert pareto.stat().st_size > 10_000


def test_a_sweep_of_a_workload(tmp_path, monkeypatch, capsys):
    found = tmp_path / "found.json"
    over = ["--over", "power.t_lt_ns=off,0", "--power", "--workload", RING, "--no-slow-down", *SLOW]
    kept = ["--dir", tmp_path / "kept", "--workers", "1", "--json", found]
    assert tsuji(monkeypatch, "sweep", TORUS, *over, *kept) == 0
    assert all(set(point["power"]) >= MEMBERS for point in json.loads(found.read_text())["points"])
    assert tsuji(monkeypatch, "power", found) == 0
    assert "T_lt 0 µs" in capsys.readouterr().out


def test_power_over_time(tmp_path, monkeypatch):
    links = tmp_path / "links.parquet"
    assert tsuji(monkeypatch, "replay", RING, TORUS, *SLOW, "--no-slow-down", "--power-file", links) == 0
    assert tsuji(monkeypatch, "power", links, "--over-time", tmp_path / "time.png") == 0
    assert (tmp_path / "time.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", COMPUTED, "--power-file", "links.txt"], "--power-file links.txt: must end in .csv or .parquet"),
        (
            ["run", COMPUTED, "--power", "--set", "power.t_lt_ns=soon"],
            "power.t_lt_ns = 'soon': not an allowed value; allowed: ≥ 0",
        ),
        (["run", COMPUTED, "--power", "--set", "switch.counter_width=0"], "power is read from the counters"),
        (["replay", RING, "--ideal", "L=1,o=1,g=1,G=1,O=0,S=1", "--power"], "--power: the ideal network has no"),
        (["power", TORUS], "cannot be read"),
    ],
)
def test_bad_input(arguments, message, monkeypatch, capsys):
    assert tsuji(monkeypatch, *arguments) == 2
    assert message in capsys.readouterr().err


def test_over_time_needs_a_file_over_time(tmp_path, monkeypatch, capsys):
    found = tmp_path / "found.json"
    assert tsuji(monkeypatch, "replay", RING, TORUS, *SLOW, "--no-slow-down", "--power", "--json", found) == 0
    assert tsuji(monkeypatch, "power", found, "--over-time", tmp_path / "time.png") == 2
    assert "JSON has no time" in capsys.readouterr().err
