"""Route table, the stand-in for the off-chip CAM (paper A, section 2.1; microarchitecture.md, section 7)."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Member, Out

from hdl import formats
from hdl.lib.delay import DelayLine
from hdl.lib.lookup_rate import add_ready
from models.params import SwitchParams

# Cycles of a miss outside the table: grant, request register, and use of the route after the walk's write.
_OUTSIDE = 3


def table_ports(params: SwitchParams) -> dict[str, Member]:
    """Return the ports of a table that stands in for the CAM."""
    return {
        "request": In(stream.Signature(formats.cam_request(params))),
        "answer_valid": Out(1),
        "answer": Out(formats.cam_answer(params)),
        "program": In(formats.ValidSignature(formats.program(params))),
    }


class RouteTable(wiring.Component):
    """Direct-indexed routes, with the latency and lookup rate of the CAM.

    Parameters
    ----------
    params : SwitchParams
        With routing = "table" and cam.match = "exact".

    Ports
    -----
    request : In(stream of cam_request)
    answer_valid, answer : Out(1), Out(cam_answer)
    program : In(ValidSignature(program))
        Write one entry, seen by requests accepted in later cycles. Entries survive reset, and are empty at power-up.
    """

    def __init__(self, params: SwitchParams) -> None:
        if not params.has_cam or params.ternary:
            raise ValueError('RouteTable needs routing = "table" and cam.match = "exact"')
        self._params = params
        super().__init__(table_ports(params))

    def elaborate(self, platform: object) -> Module:
        """Build the memory, the tag comparison and the delay line."""
        m = Module()
        params, cam = self._params, self._params.cam
        index, rest = cam.index_bits, params.tag_width - cam.index_bits
        route_fields = list(formats.route(params).members)
        entry_shape = data.StructLayout({"rest": rest, "found": 1, "route": formats.route(params)})
        m.submodules.entries = entries = memory.Memory(shape=entry_shape, depth=cam.entries, init=[])
        write, read = entries.write_port(), entries.read_port()
        m.d.comb += write.en.eq(self.program.valid)
        m.d.comb += write.addr.eq(self.program.payload.tag[:index])
        m.d.comb += write.data.rest.eq(self.program.payload.tag[index:])
        m.d.comb += write.data.found.eq(self.program.payload.found)
        for field in route_fields:
            m.d.comb += write.data.route[field].eq(self.program.payload[field])

        accept = Signal()
        m.d.comb += accept.eq(self.request.valid & self.request.ready)
        add_ready(m, self.request.ready, accept, cam.occupancy)

        accepted = Signal()
        port = Signal(params.port_bits, reset_less=True)
        wanted = Signal(rest, reset_less=True)
        m.d.sync += accepted.eq(accept)
        with m.If(accept):
            m.d.sync += port.eq(self.request.payload.port)
            m.d.sync += wanted.eq(self.request.payload.tag[index:])
        m.d.comb += read.en.eq(accept)
        m.d.comb += read.addr.eq(self.request.payload.tag[:index])

        m.submodules.delay = delay = DelayLine(formats.cam_answer(params), cam.latency - _OUTSIDE - 1)
        m.d.comb += delay.source.valid.eq(accepted)
        m.d.comb += delay.source.payload.port.eq(port)
        m.d.comb += delay.source.payload.found.eq(Cat(read.data.found, read.data.rest == wanted).all())
        for field in route_fields:
            m.d.comb += delay.source.payload[field].eq(read.data.route[field])
        m.d.comb += self.answer_valid.eq(delay.sink.valid)
        m.d.comb += self.answer.eq(delay.sink.payload)
        return m
