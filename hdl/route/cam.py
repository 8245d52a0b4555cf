"""CAM interface shared by all ports of a switch (Hirasawa et al., 2020: paper A; microarchitecture.md, section 7)."""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.allocate.arbiter import RoundRobinArbiter
from hdl.lib.logic import encode, select_hot
from models.params import SwitchParams


class Cam(wiring.Component):
    """Grants one port's request per cycle while the request register is free, and returns each answer to its port.

    Parameters
    ----------
    params : SwitchParams
        With routing = "table".

    Ports
    -----
    port_request_valid, port_request_tag : In(ports), In(tag_width).array(ports)
    granted : Out(ports)
        One-hot, in the cycle of the request.
    request : Out(stream of cam_request)
        Request to the CAM, from a register.
    answer_valid, answer : In(1), In(cam_answer)
        Answer of the CAM, in the order of requests.
    port_answer_valid, port_answer : Out(ports), Out(port_answer)
        In the cycle of the answer. The payload goes to all ports.
    """

    def __init__(self, params: SwitchParams) -> None:
        if not params.has_cam:
            raise ValueError('Cam needs routing = "table"')
        self._params = params
        super().__init__(
            {
                "port_request_valid": In(params.ports),
                "port_request_tag": In(params.tag_width).array(params.ports),
                "granted": Out(params.ports),
                "request": Out(stream.Signature(formats.cam_request(params))),
                "answer_valid": In(1),
                "answer": In(formats.cam_answer(params)),
                "port_answer_valid": Out(params.ports),
                "port_answer": Out(formats.port_answer(params)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the arbiter, the request register and the decoder of answers."""
        m = Module()
        params = self._params
        m.submodules.arbiter = arbiter = RoundRobinArbiter(params.ports)
        free = Signal()
        m.d.comb += free.eq(~self.request.valid | self.request.ready)
        m.d.comb += arbiter.requests.eq(self.port_request_valid)
        m.d.comb += arbiter.advance.eq(free)
        m.d.comb += self.granted.eq(arbiter.grant & free.replicate(params.ports))
        with m.If(free):
            m.d.sync += self.request.valid.eq(self.port_request_valid.any())
            m.d.sync += self.request.payload.port.eq(encode(list(arbiter.grant), params.port_bits))
            m.d.sync += self.request.payload.tag.eq(select_hot(list(arbiter.grant), list(self.port_request_tag)))

        for port in range(params.ports):
            m.d.comb += self.port_answer_valid[port].eq(self.answer_valid & (self.answer.port == port))
        for field in formats.port_answer(params).members:
            m.d.comb += self.port_answer[field].eq(self.answer[field])
        return m
