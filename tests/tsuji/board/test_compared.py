"""A network of two switches from the pins of its UART in, on Verilator, against the simulator."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cocotb_tests.cases.tiers import tiered
from models.errors import TsujiError
from models.formats import Counter
from sim.config import load
from synth.boards import memory_map as where
from synth.boards.node_words import Word
from tsuji.board.compared import ANSWER_S, compare
from tsuji.board.design import plan
from tsuji.board.device import Device
from tsuji.board.host import opened
from tsuji.board.measured import faults, run
from tsuji.board.verilated import DIVISOR, VerilatedBoard
from tsuji.cli import command_line

EXAMPLES = Path("examples/board")
TWO = (
    'topology.kind="mesh"',
    "topology.radix=[2]",
    "switch.vcs=2",
    "switch.depth=4",
    "switch.data_width=32",
    "switch.counter_width=32",
    "cache.entries=2",
    "cache.ways=1",
    "cam.entries=2",
    'traffic.draws="hash"',
    "traffic.load=0.3",
)
"""Routes come from tables, so that the host programs them."""


def _silent(_):
    pass


@cache
def _two():
    return plan(load(None, TWO))


@cache
def _verilog():
    return _two().verilog(DIVISOR)


def test_two_switches_equal_the_simulator():
    found = compare(_two(), 100, 500, _silent, _verilog())
    assert found.differences == []
    assert found.different == 0
    assert found.packets[0] > 40
    assert found.counters[0] == found.readings.counters.size > 0
    assert found.readings.counters.any()
    assert 20 < found.readings.histogram.sum() < found.readings.word(Word.PACKETS_IN).sum()
    assert faults(_two(), found.readings) == []


def test_a_wrong_route_is_reported_by_the_checkers():
    """It leads back to the port from which packets come, so the switch drops them."""
    good = _two()
    entries = good.entries
    wrong = entries.fields["out"].copy()
    (place,) = np.flatnonzero((entries.switch == 0) & (entries.fields["tag"] == 1))
    wrong[place] = good.topology.node_port[0]
    bad = replace(good, entries=replace(entries, fields=entries.fields | {"out": wrong}))
    board = VerilatedBoard(_verilog(), 2)
    with board, opened(board.port, 115200, ANSWER_S) as host:
        readings = run(Device(host, bad), bad, 0, 300, _silent, patience_s=3)
    sent, got = (int(readings.word(word).sum()) for word in (Word.PACKETS_OUT, Word.PACKETS_IN))
    assert 0 < got < sent
    assert faults(bad, readings) == [f"{sent} packets were sent and {got} arrived"]
    assert readings.counters[..., Counter.PACKETS_DROPPED].sum() == sent - got


def test_a_run_can_follow_another():
    """The second starts from the same state: a reset and new routes are all that lies between."""
    board = VerilatedBoard(_verilog(), 2)
    with board, opened(board.port, 115200, ANSWER_S) as host:
        device = Device(host, _two())
        first, second = (run(device, _two(), 0, 200, _silent) for _ in range(2))
    assert (first.words == second.words).all()
    assert (first.histogram == second.histogram).all()


def test_another_design_on_the_board_is_refused():
    other = plan(load(None, [*TWO, "traffic.packet_size=5"]))
    board = VerilatedBoard(_verilog(), 2)
    with board, opened(board.port, 115200, ANSWER_S) as host:
        with pytest.raises(TsujiError, match=r"the board holds design 0x\w{8}, not 0x\w{8} of this configuration"):
            Device(host, other)
        assert host.read(where.control(where.Control.RESET)) == [1]


def test_the_command_runs_a_board(tmp_path):
    import tomlkit

    from tsuji.cli.board import without_nothing

    (tmp_path / "config.toml").write_text(tomlkit.dumps(without_nothing(_two().config.document())))
    (tmp_path / "report.json").write_text(json.dumps({"baud": 115200, "board": "ulx3s_85f"}))
    board = VerilatedBoard(_verilog(), 2)
    with board:
        arguments = ["board", "run", str(tmp_path), "--port", board.port, "--warm-up", "50", "--cycles", "300"]
        ended = CliRunner().invoke(command_line(["board"]), [*arguments, "--json", str(tmp_path / "out.json")])
    assert ended.exit_code == 0, ended.output
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["faults"] == []
    assert found["cycles"] == 350
    assert found["counters"]["packets_in"] > 0
    assert f"{found['packets']:,} in 350 cycles" in ended.output


@pytest.mark.campaign
def test_a_broken_link_is_reported_by_the_checkers():
    head, link, tail = _verilog().partition("module tsuji_link_1__flits(")
    whole, stuck = "payload_0 <= source__payload;", "payload_0 <= source__payload | 34'h200000000;"
    assert whole in tail
    broken = head + link + tail.replace(whole, stuck, 1)
    found = compare(_two(), 0, 300, _silent, broken)
    assert found.different
    assert "packets arrived with a changed bit" in " ".join(faults(_two(), found.readings))


CYCLES = {"torus4x4": 1500, "torus4x4_predicted": 1500, "torus3x3_cached": 1500, "mesh2x3": 3000, "line2": 3000}


@pytest.mark.parametrize("name", tiered(CYCLES, ()))
def test_examples_equal_the_simulator(name):
    found = compare(plan(load(EXAMPLES / f"{name}.toml")), 100, CYCLES[name], _silent)
    assert found.differences == []
    assert found.different == 0
    assert found.packets[0] > 50
