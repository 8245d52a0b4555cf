"""Ports of a module of generated Verilog."""

from __future__ import annotations

import re
from dataclasses import dataclass

from models.errors import TsujiError

_PORT = re.compile(r"^\s*(input|output)\s+(?:(?:wire|reg|logic)\s+)?(?:\[(\d+):0\]\s*)?(\\\S+|\w+)\s*;", re.MULTILINE)


@dataclass(frozen=True)
class Port:
    """One port: its name, width in bits, and whether it is an input."""

    name: str
    width: int
    is_input: bool


def read_ports(verilog: str, top: str) -> list[Port]:
    """Return the ports of a module of generated Verilog, which has one declaration per line.

    Raises
    ------
    TsujiError
        If the text does not contain the module.
    """
    match = re.search(rf"^module \\?{re.escape(top)}\b.*?^endmodule", verilog, re.MULTILINE | re.DOTALL)
    if match is None:
        raise TsujiError(f"module {top}: is not in the Verilog text")
    return [
        Port(name.removeprefix("\\"), int(high or 0) + 1, kind == "input")
        for kind, high, name in _PORT.findall(match[0])
    ]
