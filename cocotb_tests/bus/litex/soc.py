"""`python -m cocotb_tests.bus.litex.soc MODULE BASE`: a LiteX system on chip around a switch with registers.

Reads the ports of the switch from standard input, as JSON, and prints Verilog. A program of its own, as LiteX sets up
logging of the whole process.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterable
from typing import Any

from litex.build.generic_platform import GenericPlatform, Pins
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCMini
from litex.soc.interconnect.axi import AXILiteInterface
from migen import ClockDomain, Instance

from models.register_map import ADDRESS_BITS
from synth.ports import Port

NAME = "litex_soc"
_BUS = "s_axil_"
_CHANNELS = ("aw", "w", "b", "ar", "r")


def soc_verilog(ports: Iterable[Port], module: str, base: int) -> str:
    """Return the Verilog of a system whose host is AXI4-Lite pins, and whose only device is a switch.

    Parameters
    ----------
    ports : iterable of Port
        Ports of the switch; those that are not of its bus are pins of the system.
    module : str
        Name of its module.
    base : int
        Address of its registers.
    """
    listed = [port for port in ports if port.name not in ("clk", "rst")]
    pins = [(port.name, 0, Pins(32 if port.name.endswith("addr") else port.width)) for port in listed]
    platform = GenericPlatform("none", [("clk", 0, Pins(1)), ("rst", 0, Pins(1)), *pins], name=NAME)
    soc = SoCMini(platform, clk_freq=100_000_000, ident="")
    soc.clock_domains.cd_sys = ClockDomain("sys")
    soc.comb += [soc.cd_sys.clk.eq(platform.request("clk")), soc.cd_sys.rst.eq(platform.request("rst"))]
    host, device = (AXILiteInterface(data_width=32, address_width=32) for _ in range(2))
    soc.bus.add_master("host", host)
    region = SoCRegion(origin=base, size=1 << ADDRESS_BITS, cached=False)
    soc.bus.add_slave("switch", device, region)
    connections: dict[str, Any] = {"i_clk": soc.cd_sys.clk, "i_rst": soc.cd_sys.rst}
    for port in listed:
        pin = platform.request(port.name)
        direction = "i" if port.is_input else "o"
        if port.name.startswith(_BUS):
            inner, outer = (_signal(bus, port.name.removeprefix(_BUS)) for bus in (device, host))
            soc.comb += outer.eq(pin) if port.is_input else pin.eq(outer)
            connections[f"{direction}_{port.name}"] = inner[: port.width]
        else:
            connections[f"{direction}_{port.name}"] = pin
    soc.specials += Instance(module, **connections)
    soc.finalize()
    return str(platform.get_verilog(soc, name=NAME))


def _signal(bus: Any, name: str) -> Any:
    """Return the signal of a LiteX bus that AXI4-Lite calls `name`, such as awaddr."""
    channel = next(each for each in sorted(_CHANNELS, key=len, reverse=True) if name.startswith(each))
    return getattr(getattr(bus, channel), name.removeprefix(channel))


if __name__ == "__main__":
    logging.disable(logging.INFO)
    print(soc_verilog([Port(**port) for port in json.load(sys.stdin)], sys.argv[1], int(sys.argv[2], 0)))
