"""Ports of a switch in Verilog: name, direction, width, meaning, timing, fields; from the members that the RTL has.

Plumbing, so neither model nor bench; `tests/synth/test_port_table.py` compares the names and widths with those of
Verilog.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from amaranth.hdl import Shape
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from hdl import formats
from hdl.bus.axi_ports import axi_ports
from hdl.bus.register_switch import with_registers
from hdl.interface import Port, members, switch_ports
from hdl.switch_module import SwitchModule
from models import formats as layouts


@dataclass(frozen=True)
class PortRow:
    """Ports of Verilog that differ only in their number i, or one port.

    Attributes
    ----------
    pattern : str
        Name, with `<i>` for the number.
    names : tuple of str
        Names of all of them.
    width : int
        Width in bits.
    is_input : bool
        Whether they are inputs of the switch.
    place, meaning, timing : str
        The channel of which they are a part, or ""; what they carry; when it is taken, and which side waits.
    layout : Layout
        Fields from bit 0 upwards; empty for a plain number.
    """

    pattern: str
    names: tuple[str, ...]
    width: int
    is_input: bool
    place: str
    meaning: str
    timing: str
    layout: layouts.Layout = ()


CLOCK = (
    PortRow("clk", ("clk",), 1, True, "", "clock", "all inputs are sampled at its rising edge"),
    PortRow(
        "rst", ("rst",), 1, True, "", "reset, active high", "sampled at the rising edge of clk; one cycle suffices"
    ),
)


def port_rows(module: SwitchModule) -> list[PortRow]:
    """Return the ports of the module of a switch."""
    params, table, streams = module.params, module.table, module.streams
    ports = axi_ports(params, streams, table=table) if streams else switch_ports(params, table=table)
    if module.registers:
        ports = with_registers(ports, params, table=table, streams=module.stream_count)
    leaves = wiring.Signature(members(ports)).members.flatten()
    rows = [*CLOCK, *(_row(path, leaf, ports[path[0]]) for path, leaf in leaves if leaf.is_port)]
    return [part for row in rows for part in _parts(row)] if module.split else rows


def _row(path: tuple[str, ...], leaf: wiring.Member, port: Port) -> PortRow:
    """Return the row of the member `leaf` at `path`, a part of `port`."""
    texts, timings = [port.meaning], [port.timing]
    within = port.member
    for name in path[1:]:
        meaning = formats.meanings(within.signature)[name]
        texts.append(meaning.text)
        timings.append(meaning.timing)
        within = within.signature.members[name]
    numbers = [str(number) for number in range(*port.member.dimensions)] if port.member.dimensions else [""]
    layout = leaf.shape.layout if isinstance(leaf.shape, formats.Struct) else port.layout
    return PortRow(
        pattern=_name(path, "<i>" if port.member.dimensions else ""),
        names=tuple(_name(path, number) for number in numbers),
        width=Shape.cast(leaf.shape).width,
        is_input=leaf.flow == In,
        place=", ".join(texts[:-1]),
        meaning=texts[-1],
        timing=next(filter(None, timings), ""),
        layout=layout,
    )


def _name(path: tuple[str, ...], number: str) -> str:
    """Return the name of a port of Verilog from its path, and its number in the array at the head of the path."""
    return "_".join(filter(None, (path[0], number, *path[1:])))


def _parts(row: PortRow) -> Iterator[PortRow]:
    """Yield a row per field of a payload; other rows as they are."""
    if not row.layout:
        yield row
    for field in row.layout:
        names = tuple(field_port(name, field.name) for name in row.names)
        pattern = field_port(row.pattern, field.name)
        place = row.place or row.meaning
        yield PortRow(pattern, names, field.width, row.is_input, place, field.meaning, row.timing)


def field_port(name: str, field: str) -> str:
    """Return the name of the port of one field of the payload that port `name` carries."""
    return f"{name.removesuffix('_payload')}_{field}"
