"""Route table, the stand-in for the off-chip CAM (paper A, section 2.1; microarchitecture.md, section 7)."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.lib.delay import DelayLine
from models.params import SwitchParams, index_width

# Cycles of a miss outside the table: grant, request register, and use of the route after the walk's write.
_OUTSIDE = 3


class RouteTable(wiring.Component):
    """Direct-indexed routes, with the latency and lookup rate of the CAM.

    Parameters
    ----------
    params : SwitchParams
        With routing = "table".

    Ports
    -----
    request : In(stream of cam_request)
    answer_valid, answer : Out(1), Out(cam_answer)
    program : In(ValidSignature(program))
        Write one entry, seen by requests accepted in later cycles. Entries survive reset, and are empty at power-up.
    """

    def __init__(self, params: SwitchParams) -> None:
        if not params.has_cam:
            raise ValueError('RouteTable needs routing = "table"')
        self._params = params
        super().__init__(
            {
                "request": In(stream.Signature(formats.cam_request(params))),
                "answer_valid": Out(1),
                "answer": Out(formats.cam_answer(params)),
                "program": In(formats.ValidSignature(formats.program(params))),
            }
        )

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
        self._elaborate_ready(m, accept)

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

    def _elaborate_ready(self, m: Module, accept: Signal) -> None:
        """Build `ready`: 0 for `occupancy` − 1 cycles after an accepted request."""
        occupancy = self._params.cam.occupancy
        if occupancy == 1:
            m.d.comb += self.request.ready.eq(1)
            return
        ready = Signal(init=1)
        remaining = Signal(index_width(occupancy))
        m.d.comb += self.request.ready.eq(ready)
        with m.If(accept):
            m.d.sync += ready.eq(0)
            m.d.sync += remaining.eq(occupancy - 2)
        with m.Elif(~ready):
            m.d.sync += remaining.eq(remaining - 1)
            with m.If(remaining == 0):
                m.d.sync += ready.eq(1)
