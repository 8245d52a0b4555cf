"""Template of an instance of a switch: declarations of its wires, and the instance.

Plumbing: neither model nor bench.
"""

from __future__ import annotations

from collections.abc import Sequence

from hdl.port_table import CLOCK, PortRow
from hdl.verilog import port_order


def instance_template(name: str, rows: Sequence[PortRow]) -> str:
    """Return Verilog to paste into a module that has `clk` and `rst`; inputs of the switch are to be driven.

    Parameters
    ----------
    name : str
        Name of the switch's module.
    rows : sequence of PortRow
        Its ports.
    """
    by_name = {port: row for row in rows for port in row.names}
    ports = [(port, by_name[port]) for port in sorted(by_name, key=port_order)]
    declared = [
        f"wire {f'[{row.width - 1}:0] ' if row.width > 1 else ''}{port};{'  // drive it' if row.is_input else ''}\n"
        for port, row in ports
        if row not in CLOCK
    ]
    connected = ",\n".join(f"  .{port}({port})" for port, _ in ports)
    return f"{''.join(declared)}\n{name} u_{name} (\n{connected}\n);\n"
