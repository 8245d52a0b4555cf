"""Packets of an AXI4-Stream into a switch: head flits from `tdest` and `tuser`, one VC per packet, credits.

The VC is chosen as in the network interface of a node (models/node/terminal.py): the first, in cyclic order, that has
the credits that a head needs. A stream has one packet at a time, so no VC is owned when one is chosen. Behaviour
without a model of its own: the simulator has no streams; bench and proofs compare packets in and out.
"""

from __future__ import annotations

from enum import IntEnum

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.bus.stream_signature import InputStream
from hdl.bus.streams import Streams
from hdl.lib.logic import first_cyclic, select_index, successor
from models.params import SwitchParams, index_width
from models.register_map import STREAM_COUNT_BITS


class _Phase(IntEnum):
    """What a source does with its stream: no word is taken, words become flits, words are discarded."""

    HEADER = 0
    DATA = 1
    REST = 2


class StreamIn(wiring.Component):
    """Sends the packets of a stream into a port of a switch.

    The first header flit of a packet leaves when its first word is valid and a VC has room; that word is taken behind
    the last header flit. A packet of `max_packet` flits whose last word has not come ends there, and its other words
    are taken and discarded. A word that is not whole is sent as if it were.

    Parameters
    ----------
    params : SwitchParams

    Ports
    -----
    stream : In(InputStream)
    link : Out(LinkSignature)
        To the input of the switch.
    error : Out(1)
        Register: 1 for one cycle after a word with which a packet became too long, or that is not whole.
    long_packets : Out(32)
        Packets that were cut, modulo 2^32; only with `max_packet`.
    partial_words : Out(32)
        Words that had some bytes only, or none though they were not the only one of their packet; modulo 2^32.
    """

    def __init__(self, params: SwitchParams) -> None:
        Streams(0).check(params)
        self._params = params
        members = {
            "stream": In(InputStream(params)),
            "link": Out(formats.LinkSignature(params)),
            "error": Out(1),
            "partial_words": Out(STREAM_COUNT_BITS),
        }
        super().__init__(members | ({"long_packets": Out(STREAM_COUNT_BITS)} if params.max_packet else {}))

    def elaborate(self, platform: object) -> Module:
        """Build the phases of a packet, the choice of a VC, the register of flits, and the counters."""
        m = Module()
        params, stream = self._params, self.stream
        phase = Signal(_Phase)
        vc = Signal(params.vc_bits)
        taken = Signal()
        m.d.comb += taken.eq(stream.tvalid & stream.tready)

        spend = Signal()
        chosen = Signal(params.vc_bits)
        has_credit, roomy = self._credits(m, spend, chosen)
        pointer = Signal(params.vc_bits)
        found, free = first_cyclic(m, roomy, pointer, "free")
        open_vc = select_index(vc, list(has_credit))

        flit = self.link.flit
        m.d.sync += flit.valid.eq(spend)
        m.d.comb += chosen.eq(vc)
        part = Signal(index_width(params.header_flits))
        last_part = part == params.header_flits - 1
        without_data = Signal()
        m.d.comb += without_data.eq(stream.tlast & ~stream.tkeep.any())
        last_word = Signal()
        is_long = Signal()
        is_partial = Signal()
        with m.Switch(phase):
            with m.Case(_Phase.HEADER):
                m.d.comb += spend.eq(stream.tvalid & open_vc)
                with m.If(part == 0):
                    m.d.comb += [chosen.eq(free), spend.eq(stream.tvalid & found)]
                with m.If(spend):
                    m.d.sync += vc.eq(chosen)
                    m.d.sync += part.eq(successor(part, params.header_flits))
                    with m.If(part == 0):
                        m.d.sync += pointer.eq(successor(free, params.vcs))
                    with m.If(last_part):
                        m.d.sync += phase.eq(Mux(without_data, _Phase.REST, _Phase.DATA))
                m.d.sync += flit.payload.tail.eq(last_part & without_data)
                m.d.sync += flit.payload.data.eq(self._header(part))
            with m.Case(_Phase.DATA):
                m.d.comb += [stream.tready.eq(open_vc), spend.eq(taken)]
                m.d.comb += is_long.eq(taken & last_word & ~stream.tlast)
                m.d.comb += is_partial.eq(taken & ~stream.tkeep.all())
                with m.If(taken & stream.tlast):
                    m.d.sync += phase.eq(_Phase.HEADER)
                with m.Elif(is_long):
                    m.d.sync += phase.eq(_Phase.REST)
                m.d.sync += flit.payload.tail.eq(stream.tlast | last_word)
                m.d.sync += flit.payload.data.eq(stream.tdata)
            with m.Default():
                m.d.comb += stream.tready.eq(1)
                with m.If(taken & stream.tlast):
                    m.d.sync += phase.eq(_Phase.HEADER)
        m.d.sync += flit.payload.vc.eq(chosen)

        if params.max_packet:
            self._limit(m, phase, taken, last_word)
            with m.If(is_long):
                m.d.sync += self.long_packets.eq(self.long_packets + 1)
        with m.If(is_partial):
            m.d.sync += self.partial_words.eq(self.partial_words + 1)
        m.d.sync += self.error.eq(is_long | is_partial)
        return m

    def _header(self, part: Value) -> Value:
        """Return header flit number `part`."""
        params, stream = self._params, self.stream
        header = Cat(stream.tdest, stream.tuser) if "tuser" in stream.signature.members else stream.tdest
        size = params.data_width
        return select_index(part, [header[k * size :][:size] for k in range(params.header_flits)])

    def _limit(self, m: Module, phase: Value, taken: Value, last_word: Signal) -> None:
        """Build `last_word`: the packet has all but one of the flits that it may have."""
        assert self._params.max_packet is not None
        most = self._params.max_packet - self._params.header_flits
        left = Signal(range(most), init=most - 1)
        m.d.comb += last_word.eq(left == 0)
        with m.If(phase == _Phase.HEADER):
            m.d.sync += left.eq(most - 1)
        with m.Elif(taken & ~last_word):
            m.d.sync += left.eq(left - 1)

    def _credits(self, m: Module, spend: Value, chosen: Value) -> tuple[Value, Value]:
        """Build the credits; return, for each VC, whether it has one, and whether it has those that a head needs."""
        params, back = self._params, self.link.credit
        levels = []
        for vc in range(params.vcs):
            credits = Signal(range(params.depth + 1), init=params.depth, name=f"credits_{vc}")
            less, more = spend & (chosen == vc), back.valid & (back.payload.vc == vc)
            with m.If(less & ~more):
                m.d.sync += credits.eq(credits - 1)
            with m.Elif(more & ~less):
                m.d.sync += credits.eq(credits + 1)
            levels.append(credits)
        return Cat(level.any() for level in levels), Cat(level >= params.credit_need for level in levels)
