"""File with the Verilog of a switch: its parameters and its interface as a comment, then its modules.

Plumbing, so neither model nor bench: every bench runs on the same modules.
"""

from __future__ import annotations

from amaranth.lib import wiring

from hdl.bus.axi_switch import AxiSwitch
from hdl.bus.register_switch import RegisterSwitch
from hdl.bus.streams import Streams, stream_count
from hdl.interface_page import interface_page
from hdl.port_table import port_rows
from hdl.split_payloads import SplitPayloads
from hdl.switch import Switch
from hdl.top import Top
from hdl.verilog import component_verilog
from hdl.verilog_head import verilog_head
from models.params import SwitchParams

# Lint and simulators warn if only some of a design's files have a time scale; the switch has no delays.
_TIMESCALE = "`timescale 1ns / 1ps\n\n"


def verilog_file(
    params: SwitchParams,
    name: str,
    *,
    table: bool = True,
    split: bool = False,
    streams: Streams | None = None,
    registers: bool = False,
) -> str:
    """Return the text of the file; parameters as of `hdl.interface_page.interface_page`.

    Raises
    ------
    ValueError
        If the switch cannot have these streams.
    """
    component: wiring.Component = Top(params) if table else Switch(params)
    if streams:
        component = AxiSwitch(params, streams, component)
    if registers:
        component = RegisterSwitch(params, component, table=table, streams=stream_count(params, streams))
    if split:
        rows, parts = (
            port_rows(params, table=table, split=parts, streams=streams, registers=registers) for parts in (False, True)
        )
        component = SplitPayloads(component, rows, parts)
    page = interface_page(params, name, table=table, split=split, streams=streams, registers=registers)
    comment = "".join(f"// {line}".rstrip() + "\n" for line in page.splitlines())
    return f"{verilog_head(params, name)}{comment}\n{_TIMESCALE}{component_verilog(component, name)}"
