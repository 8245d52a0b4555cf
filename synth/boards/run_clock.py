"""Clock of a run: resets the network, then counts cycles, and says ahead of time for which cycles traffic is drawn."""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.node.traffic_hash import CYCLE_BITS, LATENCY


class RunClock(wiring.Component):
    """Counts the cycles of a run; cycle 0 is the first without reset, as in a simulation.

    Ports
    -----
    hold : In(1)
        No run. A run begins when it becomes 0.
    stop : In(32)
        First cycle in which no packet is born; constant during a run.
    reset : Out(1)
        Register: network and nodes are in reset.
    now : Out(32)
        Register: cycle of the run; undefined in reset.
    draw, ahead : Out(1), Out(32)
        Packets of cycle `ahead` are drawn, `LATENCY` cycles before it comes.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "hold": In(1),
                "stop": In(CYCLE_BITS),
                "reset": Out(1, init=1),
                "now": Out(CYCLE_BITS, init=(1 << CYCLE_BITS) - LATENCY),
                "draw": Out(1),
                "ahead": Out(CYCLE_BITS),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build two counters, `LATENCY` cycles apart."""
        m = Module()
        running = Signal()
        m.d.comb += self.draw.eq(running & (self.ahead < self.stop))
        with m.If(self.hold):
            m.d.sync += [running.eq(0), self.reset.eq(1), self.ahead.eq(0), self.now.eq(-LATENCY)]
        with m.Elif(~running):
            m.d.sync += running.eq(1)
        with m.Else():
            m.d.sync += [self.ahead.eq(self.ahead + 1), self.now.eq(self.now + 1)]
            with m.If(self.ahead == LATENCY - 1):
                m.d.sync += self.reset.eq(0)
        return m
