"""Table of counts in a block memory: a histogram, or packets by node."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, ResetSignal, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from hdl.lib.logic import successor
from models.params import index_width


class CountTable(wiring.Component):
    """Counts by index; a cycle may add 1 to one of them.

    Reset clears the counts, one per cycle: it has to last for as many cycles as there are counts.

    Parameters
    ----------
    depth, width : int
        Number of counts; bits of each, which wrap.

    Ports
    -----
    add, index : In(1), In
        Add 1 to this count.
    number : In
        Count to read in cycles without `add`.
    count : Out(width)
        The count at `index`, before 1 was added, or at `number`, in the cycle before.
    """

    def __init__(self, depth: int, width: int) -> None:
        bits = index_width(depth)
        self._depth, self._width = depth, width
        super().__init__({"add": In(1), "index": In(bits), "number": In(bits), "count": Out(width)})

    def elaborate(self, platform: object) -> Module:
        """Build the memory, which is read in one cycle and written in the next."""
        m = Module()
        m.submodules.counts = counts = memory.Memory(shape=self._width, depth=self._depth, init=[])
        write = counts.write_port()
        read = counts.read_port(transparent_for=(write,))
        adds = Signal()
        at = Signal.like(self.index, name="at", reset_less=True)
        # The registers of the domain are held by reset, and so cannot step through the counts.
        cleared = Signal.like(self.index, name="cleared", reset_less=True)
        m.d.sync += [adds.eq(self.add), at.eq(self.index), cleared.eq(successor(cleared, self._depth))]
        m.d.comb += [
            read.addr.eq(Mux(self.add, self.index, self.number)),
            read.en.eq(1),
            self.count.eq(read.data),
            write.en.eq(adds | ResetSignal()),
            write.addr.eq(Mux(ResetSignal(), cleared, at)),
            write.data.eq(Mux(ResetSignal(), 0, read.data + 1)),
        ]
        return m
