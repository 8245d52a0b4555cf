"""Ports of a switch with AXI4-Streams: what is listed is what the Verilog has, and tools take it without a warning."""

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from hdl.bus.streams import Streams
from hdl.interface_page import interface_page
from hdl.port_table import port_rows
from hdl.switch_module import SwitchModule
from hdl.verilog_file import verilog_file
from models.params import CacheParams, SwitchParams
from synth import toolchain
from synth.lint import lint
from synth.ports import Port, read_ports

SMALL = SwitchParams(ports=3, data_width=16, cache=CacheParams(entries=8))
CUT_THROUGH = SwitchParams(
    ports=5, routing="dimension_order", radix=(2, 3), data_width=8, buffering="dynamic", max_packet=4, counter_width=0
)
# The switch, its streams, with its table, with split payloads.
KINDS = {
    "all ports": (SMALL, Streams(0), True, False),
    "links split, without table": (SMALL, Streams(2), False, True),
    "whole packets": (CUT_THROUGH, Streams(4, whole=True), True, False),
}


@cache
def text(kind: str) -> str:
    params, streams, table, split = KINDS[kind]
    return verilog_file(SwitchModule(params, table, split, streams), "sw")


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_lists_the_ports_of_the_verilog_with_their_widths(kind: str) -> None:
    params, streams, table, split = KINDS[kind]
    rows = port_rows(SwitchModule(params, table, split, streams))
    listed = [Port(name, row.width, row.is_input) for row in rows for name in row.names]
    assert sorted(listed, key=lambda port: port.name) == sorted(
        read_ports(text(kind), "sw"), key=lambda port: port.name
    )
    assert all((row.place or row.meaning) and row.timing for row in rows)


@pytest.mark.parametrize("kind", KINDS)
def test_tools_take_it_without_a_warning(kind: str, tmp_path: Path) -> None:
    lint(text(kind), "sw")
    (tmp_path / "sw.v").write_text(text(kind))
    done = toolchain.yosys().run(["-q", "-p", "read_verilog sw.v; hierarchy -check -top sw; proc; check"], cwd=tmp_path)
    assert not done.stdout
    if shutil.which("iverilog"):
        command = ["iverilog", "-Wall", "-g2005", "-t", "null", "sw.v"]
        compiled = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert not compiled.stdout + compiled.stderr


def test_names_and_widths_of_streams() -> None:
    rows = {row.pattern: row for row in port_rows(SwitchModule(SMALL, streams=Streams(1)))}
    widths = {name: rows[f"s_axis_<i>_{name}"].width for name in ("tdata", "tkeep", "tdest", "tlast")}
    assert widths == {"tdata": 16, "tkeep": 2, "tdest": 16, "tlast": 1}
    assert "s_axis_<i>_tuser" not in rows  # the tag fills its flit
    assert rows["m_axis_<i>_tuser"].width == 16
    assert rows["m_axis_<i>_tid"].width == 1
    assert rows["s_axis_<i>_tready"].names == ("s_axis_0_tready", "s_axis_1_tready")
    assert rows["s_axis_<i>_tready"].is_input is False
    assert rows["s_axis_<i>_tdata"].place == "AXI4-Stream into port 1 + i"
    assert rows["link_in_<i>_flit_payload"].names == ("link_in_0_flit_payload",)
    assert rows["stream_error"].width == 2
    assert "long_packets_<i>" not in rows
    assert "program_payload" in rows


def test_whole_packets_have_no_tid_and_a_longest() -> None:
    rows = {row.pattern: row for row in port_rows(SwitchModule(CUT_THROUGH, streams=Streams(4, whole=True)))}
    assert "m_axis_<i>_tid" not in rows
    assert rows["long_packets_<i>"].meaning == "packets of `s_axis_<i>` cut after 4 flits"
    assert rows["m_axis_<i>_tuser"].width == 16


def test_the_page_has_the_rules_of_streams() -> None:
    page = " ".join(interface_page(SwitchModule(CUT_THROUGH, streams=Streams(4, whole=True)), "sw").split())
    assert "`tdest` makes 2 header flits, which carry no word of `tdata`" in page
    assert "A packet has at most 2 words, 4 flits with its header." in page
    assert "Packets leave one after the other" in page
    assert "## Flow control Initial credits" in page
    page = " ".join(
        interface_page(SwitchModule(SMALL.model_copy(update={"data_width": 64}), streams=Streams(0)), "sw").split()
    )
    assert "`tdest` and `tuser` make the header flit, which carries no word" in page
    assert "A packet can have any number of words." in page
    assert "`tid` is the VC" in page
    assert "## Flow control" not in page
    assert "## Streams" not in interface_page(SwitchModule(SMALL), "sw")
