"""Link between two switches: delay of flits and of credits (microarchitecture.md, section 2)."""

from __future__ import annotations

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.lib.delay import DelayLine
from models.params import LinkParams, SwitchParams


class Link(wiring.Component):
    """Delays flits by `link.latency` cycles, and credits by `link.latency` + `link.credit_lag` cycles.

    Parameters
    ----------
    params : SwitchParams
    link : LinkParams

    Ports
    -----
    source : In(LinkSignature)
        At the sender of flits.
    sink : Out(LinkSignature)
        At the receiver of flits.
    """

    def __init__(self, params: SwitchParams, link: LinkParams) -> None:
        assert link.interval == 1, "links slower than the switches are simulated only"
        self._params = params
        self._link = link
        super().__init__({"source": In(formats.LinkSignature(params)), "sink": Out(formats.LinkSignature(params))})

    def elaborate(self, platform: object) -> Module:
        """Build one delay line per direction."""
        m = Module()
        m.submodules.flits = flits = DelayLine(formats.flit(self._params), self._link.latency)
        back = self._link.latency + self._link.credit_lag
        m.submodules.credits = credit = DelayLine(formats.credit(self._params), back)
        for line, source, sink in (
            (flits, self.source.flit, self.sink.flit),
            (credit, self.sink.credit, self.source.credit),
        ):
            m.d.comb += line.source.valid.eq(source.valid)
            m.d.comb += line.source.payload.eq(source.payload)
            m.d.comb += sink.valid.eq(line.sink.valid)
            m.d.comb += sink.payload.eq(line.sink.payload)
        return m
