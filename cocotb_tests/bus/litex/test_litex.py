import json
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from cocotb_tests.runner.run_bench import run_bench
from cocotb_tests.runner.verilog import kept_verilog
from hdl.bus.register_switch import RegisterSwitch
from hdl.top import Top
from hdl.verilog import component_verilog
from models.params import CacheParams, CamParams, SwitchParams
from synth.ports import Port, read_ports

ROOT = Path(__file__).parents[3]
PARAMS = SwitchParams(
    ports=3, data_width=16, cache=CacheParams(entries=8), cam=CamParams(entries=32, latency=8, occupancy=2)
)
BASE = 0x3000_0000


def _around(ports: list[Port], module: str) -> str:
    """Return a module `dut_top` whose ports are declared as in our Verilog, around LiteX's."""
    declared = "".join(
        f"  {'input' if port.is_input else 'output'} [{port.width - 1}:0] {port.name};\n" for port in ports
    )
    names = [port.name for port in ports]
    connected = ", ".join(f".{name}({name})" for name in names)
    return f"module dut_top({', '.join(names)});\n{declared}  {module} soc ({connected});\nendmodule\n"


def test_a_litex_system_programs_the_switch() -> None:
    """The driver reaches the switch through LiteX's Wishbone and its bridges; the bench is that of the switch alone."""
    pytest.importorskip("litex")
    switch = kept_verilog(
        f"registers in litex {PARAMS!r}", lambda: component_verilog(RegisterSwitch(PARAMS, Top(PARAMS)), "device")
    )
    ports = read_ports(switch, "device")
    command = [sys.executable, "-m", "cocotb_tests.bus.litex.soc", "device", str(BASE)]
    listed = json.dumps([asdict(port) for port in ports])
    soc = subprocess.run(command, input=listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert re.search(r"^device device\(|^device \w+\s*\(", soc, re.MULTILINE)
    wide = [Port(each.name, 32 if each.name.endswith("addr") else each.width, each.is_input) for each in ports]
    quiet = "/* verilator lint_off COMBDLY */\n"  # how migen writes combinational logic
    scale = "`timescale 1ns / 1ps\n"  # for all modules, as LiteX sets one
    text = scale + switch + quiet + soc + _around(wide, "litex_soc")
    parameters = {"switch": PARAMS.model_dump(), "base": BASE}
    bench = "cocotb_tests.bus.register_switch.bench"
    run_bench(text, bench, "in LiteX", parameters, cycles=3, by_name=True)
