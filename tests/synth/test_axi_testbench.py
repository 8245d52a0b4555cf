"""A test bench in Verilog that knows a switch by its page alone: packets through AXI4-Streams, in Icarus Verilog.

Without Icarus Verilog, Verilator runs it. The bench pastes the instance of the page, and drives what the page says is
to be driven; layout of a table's entry, addresses and bits of registers are those of the page, too.
"""

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hdl.bus.streams import Streams
from hdl.switch_module import SwitchModule
from hdl.verilog_file import verilog_file
from models.params import CacheParams, CamParams, SwitchParams
from synth import toolchain

PARAMS = SwitchParams(
    ports=3, data_width=16, tag_width=20, cache=CacheParams(entries=8), cam=CamParams(entries=32, latency=4)
)
TAGS = [0x12345, 0x00001, 0xFFFFE]
WAIT = 3000  # cycles


def page_of(verilog: str) -> str:
    """Return the comment at the head of the Verilog."""
    lines = verilog[: verilog.index("\n`timescale")].splitlines()
    return "\n".join(line.removeprefix("//").removeprefix(" ") for line in lines)


def table_below(page: str, title: str) -> dict[str, list[str]]:
    """Return the rows of the table below a title, by the name in their second column."""
    text = page[page.index(title) :]
    rows = re.findall(r"^\| (.*) \|$", text[: text.index("\n\n", len(title) + 2)], re.MULTILINE)
    cells = [[cell.strip() for cell in row.split(" | ")] for row in rows[2:]]
    return {row[1].strip("`"): row for row in cells}


def entry(page: str, values: dict[str, int]) -> int:
    """Return a word of `program_payload`."""
    word = 0
    for name, row in table_below(page, "`program_payload`:\n").items():
        word |= values.get(name, 0) << int(row[0].rpartition(":")[2])
    return word


def registers(page: str) -> dict[str, tuple[int, int]]:
    """Return address and lowest bit of each field of a register, by its name; of an array, those of its first word."""
    rows = re.findall(
        r"^\| 0x(\w+)(?: \+ 4 · i)? *\| `([\w.]+)(?:\[\d+\])?` *\| (?:\d+:)?(\d+) *\|", page, re.MULTILINE
    )
    return {name: (int(address, 16), int(low)) for address, name, low in rows}


AXI_LITE = """
  reg awvalid = 0, wvalid = 0, arvalid = 0;
  reg [1:0] taken = 0;
  reg [31:0] address = 0, data = 0;
  assign s_axil_awvalid = awvalid, s_axil_wvalid = wvalid, s_axil_arvalid = arvalid;
  assign s_axil_awaddr = address, s_axil_araddr = address, s_axil_wdata = data, s_axil_wstrb = 4'hf;
  assign s_axil_awprot = 0, s_axil_arprot = 0, s_axil_bready = 1, s_axil_rready = 1;
  task write(input [31:0] to, input [31:0] word); begin
    address = to; data = word; awvalid = 1; wvalid = 1;
    while (awvalid || wvalid) begin
      @(negedge clk) taken = {s_axil_awready, s_axil_wready};
      @(posedge clk); #1 {awvalid, wvalid} = {awvalid, wvalid} & ~taken;
    end
    @(negedge clk);
    while (!s_axil_bvalid) @(negedge clk);
    if (s_axil_bresp != 0) $display("write refused %h", to);
    @(posedge clk); #1;
  end endtask
  task read(input [31:0] from); begin
    address = from; arvalid = 1;
    @(negedge clk);
    while (!s_axil_arready) @(negedge clk);
    @(posedge clk); #1 arvalid = 0;
    @(negedge clk);
    while (!s_axil_rvalid) @(negedge clk);
    $display("read %h %0d %0d", from, s_axil_rdata, s_axil_rresp);
    @(posedge clk); #1;
  end endtask
"""


def programming(page: str, entries: list[dict[str, int]]) -> str:
    """Return the statements that program routes: by the port of the table, or by registers."""
    if "program_payload" in page:
        lines = [f"word = {entry(page, each)};\n    @(posedge clk); #1;" for each in entries]
        return "    programming = 1;\n" + "".join(f"    {line}\n" for line in lines) + "    programming = 0;\n"
    found = registers(page)
    enter, bit = found["program_commit.enter"]
    text = ""
    for each in entries:
        words: dict[int, int] = {}
        for name, value in each.items():
            address, low = found[f"program.{name}"]
            words[address] = words.get(address, 0) | value << low
        writes = [*words.items(), (enter, 1 << bit)]
        text += "".join(f"    write({address}, {word});\n" for address, word in writes)
    return text


def source(number: int, beats: list[str], width: int) -> str:
    """Return a process that sends words into a stream, with pauses, and the wires that it drives."""
    port = f"s_axis_{number}"
    stored = "".join(f"    beats_{number}[{k}] = {beat};\n" for k, beat in enumerate(beats))
    parts = ", ".join(f"{port}_{name}" for name in ("tlast", "tkeep", "tdest", "tuser", "tdata"))
    return f"""
  reg [{width - 1}:0] beats_{number} [0:{len(beats)}];
  integer place_{number} = 0;
  reg valid_{number} = 0;
  initial begin
{stored}  end
  assign {port}_tvalid = valid_{number};
  assign {{ {parts} }} = beats_{number}[place_{number}];
  always @(posedge clk) if (!rst && begun) begin
    if (valid_{number} && {port}_tready) begin
      place_{number} <= place_{number} + 1;
      valid_{number} <= 0;
    end else if (!valid_{number} && place_{number} < {len(beats)}) valid_{number} <= $random;
  end
"""


def sink(number: int) -> str:
    """Return a process that prints the words of a stream, and is ready in half of the cycles."""
    port = f"m_axis_{number}"
    shown = ", ".join(f"{port}_{name}" for name in ("tid", "tlast", "tkeep", "tuser", "tdata"))
    return f"""
  reg ready_{number} = 0;
  assign {port}_tready = ready_{number};
  always @(posedge clk) if (!rst) begin
    if ({port}_tvalid && {port}_tready) $display("word {number} %0d %b %b %h %h", {shown});
    ready_{number} <= $random;
  end
"""


def bench(page: str, beats: list[list[str]], width: int) -> str:
    """Return the Verilog of the bench."""
    template = re.search(r"```verilog\n(.*?)```", page, re.DOTALL)
    assert template
    inputs = re.findall(r"^wire .*?(\w+);  // drive it$", template[1], re.MULTILINE)
    driven = {"program_valid", "program_payload", *(name for name in inputs if re.search("_axis_|_axil_", name))}
    programmed = programming(
        page, [{"tag": tag, "found": 1, "out": port, "vc_last": 1} for port, tag in enumerate(TAGS)]
    )
    by_port = "program_valid" in inputs
    program = "  assign program_valid = programming;\n  assign program_payload = word;\n" if by_port else AXI_LITE
    found = {} if by_port else registers(page)
    reads = "".join(f"    read({address + 4 * port});\n" for address, port in _counted(found))
    idle = "".join(f"  assign {name} = 0;\n" for name in inputs if name not in driven)
    body = "".join(source(number, words, width) for number, words in enumerate(beats))
    return f"""`timescale 1ns / 1ps
module bench;
  reg clk = 0, rst = 1, begun = 0, programming = 0;
  reg [63:0] word = 0;
  always #5 clk = ~clk;
{template[1]}
{program}{idle}{body}{"".join(map(sink, range(len(beats))))}
  initial begin
    repeat (3) @(posedge clk);
    #1 rst = 0;
{programmed}    begun = 1;
    repeat ({WAIT}) @(posedge clk);
    #1;
{reads}    $display("end");
    $finish;
  end
endmodule
"""


def _counted(found: dict[str, tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the address of `magic`, and the addresses of counters with the number of their port."""
    counters = [(found[name][0], port) for name in ("packets_in", "packets_out") for port in range(3) if found]
    return [(found["magic.value"][0], 0), *counters] if found else []


def simulate(folder: Path) -> str:
    """Return what the bench prints, in Icarus Verilog if it is installed, else in Verilator."""
    if shutil.which("iverilog"):
        build = ["iverilog", "-Wall", "-g2005", "-o", "bench.vvp", "trio.v", "bench.v"]
        done = subprocess.run(build, cwd=folder, capture_output=True, text=True, check=True)
        assert not done.stdout + done.stderr
        run = ["vvp", "bench.vvp"]
    else:
        flags = ["-CFLAGS", "-fcoroutines -std=c++20", "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include"]
        arguments = ["--binary", "--timing", *flags, "--top-module", "bench", "trio.v", "bench.v"]
        toolchain.verilator().run(["-Wno-lint", *arguments], cwd=folder)
        run = ["obj_dir/Vbench"]
    return subprocess.run(run, cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("with_registers", [False, True], ids=["table's port", "AXI4-Lite"])
def test_packets_are_sent_and_come_back(with_registers: bool, tmp_path: Path) -> None:
    draw = random.Random(1)
    verilog = verilog_file(SwitchModule(PARAMS, streams=Streams(0), registers=with_registers), "trio")
    page = page_of(verilog)
    widths = {cells[0].strip("`"): int(cells[2]) for cells in ports(page)}
    user = widths["s_axis_<i>_tuser"]
    assert user == 12
    beats: list[list[str]] = [[], [], []]
    expected = set()
    for here in range(3):
        for number in range(20):
            there = draw.choice([port for port in range(3) if port != here])
            above = here << 8 | number
            words = [draw.getrandbits(16) for _ in range(draw.randint(0, 6))]
            expected.add((there, above << 20 | TAGS[there], tuple(words)))
            for place, data in enumerate(words or [0]):
                last, keep = place >= len(words) - 1, "2'b11" if words else "2'b00"
                beats[here].append(f"{{ 1'b{last:d}, {keep}, 20'h{TAGS[there]:x}, 12'h{above:x}, 16'h{data:x} }}")
    width = sum(widths[f"s_axis_<i>_{name}"] for name in ("tlast", "tkeep", "tdest", "tuser", "tdata"))
    (tmp_path / "trio.v").write_text(verilog)
    (tmp_path / "bench.v").write_text(bench(page, beats, width))
    printed = simulate(tmp_path)
    assert "\nend" in printed

    arrived = []
    begun: dict[tuple[str, str], list[int]] = {}
    for number, vc, last, keep, header, data in re.findall(r"word (\d) (\d) (\d) (\d\d) (\w+) (\w+)", printed):
        words = begun.setdefault((number, vc), [])
        words += [int(data, 16)] if keep == "11" else []
        if last == "1":
            arrived.append((int(number), int(header, 16), tuple(begun.pop((number, vc)))))
    assert len(arrived) == len(expected) == 60
    assert set(arrived) == expected
    if with_registers:
        assert "refused" not in printed
        read = re.findall(r"^read \w+ (\d+) (\d)$", printed, re.MULTILINE)
        sent_and_got = [20] * 3 + [sum(there == port for there, _, _ in arrived) for port in range(3)]
        assert read == [(str(word), "0") for word in [int.from_bytes(b"tsuj"), *sent_and_got]]


def ports(page: str) -> list[list[str]]:
    """Return the rows of the table of ports."""
    text = page[page.index("## Ports of") : page.index("## Layouts")]
    rows = re.findall(r"^\| (`.*) \|$", text, re.MULTILINE)
    return [[cell.strip() for cell in row.split(" | ")] for row in rows]
