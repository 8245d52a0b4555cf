"""Stream into a port of a switch: flits on the link against the packets of the stream.

The receiver of the link returns credits in its own time. Packets arrive whole and in order, each on the VC that the
rule of a node's network interface chooses; long ones are cut, words that are not whole are counted.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.bfm.link import Flit
from cocotb_tests.bfm.lockstep import Bench
from cocotb_tests.bfm.stall import PATTERNS, stalls
from cocotb_tests.bus import streams
from cocotb_tests.bus.streams import Packet
from models.params import SwitchParams

LONGEST = 9  # words of a packet, where nothing limits it


class Receiver:
    """The end of the link, and the claims about each flit.

    Attributes
    ----------
    packets : list of list of int
        Data of the flits of each packet that has ended.
    errors : int
        Cycles with `error`.
    """

    def __init__(self, dut: Any, params: SwitchParams, bench: Bench) -> None:
        self._dut, self._params, self._bench = dut, params, bench
        self._credits = [params.depth] * params.vcs  # as the sender saw them when it chose
        self._back: int | None = None  # VC of a credit that it had not seen then
        self._pointer = self._vc = 0
        self._open: list[int] = []
        self.packets: list[list[int]] = []
        self.errors = 0
        self._pauses = stalls("never", bench.random)
        self._buffered = [0] * params.vcs
        self._starved = 0

    def pause(self, pattern: str) -> None:
        """Return no credits in some cycles, and none to one of the VCs between packets, from now on."""
        self._pauses = stalls(pattern, self._bench.random)
        self._starved = self._bench.random.randrange(self._params.vcs)

    async def cycle(self) -> None:
        """One cycle."""
        dut = self._dut
        back = self._credit()
        dut.link_credit_valid.value = back is not None
        dut.link_credit_payload.value = back or 0
        await FallingEdge(dut.clk)
        self._bench.compared_cycle()
        self.errors += int(dut.error.value)
        if int(dut.link_flit_valid.value):
            self._take(Flit.read(self._params, int(dut.link_flit_payload.value)))
        if self._back is not None:
            self._credits[self._back] += 1
        self._back = back
        await RisingEdge(dut.clk)

    def _credit(self) -> int | None:
        """Return the VC of which a flit leaves the buffer, if one does."""
        draw = self._bench.random
        resting = -1 if self._params.vcs == 1 or (self._open and self._vc == self._starved) else self._starved
        full = [vc for vc, count in enumerate(self._buffered) if count and vc != resting]
        if next(self._pauses) or not full:
            return None
        vc = draw.choice(full)
        self._buffered[vc] -= 1
        return vc

    def _take(self, flit: Flit) -> None:
        """Take a flit: a head is on the first VC, in cyclic order, with the credits that it needs."""
        params = self._params
        if not self._open:
            order = [(self._pointer + k) % params.vcs for k in range(params.vcs)]
            self._vc = next(vc for vc in order if self._credits[vc] >= params.credit_need)
            self._pointer = (self._vc + 1) % params.vcs
            self._bench.coverage.hit(f"VC {self._vc}")
            if params.vcs > 1:
                self._bench.coverage.hit("not the next VC", order[0] != self._vc)
        assert flit.vc == self._vc, f"flit on VC {flit.vc}, not {self._vc}"
        assert self._credits[flit.vc], f"flit on VC {flit.vc} without a credit"
        self._credits[flit.vc] -= 1
        self._buffered[flit.vc] += 1
        self._open.append(flit.data)
        if flit.tail:
            self.packets.append(self._open)
            self._open = []


class Sender:
    """The stream, with what is expected of it.

    Attributes
    ----------
    expected : list of list of int
        Data of the flits of each packet.
    long, partial : int
        Packets that are cut, words that are not whole.
    """

    def __init__(self, dut: Any, params: SwitchParams, bench: Bench) -> None:
        self._params, self._draw, self._cover = params, bench.random, bench.coverage
        self.most = params.max_packet - params.header_flits if params.max_packet else None
        self.source = streams.source(dut, "stream")
        self.expected: list[list[int]] = []
        self.long = self.partial = 0
        self._cover.require(["one word", "several words", "no data", "partial word"])
        self._cover.require(["partial word, the only one"] if params.data_width > 8 else [])
        self._cover.require(["longest", "one more", "much longer"] if self.most else [])
        self._cover.require(f"VC {vc}" for vc in range(params.vcs))
        self._cover.require(["not the next VC"] if params.vcs > 1 else [])

    def send(self) -> None:
        """Queue a packet."""
        draw, most, cover = self._draw, self.most or LONGEST, self._cover
        lengths = {"one word": 1, "several words": draw.randint(2, max(2, most)), "no data": 0}
        if self.most:
            lengths |= {"longest": most, "one more": most + 1, "much longer": most + draw.randint(2, 2 * most + 2)}
        kind = draw.choice(list(lengths))
        words = lengths[kind]
        cover.hit(kind)
        packet = Packet.drawn(self._params, draw.getrandbits(self._params.tag_width), words, draw)
        partial = {}
        size = self._params.data_width // 8
        fewest = int(words == 1)  # bytes: an only word without any is a packet without data
        if words and fewest < size and draw.random() < 0.2:
            partial = {draw.randrange(words): draw.randrange(fewest, (1 << size) - 1)}
            cover.hit("partial word" if words > 1 else "partial word, the only one")
        sent = packet.cut(self._params)
        self.partial += sum(number < len(sent.words) for number in partial)
        self.long += len(packet.words) > len(sent.words)
        self.expected.append(sent.flits(self._params))
        self.source.send_nowait(packet.frame(self._params, partial))


@cocotb.test()
async def packets(dut: Any) -> None:
    """Random packets under all patterns of pauses on both sides."""
    bench = Bench(dut, "packets")
    params = SwitchParams(**bench.parameters)
    sender, receiver = Sender(dut, params, bench), Receiver(dut, params, bench)
    await streams.start(dut)
    with bench.comparing():
        for into, back in product(PATTERNS, PATTERNS):
            streams.pause(sender.source, into, bench.random)
            receiver.pause(back)
            for _ in range(bench.cycles // len(PATTERNS) ** 2):
                if sender.source.empty():
                    sender.send()
                await receiver.cycle()
        for _ in range(streams.PATIENCE):
            if len(receiver.packets) == len(sender.expected):
                break
            await receiver.cycle()
        for _ in range(streams.SILENCE):
            await receiver.cycle()
        assert receiver.packets == sender.expected
        assert int(dut.partial_words.value) == sender.partial
        assert not params.max_packet or int(dut.long_packets.value) == sender.long
        # A word that makes its packet too long and is not whole is one error.
        assert max(sender.long, sender.partial) <= receiver.errors <= sender.long + sender.partial
