"""Subordinate's side of AXI4-Lite: one write and one read at a time, each answered once.

Behaviour of the standard (AMBA AXI protocol specification, IHI 0022), so without a model. The bench of the registers
drives it by cocotbext-axi, and proofs hold the protocol (`synth/formal/specs/axi_lite_port.py`).
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.axi_lite import DATA_BITS, OKAY, SLVERR, STROBE_BITS, AxiLiteSignature


class AxiLitePort(wiring.Component):
    """Turns the five channels into writes of one cycle and reads of two.

    Parameters
    ----------
    address_bits : int
        Width of an address in bytes.

    Ports
    -----
    bus : In(AxiLiteSignature(address_bits))
        All outputs are registers.
    writes : Out(1)
        A write takes place in this cycle; there is at most one in two cycles.
    write_word : Out(address_bits - 2)
        Number of the word.
    write_data, write_mask : Out(32)
        Data, and 1 for each bit to be written.
    write_refused : In(1)
        In that cycle: the write is refused.
    looks : Out(1)
        First cycle of a read.
    read_word : Out(address_bits - 2)
        Number of the word, in both cycles.
    answers : Out(1)
        Second cycle of a read, the one after `looks`.
    read_data, read_refused : In(32), In(1)
        In the second cycle: data, and whether the read is refused.
    """

    def __init__(self, address_bits: int) -> None:
        word = address_bits - 2
        super().__init__(
            {
                "bus": In(AxiLiteSignature(address_bits)),
                "writes": Out(1),
                "write_word": Out(word),
                "write_data": Out(DATA_BITS),
                "write_mask": Out(DATA_BITS),
                "write_refused": In(1),
                "looks": Out(1),
                "read_word": Out(word),
                "answers": Out(1),
                "read_data": In(DATA_BITS),
                "read_refused": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build both directions, which share nothing."""
        m = Module()
        self._elaborate_writes(m)
        self._elaborate_reads(m)
        return m

    def _elaborate_writes(self, m: Module) -> None:
        """Build the registers of address, data and response; the write takes place when only the last is empty."""
        bus = self.bus
        has_address = Signal()
        has_data = Signal()
        strobe = Signal(STROBE_BITS)
        m.d.comb += bus.awready.eq(~has_address)
        m.d.comb += bus.wready.eq(~has_data)
        with m.If(bus.awvalid & bus.awready):
            m.d.sync += [has_address.eq(1), self.write_word.eq(bus.awaddr[2:])]
        with m.If(bus.wvalid & bus.wready):
            m.d.sync += [has_data.eq(1), self.write_data.eq(bus.wdata), strobe.eq(bus.wstrb)]
        m.d.comb += self.writes.eq(has_address & has_data & ~bus.bvalid)
        for byte in range(STROBE_BITS):
            m.d.comb += self.write_mask.word_select(byte, 8).eq(strobe[byte].replicate(8))
        with m.If(self.writes):
            m.d.sync += [has_address.eq(0), has_data.eq(0)]
            m.d.sync += [bus.bvalid.eq(1), bus.bresp.eq(Mux(self.write_refused, SLVERR, OKAY))]
        with m.Elif(bus.bready):
            m.d.sync += bus.bvalid.eq(0)

    def _elaborate_reads(self, m: Module) -> None:
        """Build the register of the address, and those of the answer; one read at a time."""
        bus = self.bus
        m.d.comb += bus.arready.eq(~(self.looks | self.answers | bus.rvalid))
        m.d.sync += [self.looks.eq(bus.arvalid & bus.arready), self.answers.eq(self.looks)]
        with m.If(bus.arvalid & bus.arready):
            m.d.sync += self.read_word.eq(bus.araddr[2:])
        with m.If(self.answers):
            m.d.sync += [bus.rvalid.eq(1), bus.rdata.eq(Mux(self.read_refused, 0, self.read_data))]
            m.d.sync += bus.rresp.eq(Mux(self.read_refused, SLVERR, OKAY))
        with m.Elif(bus.rready):
            m.d.sync += bus.rvalid.eq(0)
