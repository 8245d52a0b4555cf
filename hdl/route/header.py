"""Header assembly of one input port: destination tag from the header flits (microarchitecture.md, section 2)."""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Module, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from models.params import SwitchParams, index_width


class Header(wiring.Component):
    """Tracks, per VC, the position in the packet, and tells in which cycle a header is complete.

    Parameters
    ----------
    params : SwitchParams

    Ports
    -----
    flit_valid : In(1)
    flit_vc : In(vc_bits)
    flit_tail : In(1)
    flit_data : In
        Low bits of the flit's data that can belong to a tag: min(data_width, tag_width) bits.
    valid : Out(1)
        A header is complete in this cycle; combinational from the flit.
    vc : Out(vc_bits)
    tag : Out(tag_width)
        Destination tag; undefined if `malformed`.
    malformed : Out(1)
        The packet ended before its header was complete.
    """

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        super().__init__(
            {
                "flit_valid": In(1),
                "flit_vc": In(params.vc_bits),
                "flit_tail": In(1),
                "flit_data": In(min(params.data_width, params.tag_width)),
                "valid": Out(1),
                "vc": Out(params.vc_bits),
                "tag": Out(params.tag_width),
                "malformed": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the position register of each VC, and the memory of header flits that precede the last one."""
        m = Module()
        m.d.comb += self.vc.eq(self.flit_vc)
        if self._params.header_flits == 1:
            self._elaborate_one(m)
        else:
            self._elaborate_many(m)
        return m

    def _current(self, per_vc: list[Signal]) -> Value:
        return Array(per_vc)[self.flit_vc] if self._params.vcs > 1 else per_vc[0]

    def _elaborate_one(self, m: Module) -> None:
        inside = [Signal(name=f"inside_{vc}") for vc in range(self._params.vcs)]
        for vc, bit in enumerate(inside):
            with m.If(self.flit_valid & (self.flit_vc == vc)):
                m.d.sync += bit.eq(~self.flit_tail)
        m.d.comb += self.valid.eq(self.flit_valid & ~self._current(inside))
        m.d.comb += self.tag.eq(self.flit_data)
        m.d.comb += self.malformed.eq(0)

    def _elaborate_many(self, m: Module) -> None:
        vcs, flits = self._params.vcs, self._params.header_flits
        # Position `flits`: any flit behind the header.
        bits = index_width(flits + 1)
        positions = [Signal(bits, name=f"position_{vc}") for vc in range(vcs)]
        position = Signal(bits)
        following = Signal(bits)
        last = Signal()
        m.d.comb += position.eq(self._current(positions))
        m.d.comb += last.eq(position == flits - 1)
        with m.If(self.flit_tail):
            m.d.comb += following.eq(0)
        with m.Elif(position == flits):
            m.d.comb += following.eq(flits)
        with m.Else():
            m.d.comb += following.eq(position + 1)
        for vc in range(vcs):
            with m.If(self.flit_valid & (self.flit_vc == vc)):
                m.d.sync += positions[vc].eq(following)
        m.d.comb += self.malformed.eq(self.flit_tail & ~last)
        m.d.comb += self.valid.eq(self.flit_valid & (position != flits) & (last | self.flit_tail))

        parts = []
        for k in range(flits - 1):
            part = memory.Memory(shape=len(self.flit_data), depth=vcs, init=[])
            m.submodules[f"part_{k}"] = part
            write, read = part.write_port(), part.read_port(domain="comb")
            m.d.comb += write.en.eq(self.flit_valid & (position == k))
            m.d.comb += write.addr.eq(self.flit_vc)
            m.d.comb += write.data.eq(self.flit_data)
            m.d.comb += read.addr.eq(self.flit_vc)
            parts.append(read.data)
        m.d.comb += self.tag.eq(Cat(*parts, self.flit_data)[: self._params.tag_width])
