"""Ports of a switch with AXI4-Streams: those of `hdl.interface`, without the links of local ports.

Plumbing: no behaviour, so neither model nor bench.
"""

from __future__ import annotations

from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.bus.stream_signature import InputStream, OutputStream
from hdl.bus.streams import Streams
from hdl.interface import REGISTER, Port, switch_ports
from models.params import SwitchParams
from models.register_map import STREAM_COUNT_BITS, STREAM_ERROR, stream_counters

LINKS = ("link_in", "link_out")


def axi_ports(params: SwitchParams, streams: Streams, *, table: bool) -> dict[str, Port]:
    """Return the ports of a switch by name, with streams at its local ports; `table` as of `switch_ports`."""
    first, count = streams.network, streams.local_ports(params)
    where = f"port {first} + i" if first else "port i"
    ports = {
        "s_axis": Port(In(InputStream(params)).array(count), f"AXI4-Stream into {where}"),
        "m_axis": Port(Out(OutputStream(params, whole=streams.whole)).array(count), f"AXI4-Stream out of {where}"),
        "stream_error": Port(Out(count), STREAM_ERROR, REGISTER),
    }
    for name, meaning in stream_counters(params).items():
        ports[name] = Port(Out(STREAM_COUNT_BITS).array(count), meaning, REGISTER)
    for name, port in switch_ports(params, table=table).items():
        if name not in LINKS:
            ports[name] = port
        elif first:
            flow, link = (In, Out)[name == "link_out"], formats.LinkSignature(params)
            ports[name] = Port(flow(link).array(first), port.meaning)
    return ports
