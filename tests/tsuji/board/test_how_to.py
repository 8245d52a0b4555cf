"""The commands of docs/how_to/fpga_prototype.md, in their order, as far as no board is needed.

A simulated board stands in for the serial port, and a program that prints its arguments for the loader.
"""

import json
import re
from pathlib import Path
from shlex import split

import pytest
from typer.testing import CliRunner

from synth import toolchain
from tsuji.cli import command_line

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "how_to" / "fpga_prototype.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    tsuji (board .*)$", PAGE, re.MULTILINE)
TABLE = re.findall(r"^\| `(\w+\.toml)` \|", PAGE, re.MULTILINE)


def _run(command):
    ended = CliRunner().invoke(command_line(["board"]), split(command))
    assert ended.exit_code == 0, f"{command}: {ended.output}{ended.exception}"
    return " ".join(ended.output.split())


def test_the_page_names_every_example_and_board():
    assert sorted(TABLE) == sorted(path.name for path in (ROOT / "examples" / "board").glob("*.toml"))
    from synth.boards.boards import BOARDS

    line = next(line for line in PAGE.splitlines() if line.startswith("Boards: "))
    assert {name for name in re.findall(r"`(\w+)`", line) if name in BOARDS} == set(BOARDS)


@pytest.mark.campaign
def test_the_commands_of_the_page(monkeypatch, tmp_path):
    """With the tools: simulation, bitstream for a small board, loader, run."""
    from sim.config import load
    from tsuji.board.design import plan
    from tsuji.board.verilated import DIVISOR, VerilatedBoard

    simulate, build, flash, run = COMMANDS
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    loader = tmp_path / "loader"
    loader.write_text('#!/bin/sh\n[ "$1" = --Version ] && echo 1 && exit\necho "$@"; ls "$3"\n')
    loader.chmod(0o755)
    monkeypatch.setenv("TSUJI_OPENFPGALOADER", str(loader))
    toolchain.openfpgaloader.cache_clear()

    assert _run(simulate).endswith("differences 0")
    assert "MHz by the PLL" in _run(build)
    report = json.loads((tmp_path / "build/line2/report.json").read_text())
    assert 0 < report["clock_mhz"] <= report["met_mhz"]
    assert (tmp_path / "build/line2/design.bit").read_bytes()[:2] == b"\xff\x00"
    assert _run(flash) == "--board ulx3s design.bit design.bit"
    toolchain.openfpgaloader.cache_clear()
    planned = plan(load(tmp_path / "build/line2/config.toml"))
    with VerilatedBoard(planned.verilog(DIVISOR), planned.topology.nodes) as board:
        printed = _run(run.replace("/dev/ttyUSB0", board.port) + " --warm-up 100 --cycles 2000")
    assert "packets measured" in printed
    assert json.loads((tmp_path / "out.json").read_text())["faults"] == []
