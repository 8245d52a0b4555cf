"""Packets out of a switch to an AXI4-Stream: a buffer for each VC, headers beside the words, credits.

Behaviour without a model: the simulator has no streams; bench and proofs compare packets in and out.
"""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.buffer.vc_buffer import VcBuffer
from hdl.bus.stream_signature import OutputStream
from hdl.bus.streams import Streams
from hdl.lib.logic import first_cyclic, select_index, successor
from models.params import SwitchParams


class StreamOut(wiring.Component):
    """Gives the packets of a port of a switch to a stream.

    Flits wait in a buffer of `depth` flits for each VC; a credit is returned for each one that leaves it, so that a
    stream that is not ready stops the switch, and nothing is dropped. Header flits become `tuser`, the flits behind
    them words. A packet of header flits only becomes one word without bytes.

    Parameters
    ----------
    params : SwitchParams
    whole : bool
        False: in each cycle the next VC with a flit, in cyclic order. True: the next VC that has stored a packet to its
        end; the stream stays with it to its tail. A packet longer than `max_packet`, which this side cannot prevent,
        begins to leave when it fills its buffer.

    Ports
    -----
    link : In(LinkSignature)
        From the output of the switch.
    stream : Out(OutputStream)
        All members but `tready` are registers, or read a memory whose address is a register.
    """

    def __init__(self, params: SwitchParams, *, whole: bool = False) -> None:
        Streams(0, whole).check(params)
        self._params = params
        self._whole = whole
        stream = OutputStream(params, whole=whole)
        super().__init__({"link": In(formats.LinkSignature(params)), "stream": Out(stream)})

    def elaborate(self, platform: object) -> Module:
        """Build the buffer, the choice of a VC, the headers, and the register of words."""
        m = Module()
        params, stream = self._params, self.stream
        m.submodules.vc_buffer = buffer = VcBuffer(_counting_tails(params) if self._whole else params)
        wiring.connect(m, buffer.flit, wiring.flipped(self.link.flit))
        pop = Signal()
        vc = Signal(params.vc_bits)
        tail = buffer.front.tail
        found = self._choose(m, buffer, vc, pop)
        m.d.comb += [
            pop.eq(found & (~stream.tvalid | stream.tready)),
            buffer.pop_valid.eq(pop),
            buffer.pop_vc.eq(vc),
        ]
        m.d.sync += [self.link.credit.valid.eq(pop), self.link.credit.payload.vc.eq(vc)]

        of_header = self._headers(m, vc, pop, buffer.front)
        with m.If(~stream.tvalid | stream.tready):
            m.d.sync += stream.tvalid.eq(pop & (~of_header | tail))
        word_vc = Signal(params.vc_bits) if self._whole else stream.tid
        with m.If(pop):
            m.d.sync += [
                stream.tdata.eq(buffer.front.data),
                stream.tkeep.eq((~of_header).replicate(len(stream.tkeep))),
                stream.tlast.eq(tail),
                word_vc.eq(vc),
            ]
        self._read_headers(m, word_vc)
        return m

    def _choose(self, m: Module, buffer: VcBuffer, vc: Signal, pop: Value) -> Value:
        """Build the choice of `vc`; return whether it has a flit that may leave."""
        params = self._params
        pointer = Signal(params.vc_bits)
        found, first = first_cyclic(m, buffer.whole if self._whole else buffer.nonempty, pointer, "first")
        if not self._whole:
            m.d.comb += vc.eq(first)
            with m.If(pop):
                m.d.sync += pointer.eq(successor(vc, params.vcs))
            return found
        held = Signal()
        holder = Signal(params.vc_bits)
        m.d.comb += vc.eq(Mux(held, holder, first))
        with m.If(pop):
            m.d.sync += [held.eq(~buffer.front.tail), holder.eq(vc), pointer.eq(successor(vc, params.vcs))]
        return Mux(held, select_index(holder, list(buffer.nonempty)), found)

    def _headers(self, m: Module, vc: Value, pop: Value, front: Value) -> Value:
        """Build the memories of headers, one for each header flit; return whether the front of `vc` is one."""
        params = self._params
        flits = params.header_flits
        parts = []
        for each in range(params.vcs):
            part = Signal(range(flits + 1), name=f"part_{each}")
            with m.If(pop & (vc == each)):
                m.d.sync += part.eq(Mux(front.tail, 0, Mux(part == flits, flits, part + 1)))
            parts.append(part)
        part = Signal(range(flits + 1))
        m.d.comb += part.eq(select_index(vc, parts))
        self._rows = []
        for number in range(flits):
            rows = memory.Memory(shape=params.data_width, depth=params.vcs, init=[], attrs={"ram_style": "distributed"})
            m.submodules[f"headers_{number}"] = rows
            write = rows.write_port()
            m.d.comb += [
                write.en.eq(pop & (part == number)),
                write.addr.eq(vc[: len(write.addr)]),
                write.data.eq(front.data),
            ]
            self._rows.append(rows)
        return part != flits

    def _read_headers(self, m: Module, vc: Value) -> None:
        """Build `tuser`: the header of `vc`, which is not written while a word of it waits."""
        for number, rows in enumerate(self._rows):
            read = rows.read_port(domain="comb")
            m.d.comb += read.addr.eq(vc[: len(read.addr)])
            m.d.comb += self.stream.tuser.word_select(number, self._params.data_width).eq(read.data)


def _counting_tails(params: SwitchParams) -> SwitchParams:
    """Return parameters with which a VC buffer knows whether it has stored a packet to its end."""
    return SwitchParams.model_validate(dict(params) | {"buffering": "static"})
