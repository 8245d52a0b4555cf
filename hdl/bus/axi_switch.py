"""A switch whose local ports are AXI4-Streams; other ports are those of the switch.

Plumbing: it connects the switch, which has a model, with the streams, which have none (`hdl/bus/__init__.py`).
"""

from __future__ import annotations

from amaranth.hdl import Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from hdl.bus.axi_ports import LINKS, axi_ports
from hdl.bus.stream_in import StreamIn
from hdl.bus.stream_out import StreamOut
from hdl.bus.streams import Streams
from hdl.interface import members
from hdl.top import Top
from models.params import SwitchParams


class AxiSwitch(wiring.Component):
    """A switch with a `StreamIn` and a `StreamOut` at each local port.

    Parameters
    ----------
    params : SwitchParams
    streams : Streams
    switch : wiring.Component
        `hdl.top.Top`, or `hdl.switch.Switch` without the table that replaces the CAM.

    Ports
    -----
    Those of `hdl.bus.axi_ports.axi_ports`, with their meanings.
    """

    def __init__(self, params: SwitchParams, streams: Streams, switch: wiring.Component) -> None:
        streams.check(params)
        self._params = params
        self._streams = streams
        self._switch = switch
        super().__init__(members(axi_ports(params, streams, table=isinstance(switch, Top))))

    def elaborate(self, platform: object) -> Module:
        """Build the switch, the two sides of each stream, and the wires of all other ports."""
        m = Module()
        params, streams = self._params, self._streams
        m.submodules.switch = switch = self._switch
        for number in range(streams.local_ports(params)):
            port = streams.network + number
            m.submodules[f"stream_in_{number}"] = into = StreamIn(params)
            m.submodules[f"stream_out_{number}"] = out = StreamOut(params, whole=streams.whole)
            wiring.connect(m, into.link, switch.link_in[port])
            wiring.connect(m, switch.link_out[port], out.link)
            wiring.connect(m, into.stream, wiring.flipped(self.s_axis[number]))
            wiring.connect(m, out.stream, wiring.flipped(self.m_axis[number]))
            m.d.comb += self.stream_error[number].eq(into.error)
            m.d.comb += self.partial_words[number].eq(into.partial_words)
            if params.max_packet:
                m.d.comb += self.long_packets[number].eq(into.long_packets)
        mine = {path: value for path, _, value in self.signature.flatten(self)}
        for path, member, inner in switch.signature.flatten(switch):
            if path[0] in LINKS and path[1] >= streams.network:
                continue
            into, out = (inner, mine[path]) if member.flow == In else (mine[path], inner)
            m.d.comb += Value.cast(into).eq(Value.cast(out))
        return m
