"""Head delay: a head waits at the front of its VC before it asks for an output (microarchitecture.md, 13)."""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class HeadDelay(wiring.Component):
    """Counts the cycles that the head of one input VC has waited.

    Parameters
    ----------
    cycles : int
        To wait, at least 1.

    Ports
    -----
    waits : In(1)
        A head is at the front, its route is ready, and it owns no output VC.
    leaves : In(1)
        A flit of the VC leaves: the next head waits anew.
    over : Out(1)
        From registers: a head that is at the front has waited.
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
