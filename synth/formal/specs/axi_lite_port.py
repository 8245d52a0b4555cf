"""Properties of the AXI4-Lite port: each access takes place once and is answered once, and no answer changes."""

from __future__ import annotations

from amaranth.hdl import Mux, Signal, Value

from hdl.bus.axi_lite import OKAY, SLVERR
from hdl.bus.axi_lite_port import AxiLitePort
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property

_ADDRESS_BITS = 6


def _outstanding(proof: Proof, name: str, begins: Value, ends: Value) -> Signal:
    """Return the number of transfers that have begun and not ended."""
    count = Signal(2, name=name)
    proof.m.d.sync += count.eq(count + begins - ends)
    return count


def _writes(proof: Proof) -> None:
    """Claim that both halves of a write are there for each answer, and what the answer is."""
    m = proof.m
    inside = proof.inside(AxiLitePort(_ADDRESS_BITS))
    port = inside.ports
    bus = port.bus
    ends = bus.bvalid & bus.bready
    addresses = _outstanding(proof, "addresses", bus.awvalid & bus.awready, ends)
    data = _outstanding(proof, "data", bus.wvalid & bus.wready, ends)
    proof.invariant(addresses == inside.register("has_address") + bus.bvalid)
    proof.invariant(data == inside.register("has_data") + bus.bvalid)
    with m.If(bus.bvalid | port.writes):
        proof.claim((addresses > 0) & (data > 0))

    # What both halves wait for is at most one answer that has not been taken.
    waits = Signal()
    m.d.sync += waits.eq((addresses > 0) & (data > 0) & ~bus.bvalid)
    proof.claim(~waits | bus.bvalid)
    due, wanted = Signal(), Signal(2)
    m.d.sync += [due.eq(port.writes), wanted.eq(Mux(port.write_refused, SLVERR, OKAY))]
    with m.If(due):
        proof.claim(bus.bvalid & (bus.bresp == wanted))
    held, response = Signal(), Signal(2)
    m.d.sync += [held.eq(bus.bvalid & ~bus.bready), response.eq(bus.bresp)]
    proof.claim(~held | (bus.bvalid & (bus.bresp == response)))
    with m.If(~due & ~held):
        proof.claim(~bus.bvalid)


def _write_words(proof: Proof) -> None:
    """Claim that a write has the address and the data that were taken for it, and that none is replaced before."""
    m = proof.m
    inside = proof.inside(AxiLitePort(_ADDRESS_BITS))
    port = inside.ports
    bus = port.bus
    word, data, strobe = Signal(_ADDRESS_BITS - 2), Signal(32), Signal(4)
    has_word, has_data = Signal(), Signal()
    m.d.sync += [has_word.eq(has_word & ~port.writes), has_data.eq(has_data & ~port.writes)]
    with m.If(bus.awvalid & bus.awready):
        proof.claim(~has_word)
        m.d.sync += [has_word.eq(1), word.eq(bus.awaddr[2:])]
    with m.If(bus.wvalid & bus.wready):
        proof.claim(~has_data)
        m.d.sync += [has_data.eq(1), data.eq(bus.wdata), strobe.eq(bus.wstrb)]
    proof.invariant((has_word == inside.register("has_address")) & (has_data == inside.register("has_data")))
    proof.invariant((word == port.write_word) & (data == port.write_data) & (strobe == inside.register("strobe")))
    with m.If(port.writes):
        proof.claim(has_word & has_data & (port.write_word == word) & (port.write_data == data))
        for byte in range(4):
            proof.claim(port.write_mask.word_select(byte, 8) == strobe[byte].replicate(8))


def _reads(proof: Proof) -> None:
    """Claim that each read looks once, and is answered once with what was there in the cycle after."""
    m = proof.m
    port = proof.inside(AxiLitePort(_ADDRESS_BITS)).ports
    bus = port.bus
    begins = bus.arvalid & bus.arready
    open_reads = _outstanding(proof, "open_reads", begins, bus.rvalid & bus.rready)
    proof.invariant(open_reads == port.looks + port.answers + bus.rvalid)
    proof.claim(open_reads <= 1)
    with m.If(bus.rvalid | port.looks):
        proof.claim(open_reads == 1)

    word = Signal(_ADDRESS_BITS - 2)
    began, looked, due = Signal(), Signal(), Signal()
    data, response = Signal(32), Signal(2)
    with m.If(begins):
        m.d.sync += word.eq(bus.araddr[2:])
    m.d.sync += [began.eq(begins), looked.eq(began), due.eq(looked)]
    proof.claim(port.looks == began)
    proof.invariant(port.answers == looked)
    with m.If(began | looked):
        proof.claim(port.read_word == word)
    with m.If(looked):
        m.d.sync += [data.eq(Mux(port.read_refused, 0, port.read_data))]
        m.d.sync += response.eq(Mux(port.read_refused, SLVERR, OKAY))
    held = Signal()
    m.d.sync += held.eq(bus.rvalid & ~bus.rready)
    proof.claim(bus.rvalid == (due | held))
    with m.If(bus.rvalid):
        proof.claim((bus.rdata == data) & (bus.rresp == response))


_FILE = "hdl/bus/axi_lite_port.py"

PROPERTIES = [
    Property(
        "axi_lite_port: each write is answered once",
        "a write takes place once address and data are taken, at most one cycle after the answer before it is; each is "
        "answered once, in the next cycle; the answer stays as it is until it is taken",
        _writes,
        Fault(
            _FILE,
            "        with m.Elif(bus.bready):\n            m.d.sync += bus.bvalid.eq(0)",
            "        with m.Else():\n            m.d.sync += bus.bvalid.eq(0)",
        ),
    ),
    Property(
        "axi_lite_port: writes have their own address and data",
        "a write has the address, data and bytes that were taken for it; none is replaced before the write takes place",
        _write_words,
        Fault(_FILE, "bus.awready.eq(~has_address)", "bus.awready.eq(1)"),
    ),
    Property(
        "axi_lite_port: each read is answered once",
        "there is at most one read at a time; it is answered once, three cycles after its address is taken, with the "
        "data of the cycle before; the answer stays as it is until it is taken",
        _reads,
        Fault(
            _FILE,
            "bus.arready.eq(~(self.looks | self.answers | bus.rvalid))",
            "bus.arready.eq(~(self.looks | bus.rvalid))",
        ),
    ),
]
