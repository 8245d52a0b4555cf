"""Verilator accepts the switch's Verilog with all warnings on: the default switch and corner cases."""

import pytest

from cocotb_tests.cases.shared import CASES
from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.verilog import TOP, kept_verilog, switch_verilog
from hdl.node.plane_selector import PlaneSelector
from hdl.switch import Switch
from hdl.verilog import component_verilog
from models.errors import TsujiError
from models.params import SwitchParams
from models.params.planes import PlaneParams
from synth.lint import lint

# Each of these has at least two features that no other has; `make benches` runs all.
USUAL = {
    "default",
    "smallest",
    "header of 8 flits",
    "adaptive, cached, predicted, low-power idle",
    "exchanger that reserves",
    "crossbar that reserves",
    "speed-up, low-power idle",
    "speculation, predicted",
}
CORNERS = {name: case.params for name, case in CASES.items()}
CORNERS |= {
    "two ports": SwitchParams(ports=2, vcs=1, depth=1),
    "512 bits": SwitchParams(data_width=512),
    "header of 8 flits": SwitchParams(data_width=8, tag_width=64, depth=8),
    "computed, torus": SwitchParams(routing="dimension_order", radix=(8, 8), wrap=True),
}


@pytest.mark.parametrize("name", tiered(CORNERS, USUAL))
def test_switch_with_its_table(name):
    lint(switch_verilog(CORNERS[name]), TOP)


def test_switch_alone():
    lint(kept_verilog("switch alone, default", lambda: component_verilog(Switch(SwitchParams()), TOP)), TOP)


@pytest.mark.parametrize("tie", ["lowest", "alternate", "hash"])
@pytest.mark.parametrize(
    ("bits", "planes"),
    [(1, ((),)), (3, ((), (3, 5, 7))), (4, ((1, 2, 4, 8, 15),) * 3), (16, ((), ()))],
)
def test_plane_selector(bits, planes, tie):
    params = PlaneParams(bits=bits, planes=planes, tie=tie)
    lint(component_verilog(PlaneSelector(params), "plane_selector"), "plane_selector")


def test_a_warning_is_an_error():
    text = "module m(input a, input b, output c);\n  assign c = a;\nendmodule\n"
    with pytest.raises(TsujiError, match=r"(?s)m: verilator --lint-only -Wall gives 1 warnings:.*UNUSEDSIGNAL.*'b'"):
        lint(text, "m")
