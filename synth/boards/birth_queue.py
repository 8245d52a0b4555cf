"""Queue of packets that wait at their node: birth and destination of each."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out


class BirthQueue(wiring.Component):
    """A queue in a block memory whose first word can be taken in the cycle after it was put in, or in the same cycle.

    Parameters
    ----------
    width : int
        Bits of a word.
    depth : int
        Most words in it, a power of two.

    Ports
    -----
    put, word : In(1), In(width)
        A word to put in.
    valid, first : Out(1), Out(width)
        The first word; in an empty queue, the word that is put in in this cycle.
    take : In(1)
        Take it; only while `valid` is 1.
    lost : Out(1)
        The word put in is lost: the queue is full.
    empty : Out(1)
        Register: no word is in the queue.
    """

    def __init__(self, width: int, depth: int) -> None:
        if depth < 2 or depth & (depth - 1):
            raise ValueError(f"depth = {depth}: must be a power of two of at least 2")
        self._width, self._depth = width, depth
        super().__init__(
            {
                "put": In(1),
                "word": In(width),
                "valid": Out(1),
                "first": Out(width),
                "take": In(1),
                "lost": Out(1),
                "empty": Out(1, init=1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the memory, which is read for the next cycle, and its pointers."""
        m = Module()
        m.submodules.words = words = memory.Memory(shape=self._width, depth=self._depth, init=[])
        write = words.write_port()
        read = words.read_port(transparent_for=(write,))
        begin, end = Signal(range(self._depth)), Signal(range(self._depth))
        count = Signal(range(self._depth + 1))
        puts, takes = Signal(), Signal()
        m.d.comb += [
            self.lost.eq(self.put & (count == self._depth)),
            puts.eq(self.put & ~self.lost & ~(self.empty & self.take)),
            takes.eq(self.take & ~self.empty),
            self.valid.eq(self.put | ~self.empty),
            self.first.eq(Mux(self.empty, self.word, read.data)),
            write.en.eq(puts),
            write.addr.eq(end),
            write.data.eq(self.word),
            read.en.eq(1),
            read.addr.eq(begin + takes),
        ]
        left = (count + puts - takes)[: len(count)]
        m.d.sync += [begin.eq(begin + takes), end.eq(end + puts), count.eq(left), self.empty.eq(left == 0)]
        return m
