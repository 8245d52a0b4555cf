"""AXI4-Streams of a design: bus models of cocotbext-axi with pauses, and packets to and from their frames."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from cocotb_tests.bfm.stall import stalls
from hdl.bus.streams import user_bits
from models.params import SwitchParams

PATIENCE = 2000  # cycles that packets may take to arrive, after the last one is sent
SILENCE = 50  # cycles in which nothing more may arrive


@dataclass(frozen=True)
class Packet:
    """A packet as a stream carries it: its tag, the bits above the tag, its words."""

    tag: int
    user: int
    words: tuple[int, ...]

    @staticmethod
    def drawn(params: SwitchParams, tag: int, words: int, draw: random.Random) -> Packet:
        """Return a packet of `words` random words."""
        user = draw.getrandbits(user_bits(params)) if user_bits(params) else 0
        return Packet(tag, user, tuple(draw.getrandbits(params.data_width) for _ in range(words)))

    def header(self, params: SwitchParams) -> int:
        """Return the bits of its header flits, the first one lowest."""
        return self.user << params.tag_width | self.tag

    def flits(self, params: SwitchParams) -> list[int]:
        """Return the data of its flits."""
        width = params.data_width
        parts = [self.header(params) >> k * width & (1 << width) - 1 for k in range(params.header_flits)]
        return [*parts, *self.words]

    def cut(self, params: SwitchParams) -> Packet:
        """Return what arrives of it: at most `max_packet` flits."""
        most = len(self.words) if params.max_packet is None else params.max_packet - params.header_flits
        return Packet(self.tag, self.user, self.words[:most])

    def frame(self, params: SwitchParams, partial: dict[int, int] | None = None) -> AxiStreamFrame:
        """Return the frame of a source; `partial` has the bytes that are kept of words that are not whole."""
        size = params.data_width // 8
        kept = [(1 << size) - 1 if self.words else 0] * max(1, len(self.words))
        for number, mask in (partial or {}).items():
            kept[number] = mask
        data = b"".join(word.to_bytes(size, "little") for word in self.words or (0,))
        keep = [mask >> byte & 1 for mask in kept for byte in range(size)]
        return AxiStreamFrame(data, tkeep=keep, tdest=self.tag, tuser=self.user)


@dataclass(frozen=True)
class Word:
    """A word of a stream out of a design."""

    data: int
    keep: int
    last: bool
    header: int
    vc: int


async def start(dut: Any) -> None:
    """Start the clock, and reset the design."""
    dut.rst.value = 1
    Clock(dut.clk, 10, "ns").start(start_high=False)
    await ClockCycles(dut.clk, 2)
    dut.rst.value = 0
    await RisingEdge(dut.clk)


def source(dut: Any, prefix: str) -> AxiStreamSource:
    """Return a source at the stream `prefix`."""
    return AxiStreamSource(AxiStreamBus.from_prefix(dut, prefix), dut.clk, dut.rst)


def sink(dut: Any, prefix: str) -> AxiStreamSink:
    """Return a sink at the stream `prefix`."""
    return AxiStreamSink(AxiStreamBus.from_prefix(dut, prefix), dut.clk, dut.rst)


def pause(end: Any, pattern: str, draw: random.Random) -> None:
    """Make a source or a sink pause as `cocotb_tests.bfm.stall` says, from now on."""
    end.clear_pause_generator()
    end.pause = False
    if pattern != "never":
        end.set_pause_generator(stalls(pattern, random.Random(draw.random())))


def words(end: AxiStreamSink, params: SwitchParams) -> Iterator[Word]:
    """Yield the words that a sink has received since the last call, up to the last `tlast`."""
    size = params.data_width // 8
    while not end.empty():
        frame = end.recv_nowait(compact=False)
        for begin in range(0, len(frame.tdata), size):
            data = int.from_bytes(frame.tdata[begin : begin + size], "little")
            keep = sum(bit << k for k, bit in enumerate(frame.tkeep[begin : begin + size]))
            last = begin + size == len(frame.tdata)
            yield Word(data, keep, last, frame.tuser[begin], frame.tid[begin] if frame.tid else 0)


class Packets:
    """Packets out of the words of a stream, by VC.

    Parameters
    ----------
    params : SwitchParams
    """

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        self._open: dict[int, list[Word]] = {}

    def take(self, word: Word) -> Packet | None:
        """Return the packet that a word ends, if it does.

        Raises
        ------
        AssertionError
            If words of a packet have different headers, or a word is not whole.
        """
        params = self._params
        begun = self._open.setdefault(word.vc, [])
        begun.append(word)
        whole = (1 << params.data_width // 8) - 1
        empty = len(begun) == 1 and word.last and not word.keep
        assert word.keep == whole or empty, f"keep = {word.keep:#x}"
        assert word.header == begun[0].header, f"{word.header:#x} in a packet with header {begun[0].header:#x}"
        if not word.last:
            return None
        self._open[word.vc] = []
        tag = word.header & (1 << params.tag_width) - 1
        data = () if empty else tuple(each.data for each in begun)
        return Packet(tag, word.header >> params.tag_width, data)

    @property
    def under_way(self) -> int:
        """Packets that have begun and not ended."""
        return sum(map(bool, self._open.values()))
