import json
import sys
import time

import pytest
from typer.testing import CliRunner

from models.errors import TsujiError
from tsuji.cli import command_line, main


def _refused(*arguments):
    ended = CliRunner().invoke(command_line(["board"]), ["board", *arguments])
    assert ended.exit_code
    assert isinstance(ended.exception, TsujiError), ended.output
    return str(ended.exception)


def test_a_network_that_cannot_fit_is_refused_in_seconds(tmp_path):
    """Cells of the parts of the examples are known, so nothing is synthesised."""
    arguments = ["examples/board/torus4x4_cached.toml", "--board", "ulx3s_85f", "-o", str(tmp_path)]
    begun = time.process_time()
    said = _refused(*arguments)
    assert time.process_time() - begun < 20
    assert "LUTs are needed and 83,640 are there (16 × switch of " in said
    assert not list(tmp_path.iterdir())


def test_the_command_ends_with_exit_code_2(monkeypatch, capsys):
    arguments = ["board", "examples/board/line2.toml", "--board", "no_board"]
    monkeypatch.setattr(sys, "argv", ["tsuji", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "--board no_board: no such board; must be one of ulx3s_85f" in capsys.readouterr().err


def test_a_folder_without_bitstream_is_refused(tmp_path):
    assert f"{tmp_path}: holds no bitstream of `tsuji board`" in _refused("flash", str(tmp_path))
    assert f"{tmp_path}: holds no bitstream" in _refused("run", str(tmp_path), "--port", "/dev/null")


@pytest.mark.parametrize(
    "report", [[], {}, {"board": "ulx3s_85f"}, {"board": 1, "baud": 9600}, {"board": "", "baud": 0}]
)
def test_another_report_is_refused(tmp_path, report):
    (tmp_path / "report.json").write_text(json.dumps(report))
    said = f"{tmp_path}: report.json lacks board or baud of `tsuji board`; make the bitstream again"
    assert _refused("flash", str(tmp_path)) == said
    assert _refused("run", str(tmp_path), "--port", "/dev/null") == said


def test_bits_of_too_few_cycles_are_refused(tmp_path):
    said = _refused("missing.toml", "--board", "ulx3s_25f", "--mhz", "1", "--baud", "300000", "-o", str(tmp_path))
    assert said == "--baud 300000: a bit takes at least 4 cycles, at 1 MHz 250000 baud"


def test_a_loader_that_is_missing_is_named(tmp_path, monkeypatch):
    from synth import toolchain

    toolchain.openfpgaloader.cache_clear()
    monkeypatch.setenv("TSUJI_OPENFPGALOADER", "/no/such/loader")
    (tmp_path / "report.json").write_text(json.dumps({"board": "ulx3s_85f", "baud": 230_400}))
    assert _refused("flash", str(tmp_path)) == "TSUJI_OPENFPGALOADER = /no/such/loader: no such executable file"


def test_the_loader_gets_board_and_bitstream(tmp_path, monkeypatch):
    from synth import toolchain

    toolchain.openfpgaloader.cache_clear()
    loader = tmp_path / "loader"
    loader.write_text('#!/bin/sh\necho "$@"\n')
    loader.chmod(0o755)
    monkeypatch.setenv("TSUJI_OPENFPGALOADER", str(loader))
    (tmp_path / "report.json").write_text(json.dumps({"board": "ulx3s_85f", "baud": 230_400}))
    ended = CliRunner().invoke(command_line(["board"]), ["board", "flash", str(tmp_path)])
    toolchain.openfpgaloader.cache_clear()
    assert ended.exit_code == 0
    assert ended.output.strip() == "--board ulx3s design.bit"


@pytest.mark.parametrize("arguments", [["--help"], ["build", "--help"], ["run", "--help"], ["sim", "--help"]])
def test_help(arguments):
    ended = CliRunner().invoke(command_line(["board"]), ["board", *arguments])
    assert ended.exit_code == 0
    assert "Usage" in ended.output
