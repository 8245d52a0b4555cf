"""Watch for dropped flits, which a switch only counts: reads the counters in turn, and tells which of them changed.

Behaviour without a model: only registers use it, which the simulator does not have. The bench of the registers covers
it, and a proof (`synth/formal/specs/drop_watch.py`).
"""

from __future__ import annotations

from amaranth.hdl import Array, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from models.params import SwitchParams

WATCHED_BITS = 8
"""Low bits of a counter that are compared: more than a port can drop flits until its next turn, one per cycle."""


class DropWatch(wiring.Component):
    """Reads one counter of dropped flits per cycle, in the cycles in which nothing else reads counters.

    Parameters
    ----------
    params : SwitchParams
        With counter_width > 0.

    Ports
    -----
    free : In(1)
        The read port of the counters may be used in this cycle; in at least two of three cycles.
    port : Out(port_bits)
        Register: port whose counter of dropped flits is read.
    data : In(8)
        Low bits of the counter read in the cycle before.
    dropped : Out(ports)
        Bit i is 1: the counter of port i is not what it was when it was read last, or at reset.
    """

    def __init__(self, params: SwitchParams) -> None:
        if not params.counter_width:
            raise ValueError("counter_width = 0: DropWatch needs counters")
        self._params = params
        super().__init__(
            {"free": In(1), "port": Out(params.port_bits), "data": In(WATCHED_BITS), "dropped": Out(params.ports)}
        )

    def elaborate(self, platform: object) -> Module:
        """Build the turn, and the counters as they were."""
        m = Module()
        params = self._params
        reads = Signal()
        read_port = Signal(params.port_bits)
        before = Array(Signal(WATCHED_BITS, name=f"before_{port}") for port in range(params.ports))
        m.d.sync += [reads.eq(self.free), read_port.eq(self.port)]
        with m.If(self.free):
            m.d.sync += self.port.eq(self.port + 1)
            with m.If(self.port == params.ports - 1):
                m.d.sync += self.port.eq(0)
        with m.If(reads):
            m.d.sync += before[read_port].eq(self.data)
            m.d.comb += self.dropped.bit_select(read_port, 1).eq(self.data != before[read_port])
        return m
