"""Receiver of a board's node: takes every flit, returns its credit, and checks the packets."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.lib.logic import select_index
from synth.boards.flit_crc import next_crc
from synth.boards.packet_format import BIRTH_BITS, CRC_BITS, PacketFormat


class PacketSink(wiring.Component):
    """Receives flits of packets that may interleave, those of a packet on one VC.

    Parameters
    ----------
    form : PacketFormat
        Format of the packets.

    Ports
    -----
    node, now : In
        Number of this node; cycle of the run.
    link : In(LinkSignature)
        A flit's credit is returned in the cycle after it is seen.
    flit : Out(1)
        A flit arrived, one cycle ago.
    done : Out(1)
        A packet arrived, two cycles ago; the ports below are of this packet.
    wrong_size, wrong_crc, wrong_destination : Out(1)
        What is wrong with it, the first of these.
    trailer : Out
        Fields of `PacketFormat.trailer`.
    latency : Out(BIRTH_BITS)
        Cycles from its birth to the arrival of its tail.
    """

    def __init__(self, form: PacketFormat) -> None:
        self._form = form
        super().__init__(
            {
                "node": In(form.node_bits),
                "now": In(BIRTH_BITS),
                "link": In(formats.LinkSignature(form.switch)),
                "flit": Out(1),
                "done": Out(1),
                "wrong_size": Out(1),
                "wrong_crc": Out(1),
                "wrong_destination": Out(1),
                "trailer": Out(formats.struct(form.trailer)),
                "latency": Out(BIRTH_BITS),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build registers of the flit that arrived, and per VC of the packet that it belongs to."""
        m = Module()
        form, params = self._form, self._form.switch
        width = params.data_width
        arrived = self.link.flit
        m.d.sync += [self.link.credit.valid.eq(arrived.valid), self.link.credit.payload.vc.eq(arrived.payload.vc)]
        flit = Signal(formats.flit(params), reset_less=True)
        seen = Signal(BIRTH_BITS, reset_less=True)
        m.d.sync += [self.flit.eq(arrived.valid), flit.eq(arrived.payload), seen.eq(self.now)]

        crcs = [Signal(CRC_BITS, name=f"crc_{v}") for v in range(params.vcs)]
        counts = [Signal(range(form.size + 1), name=f"count_{v}") for v in range(params.vcs)]
        before = [Signal(max(form.trailer_bits - width, 0), name=f"before_{v}") for v in range(params.vcs)]
        crc, count, kept = (select_index(flit.vc, signals) for signals in (crcs, counts, before))
        trailer = data.View(formats.struct(form.trailer), Cat(kept, flit.data)[-form.trailer_bits :])
        checked = Cat(flit.data[:-CRC_BITS], Mux(flit.tail, 0, flit.data[-CRC_BITS:]))
        crc_next = next_crc(m, crc, checked)
        for v in range(params.vcs):
            with m.If(self.flit & (flit.vc == v)):
                m.d.sync += [
                    crcs[v].eq(Mux(flit.tail, 0, crc_next)),
                    counts[v].eq(Mux(flit.tail, 0, count + (count != form.size))),
                    before[v].eq(Cat(kept, flit.data)[width:]),
                ]
        self._judge(m, flit, trailer, seen, count, crc_next)
        return m

    def _judge(self, m: Module, flit: Value, trailer: Value, seen: Value, count: Value, crc: Value) -> None:
        """Register what is known of a packet when its tail has arrived."""
        form = self._form
        size, intact = Signal(), Signal()
        m.d.comb += [size.eq(count == form.size - 1), intact.eq(trailer.crc == crc)]
        m.d.sync += [
            self.done.eq(self.flit & flit.tail),
            self.wrong_size.eq(~size),
            self.wrong_crc.eq(size & ~intact),
            self.wrong_destination.eq(size & intact & (trailer.destination != self.node)),
            self.trailer.eq(trailer),
            self.latency.eq(seen - trailer.birth),
        ]
