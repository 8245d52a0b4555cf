"""Statistics counters: one per port and event, with a read port (microarchitecture.md, section 9)."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.lib.logic import select_index
from models.formats import COUNTERS, Counter
from models.params import SwitchParams, index_width


class Counters(wiring.Component):
    """One wrapping counter per port and event, and a read port for one counter per cycle.

    Parameters
    ----------
    params : SwitchParams
        With counter_width > 0.

    Ports
    -----
    events : In(COUNTERS).array(ports)
        Per port: bit n is 1 if event n of `COUNTERS` happens in this cycle.
    again : In(COUNTERS).array(ports)
        Only with prediction of cached routes: the event happens a second time in this cycle.
    port, number : In(port_bits), In
        Port and `models.formats.Counter` of the counter to read.
    data : Out(counter_width)
        Register: value of the addressed counter before the events of the addressing cycle; 0 if there is no such
        counter.
    """

    def __init__(self, params: SwitchParams) -> None:
        if not params.counter_width:
            raise ValueError("counter_width = 0: Counters needs a width")
        self._params = params
        self._twice = params.prediction is not None and params.has_cache
        members = {
            "events": In(COUNTERS).array(params.ports),
            "port": In(params.port_bits),
            "number": In(index_width(COUNTERS)),
            "data": Out(params.counter_width),
        }
        super().__init__(members | ({"again": In(COUNTERS).array(params.ports)} if self._twice else {}))

    def elaborate(self, platform: object) -> Module:
        """Build the counters and the read multiplexer."""
        m = Module()
        values = []
        for port in range(self._params.ports):
            row = []
            for counter in Counter:
                value = Signal(self._params.counter_width, name=f"{counter.name.lower()}_{port}")
                event = self.events[port][counter]
                if self._twice:
                    again = self.again[port][counter]
                    both = event & again
                    with m.If(event | again):
                        m.d.sync += value.eq(value + Cat(~both, both))
                else:
                    with m.If(event):
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
