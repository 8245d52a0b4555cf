"""Sender of a board's node: forms the packets of its queue and sends them as the model's source does.

`models/node/terminal.py` says when a packet is taken, on which VC it goes and when its flits go; here with one local
port and one packet at a time.
"""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.lib.logic import first_cyclic, one_hot, successor
from models.params import index_width
from synth.boards.flit_crc import next_crc
from synth.boards.packet_format import BIRTH_BITS, CRC_BITS, SEQUENCE_BITS, PacketFormat


class PacketSource(wiring.Component):
    """Sends packets, one after the other, each on one VC.

    Parameters
    ----------
    form : PacketFormat
        Format of the packets.
    tags : sequence of int
        Destination tag of each node.

    Ports
    -----
    node : In
        Number of this node.
    valid, birth, destination, measured : In
        The first packet that waits.
    take : Out(1)
        It is taken; its head goes to the link at the end of this cycle.
    sequence : In(SEQUENCE_BITS)
        In the cycle after `take`: packets that went to this destination before.
    link : Out(LinkSignature)
    sent : Out(1)
        The tail of a packet goes to the link at the end of this cycle.
    sent_birth : Out(BIRTH_BITS)
        Its birth.
    busy : Out(1)
        Register: a packet is under way.
    """

    def __init__(self, form: PacketFormat, tags: Sequence[int]) -> None:
        self._form, self._tags = form, tags
        bits = form.node_bits
        super().__init__(
            {
                "node": In(bits),
                "valid": In(1),
                "birth": In(BIRTH_BITS),
                "destination": In(bits),
                "measured": In(1),
                "take": Out(1),
                "sequence": In(SEQUENCE_BITS),
                "link": Out(formats.LinkSignature(form.switch)),
                "sent": Out(1),
                "sent_birth": Out(BIRTH_BITS),
                "busy": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the credits, the choice of a VC, and the packet under way."""
        m = Module()
        form, params = self._form, self._form.switch
        vc, place = Signal(params.vc_bits), Signal(index_width(form.size))
        first, sends = Signal(), Signal(params.vcs)
        credited, roomy = self._credits(m, sends)
        claim = Signal(params.vc_bits)
        any_roomy, claimed = first_cyclic(m, roomy, claim, "roomy")
        chosen = Signal(params.vc_bits)
        goes = Signal()
        m.d.comb += [
            self.take.eq(~self.busy & self.valid & any_roomy),
            first.eq(~self.busy),
            chosen.eq(Mux(first, claimed, vc)),
            goes.eq(Mux(first, self.take, (one_hot(vc, params.vcs) & credited).any())),
            sends.eq(one_hot(chosen, params.vcs) & goes.replicate(params.vcs)),
            self.sent.eq(goes & (place == form.size - 1)),
        ]
        with m.If(self.take):
            m.d.sync += [vc.eq(claimed), claim.eq(successor(claimed, params.vcs)), self.busy.eq(1)]
        with m.If(goes):
            m.d.sync += place.eq(successor(place, form.size))
        with m.If(self.sent):
            m.d.sync += self.busy.eq(0)
        flit = self.link.flit
        m.d.sync += [
            flit.valid.eq(goes),
            flit.payload.vc.eq(chosen),
            flit.payload.tail.eq(self.sent),
            flit.payload.data.eq(self._data(m, place, goes)),
        ]
        return m

    def _credits(self, m: Module, sends: Value) -> tuple[Value, Value]:
        """Build a counter per VC; return the VCs with a credit, and those with what a head needs."""
        params = self._form.switch
        credited, roomy = [], []
        back = self.link.credit
        for v in range(params.vcs):
            left = Signal(range(params.depth + 1), init=params.depth, name=f"credits_{v}")
            returned = back.valid & (back.payload.vc == v)
            m.d.sync += left.eq(left + returned - sends[v])
            credited.append(left != 0)
            roomy.append(left >= params.credit_need)
        return Cat(credited), Cat(roomy)

    def _data(self, m: Module, place: Value, goes: Value) -> Value:
        """Return the data of the flit that is sent next."""
        form, width = self._form, self._form.switch.data_width
        # Of the packet under way from its take on; of the packet taken in this cycle they come from the queue.
        kept = {name: Signal.like(getattr(self, name), name=f"kept_{name}") for name in ("birth", "destination")}
        measured, sequence, taken = Signal(), Signal(SEQUENCE_BITS), Signal()
        m.d.sync += taken.eq(self.take)
        with m.If(self.take):
            m.d.sync += [kept[name].eq(getattr(self, name)) for name in kept]
            m.d.sync += measured.eq(self.measured)
        with m.If(taken):
            m.d.sync += sequence.eq(self.sequence)
        birth, destination = (Mux(self.busy, kept[name], getattr(self, name)) for name in ("birth", "destination"))
        m.d.comb += self.sent_birth.eq(kept["birth"])
        values = {
            "destination": kept["destination"],
            "source": self.node,
            "measured": measured,
            "sequence": Mux(taken, self.sequence, sequence),
            "birth": kept["birth"],
            "crc": C(0, CRC_BITS),
        }
        tag = Array(C(tag, form.switch.tag_width) for tag in self._tags)[destination]
        filling = Cat(birth[bit % BIRTH_BITS] for bit in range(width)) ^ place[0].replicate(width)
        trailer = Cat(values[field.name] for field in form.trailer)
        data = Signal(width)
        m.d.comb += data.eq(filling)
        body = form.size * width - form.trailer_bits  # bits in front of the trailer
        for k in range(form.size):
            begin = k * width
            tagged = min(max(form.switch.tag_width - begin, 0), width)
            kept_to = min(max(body - begin, 0), width)
            with m.If(place == k):
                m.d.comb += data[:tagged].eq(tag[begin : begin + tagged])
                m.d.comb += data[kept_to:].eq(trailer[begin + kept_to - body : begin + width - body])
        crc = Signal(CRC_BITS)
        crc_next = next_crc(m, Mux(self.busy, crc, 0), data)
        with m.If(goes):
            m.d.sync += crc.eq(crc_next)
        return Cat(data[:-CRC_BITS], Mux(self.sent, crc_next, data[-CRC_BITS:]))
