"""A switch with registers: what is programmed and read of it is behind AXI4-Lite; all other ports stay as they are.

Plumbing: it connects the registers with the ports of the switch, so there is no model.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member

from hdl.bus.registers import Registers, register_members
from hdl.interface import REGISTER, Port
from models.params import SwitchParams


def with_registers(ports: dict[str, Port], params: SwitchParams, *, table: bool, streams: int = 0) -> dict[str, Port]:
    """Return the ports of a switch, with the bus and the interrupt instead of those that registers drive and read.

    Parameters
    ----------
    ports : dict of str to Port
        Of the switch alone.
    params : SwitchParams
    table : bool
        Whether the table that replaces the CAM is included.
    streams : int
        Number of AXI4-Streams into the switch.
    """
    registers = register_members(params, table=table, streams=streams)
    kept = {name: port for name, port in ports.items() if name not in registers}
    kept["s_axil"] = Port(registers["s_axil"], "AXI4-Lite to the registers")
    if "irq" in registers:
        kept["irq"] = Port(registers["irq"], "interrupt: a cause that is enabled is there", REGISTER)
    return kept


class RegisterSwitch(wiring.Component):
    """A switch and its registers.

    Parameters
    ----------
    params : SwitchParams
    switch : wiring.Component
        Anything with the ports of a switch that registers drive and read, such as `hdl.top.Top`.
    table : bool
        Whether it includes the table that replaces the CAM.
    streams : int
        Number of AXI4-Streams into it.

    Ports
    -----
    Those of `with_registers`, with their meanings.
    """

    def __init__(self, params: SwitchParams, switch: wiring.Component, *, table: bool = True, streams: int = 0) -> None:
        self._switch: Any = switch
        self._registers = registers = Registers(params, table=table, streams=streams)
        inner, reached = switch.signature.members, registers.signature.members
        self._joined = [name for name in reached if name in inner]
        members: dict[str, Member] = {name: inner[name] for name in inner if name not in self._joined}
        super().__init__(members | {name: reached[name] for name in reached if name not in self._joined})

    def elaborate(self, platform: object) -> Module:
        """Build the switch and the registers, and connect them."""
        m = Module()
        m.submodules.switch = switch = self._switch
        m.submodules.registers = registers = self._registers
        outside = {path: value for path, _, value in self.signature.flatten(self)}
        reached = {path: value for path, _, value in registers.signature.flatten(registers)}
        for path, member, value in switch.signature.flatten(switch):
            _drive(m, member, value, (reached if path[0] in self._joined else outside)[path])
        for path, member, value in registers.signature.flatten(registers):
            if path[0] not in self._joined:
                _drive(m, member, value, outside[path])
        return m


def _drive(m: Module, member: Member, value: Any, other: Any) -> None:
    """Connect a port of a part to its other side."""
    into, out = (value, other) if member.flow == In else (other, value)
    m.d.comb += Value.cast(into).eq(Value.cast(out))
