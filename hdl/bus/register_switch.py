"""Switch chip with registers: what is programmed and read of a switch is behind AXI4-Lite; links stay as they are."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from hdl.bus.axi_lite import AxiLiteSignature
from hdl.bus.registers import CONTROL, Registers, control_ports
from hdl.interface import REGISTER, Port, members, switch_ports
from hdl.switch import Switch
from hdl.top import Top
from models.params import SwitchParams
from models.register_map import ADDRESS_BITS, register_map


def register_switch_ports(params: SwitchParams, *, table: bool) -> dict[str, Port]:
    """Return the ports of a switch with registers by name."""
    ports = {name: port for name, port in switch_ports(params, table=table).items() if name not in CONTROL}
    return ports | register_ports(params, table=table)


def register_ports(params: SwitchParams, *, table: bool, streams: int = 0) -> dict[str, Port]:
    """Return the ports through which registers are reached: the bus, and the interrupt if there can be one."""
    ports = {"s_axil": Port(In(AxiLiteSignature(ADDRESS_BITS)), "AXI4-Lite to the registers")}
    if register_map(params, table=table, streams=streams).find("interrupt_status"):
        meaning = "interrupt: a cause that interrupt_enable names is there"
        ports["irq"] = Port(Out(1), meaning, REGISTER)
    return ports


def connect_registers(m: Module, registers: Registers, switch: Any, params: SwitchParams, *, table: bool) -> None:
    """Connect registers to the ports of a switch that they drive and read."""
    for name, port in control_ports(params, table=table).items():
        ours, its = getattr(registers, name), getattr(switch, name)
        if port.member.is_signature:
            connect(m, ours, its)
        elif port.member.flow == In:
            m.d.comb += its.eq(ours)
        else:
            m.d.comb += ours.eq(its)


class RegisterSwitch(wiring.Component):
    """A switch and its registers.

    Parameters
    ----------
    params : SwitchParams
    table : bool
        Whether the table that replaces the CAM is included, or only the interface of the CAM.

    Ports
    -----
    Those of `register_switch_ports`, with their meanings.
    """

    def __init__(self, params: SwitchParams, *, table: bool = True) -> None:
        self._params, self._table = params, table
        super().__init__(members(register_switch_ports(params, table=table)))

    def elaborate(self, platform: object) -> Module:
        """Build the switch and the registers, and connect them."""
        m = Module()
        params, table = self._params, self._table
        m.submodules.switch = switch = Top(params) if table else Switch(params)
        m.submodules.registers = registers = Registers(params, table=table)
        connect_registers(m, registers, switch, params, table=table)
        reached = register_ports(params, table=table)
        for name, port in register_switch_ports(params, table=table).items():
            inside = getattr(registers if name in reached else switch, name)
            _pass_on(m, port, getattr(self, name), inside)
        return m


def _pass_on(m: Module, port: Port, outside: Any, inside: Any) -> None:
    """Connect a port of the whole to the equal one of a part of it."""
    if port.member.dimensions:
        for one, other in zip(outside, inside, strict=True):
            connect(m, flipped(one), other)
    elif port.member.is_signature:
        connect(m, flipped(outside), inside)
    elif port.member.flow == In:
        m.d.comb += inside.eq(outside)
    else:
        m.d.comb += outside.eq(inside)
