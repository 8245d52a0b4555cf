"""Stand-in for a node."""

from __future__ import annotations

from amaranth.hdl import Array, C, Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from models.params import SwitchParams


class Node(wiring.Component):
    """Sends packets to the next node as fast as credits allow."""

    def __init__(self, params: SwitchParams, tags: list[int], number: int, packet_size: int) -> None:
        self._params = params
        self._tags = tags
        self._mine = number
        self._size = packet_size
        link = formats.LinkSignature(params)
        super().__init__(
            {
                "link_out": Out(link),
                "link_in": In(link),
                "run": In(1),
                "clear": In(1),
                "seed": In(32),
                "threshold": In(32),
                "now": In(32),
                "number": In(12),
                "data": Out(32),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        sent, got, credits, place = Signal(32), Signal(32), Signal(8, init=self._params.depth), Signal(8)
        target = self._tags[(self._mine + 1) % len(self._tags)]
        go = (credits > 0) & (self.run | (place > 0))
        out = self.link_out.flit
        m.d.sync += [out.valid.eq(go), out.payload.vc.eq(0), out.payload.tail.eq(place == self._size - 1)]
        back = Signal()
        m.d.comb += back.eq(self.link_out.credit.valid & (self.link_out.credit.payload.vc == 0))
        m.d.sync += credits.eq(credits - go + back)
        with m.If(go):
            m.d.sync += place.eq(place + 1)
            m.d.sync += out.payload.data.eq(sent)
            with m.If(place == 0):
                m.d.sync += out.payload.data.eq(target)
            with m.If(place == self._size - 1):
                m.d.sync += [place.eq(0), sent.eq(sent + 1)]
        m.d.sync += [
            self.link_in.credit.valid.eq(self.link_in.flit.valid),
            self.link_in.credit.payload.vc.eq(self.link_in.flit.payload.vc),
        ]
        with m.If(self.link_in.flit.valid & self.link_in.flit.payload.tail):
            m.d.sync += got.eq(got + 1)
        m.d.sync += self.data.eq(Array([sent, got])[self.number[0]])
        return m
