"""Statistics counters of a switch (docs/microarchitecture.md, section 9)."""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.logic import select_index
from models.formats import COUNTERS, Counter
from models.params import SwitchParams, index_width


class Counters(wiring.Component):
    """One wrapping counter a port and event, and a read port.

    Parameters
    ----------
    params : SwitchParams
        With counter_width > 0.

    Ports
    -----
    events : In(COUNTERS).array(ports)
        Per port: bit n is an event of counter n in this cycle.
    port, number : In(port_bits), In
        Counter to read.
    data : Out(counter_width)
        Register: its value before the events of the cycle in which it was addressed; 0 if it does not exist.
    """

    def __init__(self, params: SwitchParams) -> None:
        if not params.counter_width:
            raise ValueError("counter_width = 0: Counters needs a width")
        self._params = params
        super().__init__(
            {
                "events": In(COUNTERS).array(params.ports),
                "port": In(params.port_bits),
                "number": In(index_width(COUNTERS)),
                "data": Out(params.counter_width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the counters and the multiplexer."""
        m = Module()
        values = []
        for port in range(self._params.ports):
            row = []
            for counter in Counter:
                value = Signal(self._params.counter_width, name=f"{counter.name.lower()}_{port}")
                with m.If(self.events[port][counter]):
                    m.d.sync += value.eq(value + 1)
                row.append(value)
            values.append(select_index(self.number, row))
        exists = self.number < COUNTERS
        if self._params.ports < 1 << self._params.port_bits:
            exists &= self.port < self._params.ports
        m.d.sync += self.data.eq(0)
        with m.If(exists):
            m.d.sync += self.data.eq(select_index(self.port, values))
        return m
