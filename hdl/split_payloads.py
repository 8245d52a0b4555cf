"""A switch whose ports carry one field each, such as `link_in_0_flit_vc`, instead of packed payloads.

Plumbing, so no model: wires only. The benches of switches cover what is inside, `tests/synth/test_split_payloads.py`
the wires.
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.port_table import CLOCK, PortRow, field_port
from hdl.verilog import named_ports


class SplitPayloads(wiring.Component):
    """The switch `packed`, with a port for each field of its payloads.

    Parameters
    ----------
    packed : wiring.Component
        A switch: `hdl.top.Top`, `hdl.switch.Switch`, `hdl.bus.axi_switch.AxiSwitch` or
        `hdl.bus.register_switch.RegisterSwitch`.
    rows, split : sequence of PortRow
        Its ports, of `hdl.port_table.port_rows` for modules without and with `split`.

    Ports
    -----
    Those of `split`.
    """

    def __init__(self, packed: wiring.Component, rows: Sequence[PortRow], split: Sequence[PortRow]) -> None:
        self._packed = packed
        self._rows = [row for row in rows if row not in CLOCK]
        ports = [(name, row) for row in split if row not in CLOCK for name in row.names]
        super().__init__({name: (In if row.is_input else Out)(row.width) for name, row in ports})

    def elaborate(self, platform: object) -> Module:
        """Connect each field."""
        m = Module()
        m.submodules.packed = self._packed
        inner = named_ports(self._packed)
        for row in self._rows:
            for name in row.names:
                self._connect(m, row, name, inner[name])
        return m

    def _connect(self, m: Module, row: PortRow, name: str, packed: Value) -> None:
        """Connect port `name` of the switch to the ports of its fields, or to its own."""
        low = 0
        for port, width in [(field_port(name, field.name), field.width) for field in row.layout] or [(name, row.width)]:
            mine, part = getattr(self, port), packed[low : low + width]
            m.d.comb += part.eq(mine) if row.is_input else mine.eq(part)
            low += width
