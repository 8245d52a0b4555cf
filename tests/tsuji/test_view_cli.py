"""`tsuji view` and `tsuji.view`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tsuji
from tests.sim.plot.power_files import write_power
from tsuji.cli import main

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def result(tmp_path):
    return write_power(tmp_path / "ring.parquet", ["topology.radix=[3, 3]"], 5)


def command(*arguments):
    code = "from tsuji.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, "view", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
        check=False,
    )


def test_without_options_it_is_a_page_beside_the_result(result):
    done = command(result)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(result.with_suffix(".html"))]
    assert result.with_suffix(".html").read_text().startswith("<!doctype html>")


def test_all_kinds_at_once(result, tmp_path):
    names = {"--stills": "s.svg", "--heat-map": "h.png", "--perfetto": "t.pftrace", "--boxfish": "bf"}
    options = [text for name, file in names.items() for text in (name, tmp_path / file)]
    done = command(result, *options, "--figure", "lpi", "--at", "0,3e4", "--frames", "4")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(tmp_path / file) for file in names.values()]
    picture = (tmp_path / "s.svg").read_text()
    assert "share of time in low-power idle" in picture
    assert (tmp_path / "bf" / "meta.yaml").exists()
    assert not result.with_suffix(".html").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--figure", "heat"], "--figure heat: must be one of power, utilisation, lpi"),
        (["--stills", "x.png", "--at", "soon"], "--at soon: expected times in ns with commas"),
        (["--stills", "x.png", "--at", "1e9"], "--at 1e+09: must be from 0 to 45000 ns"),
        (["--at", "0"], "--at: only --stills uses it"),
        (["--operations", "x.parquet"], "--operations: only --perfetto and --gantt use it"),
        (["--gantt", "x.png"], "--gantt: needs --operations FILE.parquet"),
        (["--page", "x.png"], "--page x.png: must end in .html or .htm"),
        (["--stills", "x.html"], "--stills x.html: must end in .png, .svg or .pdf"),
        (["--frames", "0"], "frames = 0: must be a whole number, 1 or more"),
    ],
)
def test_bad_options_are_refused(result, arguments, said, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tsuji", "view", str(result), *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert "Traceback" not in printed


def test_python_says_what_it_wrote(result, tmp_path):
    assert tsuji.view(result, stills=tmp_path / "s.png", figures=["utilisation"], at_ns=[1e4]) == [tmp_path / "s.png"]
    with pytest.raises(tsuji.TsujiError, match="nothing to write"):
        tsuji.view(result)


@pytest.mark.parametrize("folder", [".", "results"])
def test_a_folder_is_refused(folder, tmp_path, monkeypatch, capsys):
    (tmp_path / "results").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["tsuji", "view", folder])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    printed = capsys.readouterr().err
    assert (
        printed
        == f"error: {folder}: is a folder; expected FILE.parquet that a run wrote with --power-file FILE.parquet\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["results"]
