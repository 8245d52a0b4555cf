"""What each tool is given, with programs that write what the tools would; and the way to a bitstream with the tools."""

import json
import re

import pytest

from models.errors import TsujiError
from synth import toolchain
from synth.boards.bitstream import build
from synth.boards.boards import BOARDS
from tests.synth.boards.test_pll import PLACED

BLINK = """\
module blink(input clk, input rst, input rx, output reg tx);
  reg [3:0] count;
  always @(posedge clk) begin
    count <= rst ? 4'd0 : count + {3'd0, rx};
    tx <= count[3];
  end
endmodule
"""
DIVISOR = 200
TOOLS = {
    "TSUJI_YOSYS": 'printf "{}" > top.json',
    "TSUJI_NEXTPNR_ECP5": 'echo "$@" > nextpnr.given; cp ../placed.config .; cp ../timing.json .',
    "TSUJI_ECPPACK": 'echo "$@" > ecppack.given; cp design.config design.bit',
}


def _silent(_):
    pass


@pytest.fixture
def tools(monkeypatch, tmp_path):
    """Programs in the place of the tools; a function that sets the clock which the design meets."""
    cached = (toolchain.yosys, toolchain.nextpnr_ecp5, toolchain.ecppack)
    for variable, text in TOOLS.items():
        path = tmp_path / variable
        path.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo 1 && exit\n{text}\n')
        path.chmod(0o755)
        monkeypatch.setenv(variable, str(path))
    for tool in cached:
        tool.cache_clear()

    def meets(mhz):
        fmax = {"clk": {"achieved": mhz, "constraint": 50.0}} if mhz else {}
        used = {"TRELLIS_COMB": {"used": 40, "available": 24288}, "MULT18X18D": {"used": 0, "available": 28}}
        (tmp_path / "timing.json").write_text(json.dumps({"fmax": fmax, "utilization": used, "critical_paths": []}))
        (tmp_path / "placed.config").write_text(PLACED)

    yield meets
    for tool in cached:
        tool.cache_clear()


@pytest.mark.parametrize("met", [33.4, 61.0])
def test_the_bitstream_has_the_clock_that_was_met(tools, met, tmp_path):
    tools(met)
    folder = tmp_path / "out"
    built = build(BLINK, "blink", BOARDS["ulx3s_25f"], 50.0, DIVISOR, folder, _silent, 0x1234)
    assert 0.95 * met < built.clock_mhz <= met == built.met_mhz
    assert built.baud == round(built.clock_mhz * 1e6 / DIVISOR)
    assert built.cells == {"TRELLIS_COMB": (40, 24288)}
    words = dict(re.findall(r"^word: (CLK\w+) ([01]+)$", (folder / "design.bit").read_text(), re.MULTILINE))
    vco = 25.0 * (int(words["CLKOS_DIV"], 2) + 1)
    assert vco / (int(words["CLKOP_DIV"], 2) + 1) == built.clock_mhz
    report = json.loads((folder / "report.json").read_text())
    assert report["baud"] == built.baud
    assert report["design"] == 0x1234


def test_nextpnr_gets_the_board(tools, tmp_path):
    tools(50.0)
    build(BLINK, "blink", BOARDS["ulx3s_25f"], 50.0, DIVISOR, tmp_path / "out", _silent, 0)
    given = (tmp_path / "out" / "nextpnr.given").read_text()
    assert given.startswith("--25k --package CABGA381 --speed 6 --json top.json --lpf top.lpf ")
    pins = (tmp_path / "out" / "top.lpf").read_text()
    for pin in ("G2", "M1", "L4"):  # oscillator, rx, tx
        assert f'SITE "{pin}"' in pins


def test_a_design_without_a_timed_path_is_refused(tools, tmp_path):
    tools(None)
    with pytest.raises(TsujiError, match=r"ulx3s_25f: nextpnr timed no path; see .*nextpnr\.log"):
        build(BLINK, "blink", BOARDS["ulx3s_25f"], 50.0, DIVISOR, tmp_path / "out", _silent, 0)


@pytest.mark.campaign
@pytest.mark.parametrize("board", ["ulx3s_25f", "icepi_zero"])
def test_a_small_design_becomes_a_bitstream(board, tmp_path):
    built = build(BLINK, "blink", BOARDS[board], 50.0, DIVISOR, tmp_path, _silent, 0)
    assert built.clock_mhz > 50
    assert (tmp_path / "design.bit").read_bytes()[:2] == b"\xff\x00"
    assert built.cells["TRELLIS_COMB"][0] < 100
