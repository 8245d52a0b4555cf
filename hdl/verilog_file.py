"""File with the Verilog of a switch: its parameters and its interface as a comment, then its modules.

Plumbing, so neither model nor bench: every bench runs on the same modules.
"""

from __future__ import annotations

from dataclasses import replace

from amaranth.lib import wiring

from hdl.bus.axi_switch import AxiSwitch
from hdl.bus.register_switch import RegisterSwitch
from hdl.interface_page import interface_page
from hdl.port_table import port_rows
from hdl.split_payloads import SplitPayloads
from hdl.switch import Switch
from hdl.switch_module import SwitchModule
from hdl.top import Top
from hdl.verilog import component_verilog
from hdl.verilog_head import verilog_head

# Lint and simulators warn if only some of a design's files have a time scale; the switch has no delays.
_TIMESCALE = "`timescale 1ns / 1ps\n\n"


def verilog_file(module: SwitchModule, name: str) -> str:
    """Return the text of the file of a switch whose module is called `name`.

    Raises
    ------
    ValueError
        If the switch cannot have these streams.
    """
    params = module.params
    component: wiring.Component = Top(params) if module.table else Switch(params)
    if module.streams:
        component = AxiSwitch(params, module.streams, component)
    if module.registers:
        component = RegisterSwitch(params, component, table=module.table, streams=module.stream_count)
    if module.split:
        component = SplitPayloads(component, port_rows(replace(module, split=False)), port_rows(module))
    comment = "".join(f"// {line}".rstrip() + "\n" for line in interface_page(module, name).splitlines())
    return f"{verilog_head(params, name)}{comment}\n{_TIMESCALE}{component_verilog(component, name)}"
