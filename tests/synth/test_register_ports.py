"""Ports and page of a switch with registers: what is listed is what the Verilog has, and tools take it."""

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from hdl.bus.streams import Streams
from hdl.interface_page import interface_page
from hdl.port_table import port_rows
from hdl.register_table import register_rows
from hdl.switch_module import SwitchModule
from hdl.verilog_file import verilog_file
from models.params import CacheParams, LpiParams, SwitchParams
from models.register_map import register_map
from synth.lint import lint
from synth.ports import Port, read_ports

SMALL = SwitchParams(ports=3, data_width=16, cache=CacheParams(entries=8))
MESH = SwitchParams(
    ports=5,
    routing="dimension_order",
    radix=(2, 3),
    data_width=8,
    buffering="dynamic",
    max_packet=4,
    lpi=LpiParams(hints=1),
)
# The switch, its streams, with its table, with split payloads.
KINDS = {
    "links": (SMALL, None, True, False),
    "all streams": (SMALL, Streams(0), True, False),
    "split, without table": (SMALL, Streams(2), False, True),
    "computed, whole packets": (MESH, Streams(4, whole=True), True, False),
}


@cache
def text(kind: str) -> str:
    params, streams, table, split = KINDS[kind]
    return verilog_file(SwitchModule(params, table, split, streams, registers=True), "sw")


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_lists_the_ports_of_the_verilog_with_their_widths(kind: str) -> None:
    params, streams, table, split = KINDS[kind]
    rows = port_rows(SwitchModule(params, table, split, streams, registers=True))
    listed = sorted(
        (Port(name, row.width, row.is_input) for row in rows for name in row.names), key=lambda port: port.name
    )
    assert listed == sorted(read_ports(text(kind), "sw"), key=lambda port: port.name)
    assert all((row.place or row.meaning) and row.timing for row in rows)
    names = {port.name for port in listed}
    assert {"s_axil_awaddr", "s_axil_rdata", "irq"} <= names
    assert not names & {"flush", "program_valid", "counter_port", "position", "stream_error", "lpi_hint"}


@pytest.mark.parametrize("kind", KINDS)
def test_tools_take_it_without_a_warning(kind: str, tmp_path: Path) -> None:
    lint(text(kind), "sw")
    (tmp_path / "sw.v").write_text(text(kind))
    if shutil.which("iverilog"):
        command = ["iverilog", "-Wall", "-g2005", "-t", "null", "sw.v"]
        compiled = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert not compiled.stdout + compiled.stderr


def test_the_page_has_every_register() -> None:
    page = interface_page(SwitchModule(MESH, streams=Streams(4), registers=True), "sw")
    rows = list(register_rows(register_map(MESH, streams=1)))
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in page.splitlines()]
    assert all(list(row) in cells for row in rows)
    assert ["0x0020", "`stream_error.stream_error`", "0", "rw, write 1 to clear", "0x0"] in [row[:5] for row in cells]
    assert ["0x1100 + 4 · i", "`long_packets[1]`", "31:0", "r", ""] in [row[:5] for row in cells]
    assert "counter_number" not in page
