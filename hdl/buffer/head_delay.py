"""Head delay: pipeline stages that only heads pass (Dally and Towles, chapter 16; microarchitecture.md, section 13)."""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class HeadDelay(wiring.Component):
    """Counts the cycles for which the head of one input VC has waited at the front.

    Parameters
    ----------
    cycles : int
        Cycles to wait, at least 1.

    Ports
    -----
    waits : In(1)
        A head is at the front, its route is ready, and it owns no output VC.
    leaves : In(1)
        A flit of the VC leaves: the next head starts from 0.
    over : Out(1)
        Register: the head at the front has waited `cycles` cycles.
    """

    def __init__(self, cycles: int) -> None:
        if cycles < 1:
            raise ValueError(f"cycles = {cycles}: must be at least 1")
        self._cycles = cycles
        super().__init__({"waits": In(1), "leaves": In(1), "over": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """Build the counter."""
        m = Module()
        waited = Signal(range(self._cycles + 1))
        m.d.comb += self.over.eq(waited == self._cycles)
        with m.If(self.leaves):
            m.d.sync += waited.eq(0)
        with m.Elif(self.waits & ~self.over):
            m.d.sync += waited.eq(waited + 1)
        return m
