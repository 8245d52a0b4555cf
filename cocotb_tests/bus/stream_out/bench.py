"""Stream out of a port of a switch: words against the packets that were sent into its link, VCs interleaved at random.

Packets of a VC leave in their order, each whole; words wait, unchanged, while the stream is not ready; each flit gives
one credit. With `whole`, words of packets do not mix, and come without a pause.
"""

from __future__ import annotations

from collections import deque
from itertools import count, product
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.bfm.link import Flit, Source
from cocotb_tests.bfm.lockstep import Bench
from cocotb_tests.bfm.stall import PATTERNS, stalls
from cocotb_tests.bus import streams
from cocotb_tests.bus.streams import Packet, Packets
from models.params import SwitchParams

LONGEST = 9  # words of a packet, where nothing limits it


class Sender:
    """The end of the link that sends flits.

    Attributes
    ----------
    expected : list of deque of Packet
        Packets that have not arrived, by VC.
    """

    def __init__(self, params: SwitchParams, bench: Bench) -> None:
        self._params, self._bench = params, bench
        self._pauses = stalls("never", bench.random)
        self._source = Source(params, "link", (next(self._pauses) for _ in count()), bench.random)
        self.expected: list[deque[Packet]] = [deque() for _ in range(params.vcs)]
        bench.coverage.require(["no data", "data", *(f"VC {vc}" for vc in range(params.vcs))])
        bench.coverage.require(["longer than max_packet"] if params.max_packet else [])

    def pause(self, pattern: str) -> None:
        """Send no flits in some cycles, from now on."""
        self._pauses = stalls(pattern, self._bench.random)

    def send(self) -> None:
        """Queue a packet on each VC that has none."""
        params, draw, cover = self._params, self._bench.random, self._bench.coverage
        most = params.max_packet - params.header_flits if params.max_packet else LONGEST
        for vc, queue in enumerate(self._source.queues):
            if queue or draw.random() < 0.3:
                continue
            words = draw.choice((0, 1, draw.randint(1, most)))
            if params.max_packet and draw.random() < 0.1:
                words = params.depth + draw.randint(0, 5)
                cover.hit("longer than max_packet")
            packet = Packet.drawn(params, draw.getrandbits(params.tag_width), words, draw)
            data = packet.flits(params)
            self._source.push([Flit(vc, int(number == len(data)), word) for number, word in enumerate(data, 1)])
            self.expected[vc].append(packet)
            cover.hit("data" if words else "no data")
            cover.hit(f"VC {vc}")

    def observe(self, outputs: dict[str, int]) -> None:
        """Take the credit of a cycle."""
        self._source.observe(outputs)

    def drive(self) -> dict[str, int]:
        """Return the flit of a cycle."""
        return self._source.drive()

    def is_done(self) -> bool:
        """Return whether all packets have arrived, and all credits have returned."""
        return not any(self.expected) and self._source.credits == [self._params.depth] * self._params.vcs


class Receiver:
    """The stream, and the claims about each word."""

    def __init__(self, dut: Any, params: SwitchParams, bench: Bench, sender: Sender, whole: bool) -> None:
        self._dut, self._params, self._sender = dut, params, sender
        self._whole, self._cover = whole, bench.coverage
        self._packets = Packets(params)
        self._waiting: list[int] | None = None
        self._gone = 0  # words of the packet that is under way
        self.sink = streams.sink(dut, "stream")
        self._cover.require(["VCs alternate"] if params.vcs > 1 and not whole else [])
        self._cover.require(["a word waits"])

    def take(self) -> None:
        """Compare the packets that have arrived with those that were sent."""
        for word in streams.words(self.sink, self._params):
            packet = self._packets.take(word)
            if not self._whole and self._params.vcs > 1:
                self._cover.hit("VCs alternate", self._packets.under_way > 1)
            if packet is None:
                continue
            queues = self._sender.expected if self._whole else [self._sender.expected[word.vc]]
            found = next((queue for queue in queues if queue and queue[0] == packet), None)
            assert found is not None, f"{packet} is not the next packet of its VC"
            found.popleft()

    def watch(self) -> None:
        """Compare a word with that of the cycle before, if that one waits."""
        dut, waiting = self._dut, self._waiting
        names = ["tdata", "tkeep", "tlast", "tuser", *([] if self._whole else ["tid"])]
        valid, ready = int(dut.stream_tvalid.value), int(dut.stream_tready.value)
        word = [int(getattr(dut, f"stream_{name}").value) for name in names] if valid else None
        assert waiting is None or word == waiting, f"a word that waits changes: {waiting} {word}"
        assert valid or not self._must_go_on(), "a packet that is stored pauses"
        self._waiting = word if not ready else None
        self._cover.hit("a word waits", self._waiting is not None)
        if valid and ready:
            self._gone = 0 if int(dut.stream_tlast.value) else self._gone + 1

    def _must_go_on(self) -> bool:
        """Return whether the stream may not pause: its packet began when it was stored, or had filled the buffer."""
        params = self._params
        return self._whole and 0 < self._gone < params.depth - params.header_flits


@cocotb.test()
async def packets(dut: Any) -> None:
    """Random packets under all patterns of pauses on both sides."""
    bench = Bench(dut, "packets")
    settings = dict(bench.parameters)
    whole = settings.pop("whole", False)
    params = SwitchParams(**settings)
    sender = Sender(params, bench)
    receiver = Receiver(dut, params, bench, sender, whole)

    async def cycle() -> None:
        given = sender.drive()
        dut.link_flit_valid.value = given.get("link_flit_valid", 0)
        dut.link_flit_payload.value = given.get("link_flit_payload", 0)
        await FallingEdge(dut.clk)
        credit = {"link_credit_valid": int(dut.link_credit_valid.value)}
        credit["link_credit_payload"] = int(dut.link_credit_payload.value) if credit["link_credit_valid"] else 0
        sender.observe(credit)
        receiver.watch()
        receiver.take()
        bench.compared_cycle()
        await RisingEdge(dut.clk)

    await streams.start(dut)
    with bench.comparing():
        for into, out in product(PATTERNS, PATTERNS):
            sender.pause(into)
            streams.pause(receiver.sink, out, bench.random)
            for _ in range(bench.cycles // len(PATTERNS) ** 2):
                sender.send()
                await cycle()
        for _ in range(streams.PATIENCE):
            if sender.is_done():
                break
            await cycle()
        assert sender.is_done(), f"{sum(map(len, sender.expected))} packets have not arrived"
        for _ in range(streams.SILENCE):
            await cycle()
