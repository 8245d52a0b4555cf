"""Host port: executes the requests of a host (`synth.boards.host_frame`) on a bus of 32-bit registers."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import crc, data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.formats import ValidSignature
from hdl.lib.logic import select_index
from synth.boards import host_frame as frame

WORD_BITS = 8 * frame.WORD_BYTES
ADDRESS_BITS = 8 * frame.ADDRESS_BYTES
TRUE = Const(1)


class HostPort(wiring.Component):
    """Takes requests from bytes, executes the intact ones, and answers them.

    A frame counts once its CRC is right; before that nothing of it is executed. Whatever is wrong with a frame, or a
    silence of `timeout` cycles inside it, makes the port wait for the next first byte.

    Parameters
    ----------
    read_latency : int
        Cycles from an address to its data, at least 1.
    timeout : int
        Cycles without a byte after which a frame that has begun is forgotten.

    Ports
    -----
    received : In(ValidSignature(8))
        Bytes from the host. Those that arrive while a request is executed and answered are ignored.
    sent : Out(stream.Signature(8))
        Bytes to the host.
    address : Out(24)
        Word address.
    write, write_data : Out(1), Out(32)
        Write of a word, in one cycle.
    captured, read_data : Out(1), In(32)
        The data of the address are taken in this cycle.
    """

    def __init__(self, read_latency: int, timeout: int) -> None:
        if read_latency < 1 or timeout < 1:
            raise ValueError(f"read_latency = {read_latency}, timeout = {timeout}: must be at least 1")
        self._latency = read_latency
        self._timeout = timeout
        super().__init__(
            {
                "received": In(ValidSignature(8)),
                "sent": Out(stream.Signature(8)),
                "address": Out(ADDRESS_BITS),
                "write": Out(1),
                "write_data": Out(WORD_BITS),
                "captured": Out(1),
                "read_data": In(WORD_BITS),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the state machine, with the words to write in a memory and one CRC for both directions."""
        m = Module()
        m.submodules.crc = check = crc.catalog.CRC32_ISO_HDLC(data_width=8).create()
        at = _Place(self._latency)
        store, forgotten = self._words(m, at), self._forgotten(m)
        m.d.comb += self.address.eq(at.head.address + at.word)
        m.d.comb += check.data.eq(self.received.payload)
        with m.FSM():
            self._take(m, at, check, store, forgotten)
            self._execute(m, at, check)
            self._answer(m, at, check)
            self._answer_words(m, at, check)
        return m

    def _words(self, m: Module, at: _Place) -> Any:
        """Build the memory of the words to write; return its write port."""
        m.submodules.words = words = Memory(shape=WORD_BITS, depth=frame.MOST_WRITTEN, init=[])
        store, load = words.write_port(), words.read_port(domain="comb")
        m.d.comb += [
            store.addr.eq(at.word),
            store.data.eq(Cat(at.shift[8:], self.received.payload)),
            load.addr.eq(at.word),
            self.write_data.eq(load.data),
        ]
        return store

    def _forgotten(self, m: Module) -> Value:
        """Return whether the line has been silent for so long that a frame that has begun will not go on."""
        silence = Signal(range(self._timeout + 1))
        with m.If(self.received.valid):
            m.d.sync += silence.eq(0)
        with m.Elif(silence != self._timeout):
            m.d.sync += silence.eq(silence + 1)
        return (silence == self._timeout) & ~self.received.valid

    def _take(self, m: Module, at: _Place, check: crc.Processor, store: Any, forgotten: Value) -> None:
        """Build the states in which a request arrives."""
        with m.State("first byte"):
            m.d.comb += check.start.eq(1)
            m.d.sync += [at.byte.eq(0), at.word.eq(0)]
            with m.If(self.received.valid & (self.received.payload == frame.REQUEST)):
                m.next = "head"
        with m.State("head"):
            with m.If(self.received.valid):
                m.d.sync += at.head.eq(Cat(at.head.as_value()[8:], self.received.payload))
            self._take_bytes(m, at, check, frame.HEAD_BYTES, "check head", forgotten)
        with m.State("check head"):
            # No byte arrives in this cycle, as a byte takes many.
            with m.If(at.writes & (at.head.count > 0) & (at.head.count <= frame.MOST_WRITTEN)):
                m.next = "words"
            with m.Elif(at.reads & (at.head.count > 0)):
                m.next = "checksum"
            with m.Else():
                m.next = "first byte"
        with m.State("words"):
            with m.If(self.received.valid):
                m.d.sync += at.shift.eq(store.data)
                with m.If(at.last_byte):
                    m.d.comb += store.en.eq(1)
                    m.d.sync += at.word.eq(Mux(at.last_word, 0, at.word + 1))
            self._take_bytes(m, at, check, frame.WORD_BYTES, "checksum", forgotten, at.last_word)
        with m.State("checksum"):
            self._take_bytes(m, at, check, frame.CRC_BYTES, "check", forgotten)

    def _take_bytes(
        self, m: Module, at: _Place, check: crc.Processor, count: int, after: str, forgotten: Value, whole: Value = TRUE
    ) -> None:
        """Take `count` bytes into the CRC; then, if the part is `whole`, enter the state `after`."""
        m.d.comb += check.valid.eq(self.received.valid)
        with m.If(self.received.valid):
            m.d.sync += at.byte.eq(at.byte + 1)
            with m.If(at.byte == count - 1):
                m.d.sync += at.byte.eq(0)
                with m.If(whole):
                    m.next = after
        with m.Elif(forgotten):
            m.next = "first byte"

    def _execute(self, m: Module, at: _Place, check: crc.Processor) -> None:
        """Build the states that decide about a request, and write."""
        with m.State("check"):
            m.d.comb += check.start.eq(1)
            with m.If(~check.match_detected):
                m.next = "first byte"
            with m.Elif(at.writes):
                m.next = "write"
            with m.Else():
                m.next = "answer"
        with m.State("write"):
            m.d.comb += self.write.eq(1)
            m.d.sync += at.word.eq(at.word + 1)
            with m.If(at.last_word):
                m.d.sync += at.word.eq(0)
                m.next = "answer"

    def _answer(self, m: Module, at: _Place, check: crc.Processor) -> None:
        """Build the states that send what every answer has."""
        with m.State("answer"):
            m.d.comb += [self.sent.valid.eq(1), self.sent.payload.eq(frame.ANSWER)]
            with m.If(self.sent.ready):
                m.next = "answer head"
        with m.State("answer head"):
            m.d.comb += self.sent.payload.eq(_byte(at, at.head.as_value(), frame.ANSWER_BYTES))
            with m.If(self._send_bytes(m, at, check, frame.ANSWER_BYTES)):
                m.d.sync += at.wait.eq(self._latency)
                m.next = "answer checksum"
                with m.If(at.reads):
                    m.next = "read"
        with m.State("answer checksum"):
            m.d.comb += [self.sent.valid.eq(1), self.sent.payload.eq(_byte(at, check.crc, frame.CRC_BYTES))]
            with m.If(self.sent.ready):
                m.d.sync += at.byte.eq(at.byte + 1)
                with m.If(at.byte == frame.CRC_BYTES - 1):
                    m.next = "first byte"

    def _answer_words(self, m: Module, at: _Place, check: crc.Processor) -> None:
        """Build the states that read words and send them."""
        with m.State("read"):
            m.d.sync += at.wait.eq(at.wait - 1)
            with m.If(at.wait == 0):
                m.d.comb += self.captured.eq(1)
                m.d.sync += at.shift.eq(self.read_data)
                m.next = "answer word"
        with m.State("answer word"):
            m.d.comb += self.sent.payload.eq(at.shift)
            with m.If(self.sent.ready):
                m.d.sync += at.shift.eq(at.shift[8:])
            with m.If(self._send_bytes(m, at, check, frame.WORD_BYTES)):
                m.d.sync += [at.word.eq(at.word + 1), at.wait.eq(self._latency)]
                m.next = "read"
                with m.If(at.last_word):
                    m.next = "answer checksum"

    def _send_bytes(self, m: Module, at: _Place, check: crc.Processor, count: int) -> Value:
        """Send `count` bytes, which enter the CRC; return whether the last one is taken."""
        last = at.byte == count - 1
        m.d.comb += [self.sent.valid.eq(1), check.data.eq(self.sent.payload), check.valid.eq(self.sent.ready)]
        with m.If(self.sent.ready):
            m.d.sync += at.byte.eq(Mux(last, 0, at.byte + 1))
        return last & self.sent.ready


def _byte(at: _Place, word: Value, count: int) -> Value:
    """Return the byte of the place in the frame, of the first `count` bytes of a word; undefined behind them."""
    return select_index(at.byte, [word[8 * k : 8 * k + 8] for k in range(count)])


class _Place:
    """Registers of the state machine: the head of the request, and the place in the frame."""

    def __init__(self, latency: int) -> None:
        fields = {"operation": 8, "sequence": 8, "count": 8, "address": ADDRESS_BITS}
        self.head = Signal(data.StructLayout(fields))
        self.byte = Signal(range(max(frame.HEAD_BYTES, frame.CRC_BYTES)))
        self.word = Signal(8)
        self.shift = Signal(WORD_BITS)
        self.wait = Signal(range(latency + 1))
        self.writes = self.head.operation == frame.WRITE
        self.reads = self.head.operation == frame.READ
        self.last_byte = self.byte == frame.WORD_BYTES - 1
        self.last_word = self.word == self.head.count - 1
