"""Ports of a switch with registers: those that are documented, and each once."""

import pytest
from amaranth.hdl import Fragment
from amaranth.lib import wiring

from hdl.bus.register_switch import RegisterSwitch, with_registers
from hdl.interface import members, switch_ports
from hdl.switch import Switch
from hdl.top import Top
from hdl.verilog import component_verilog
from models.params import LpiParams, SwitchParams
from synth.lint import lint
from synth.ports import read_ports

MESH = SwitchParams(ports=5, data_width=16, routing="dimension_order", radix=(3, 3), lpi=LpiParams(hints=2))
SMALL = SwitchParams(ports=3, data_width=16, counter_width=0)
LOOKAHEAD = SwitchParams(
    ports=3, vcs=2, routing="hyper_crossbar", radix=(3, 2), adaptive={"kind": "step", "lookahead": True}
)


@pytest.mark.parametrize("params", [MESH, SMALL, LOOKAHEAD, SwitchParams()])
@pytest.mark.parametrize("table", [True, False])
def test_the_ports_are_the_documented_ones(params: SwitchParams, table: bool) -> None:
    switch = Top(params) if table else Switch(params)
    whole = RegisterSwitch(params, switch, table=table)
    documented = with_registers(switch_ports(params, table=table), params, table=table)
    assert whole.signature.members == wiring.Signature(members(documented)).members
    Fragment.get(whole, None)  # or Amaranth warns that it was made for nothing


def test_only_credits_and_hints_stay_beside_the_bus() -> None:
    ports = set(with_registers(switch_ports(MESH, table=True), MESH, table=True))
    assert ports == {"link_in", "link_out", "hint_in", "hint_out", "s_axil", "irq"}
    assert "irq" not in with_registers(switch_ports(SMALL, table=True), SMALL, table=True)


def test_verilog_of_a_switch_whose_cam_is_outside() -> None:
    text = component_verilog(RegisterSwitch(SMALL, Switch(SMALL), table=False), "apart")
    lint(text, "apart")
    names = {port.name: port.width for port in read_ports(text, "apart")}
    assert names["s_axil_awaddr"] == 14
    assert names["s_axil_wstrb"] == 4
    assert "cam_request_valid" in names
    assert "flush" not in names
