"""Statistics counters: one per port and event, with a read port (microarchitecture.md, section 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.lib.logic import select_index
from hdl.power.lpi import Phase
from models.formats import COUNTERS, Counter
from models.params import SwitchParams, index_width

if TYPE_CHECKING:
    from hdl.allocate.switch_allocator import SwitchAllocator
    from hdl.buffer.input_unit import InputUnit
    from hdl.power.lpi import Lpi
    from hdl.transfer.crossbar import Crossbar
    from hdl.transfer.output_unit import OutputUnit


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


def port_events(
    params: SwitchParams, unit: InputUnit, *, sent: Value, drained: Value, tail: Value, link: Lpi | None
) -> dict[Counter, Value]:
    """Return the events of a port in a cycle by the counter that counts them; a counter without one counts nothing.

    Parameters
    ----------
    params : SwitchParams
    unit : InputUnit
        Of the port.
    sent, tail : Value
        The output port sends a flit; the flit that comes out of the crossbar is a tail.
    drained : Value
        The input port drops a flit.
    link : Lpi or None
        Controller of the output link, if there is low-power idle.
    """
    incoming, rc = unit.link.flit, unit.rc
    events = {
        Counter.FLITS_IN: incoming.valid,
        Counter.PACKETS_IN: incoming.valid & incoming.payload.tail,
        Counter.FLITS_OUT: sent,
        Counter.PACKETS_OUT: sent & tail,
        Counter.FLITS_DROPPED: drained,
        Counter.PACKETS_DROPPED: drained & unit.body.tail,
    }
    if params.has_cam:
        events[Counter.CAM_REQUESTS] = rc.granted
        events[Counter.CAM_MERGED] = rc.merged
        events[Counter.CAM_STALLS] = rc.request_valid & ~rc.granted
    if params.has_cache:
        events[Counter.CACHE_HITS] = rc.hit
        events[Counter.CACHE_MISSES] = rc.miss
        events[Counter.EVICTIONS] = rc.evicted
    if link is not None:
        events[Counter.LINK_ACT] = link.phase == Phase.ACT
        events[Counter.LINK_SLEEP] = link.phase == Phase.SLEEP
        events[Counter.LINK_LPI] = link.phase == Phase.LPI
        events[Counter.LINK_REFRESH] = link.phase == Phase.REFRESH
        events[Counter.LINK_WAKE] = link.phase == Phase.WAKE
        events[Counter.LINK_WAKES] = link.wakes
    if params.prediction:
        events[Counter.PREDICT_RIGHT] = unit.predicted
        events[Counter.PREDICT_WRONG] = unit.mispredicted
        events[Counter.BYPASS_SQUASHED] = unit.squashed
        events[Counter.BYPASS_HEADS] = unit.bypassed_head
        events[Counter.BYPASS_FLITS] = unit.bypassed
    return events


def add_counters(
    m: Module,
    params: SwitchParams,
    switch: Any,
    inputs: Sequence[InputUnit],
    outputs: Sequence[OutputUnit],
    allocator: SwitchAllocator,
    crossbar: Crossbar,
    links: Sequence[Lpi],
) -> None:
    """Build the counters of a switch, and connect them to what they count and to its read port."""
    m.submodules.counters = counters = Counters(params)
    m.d.comb += counters.port.eq(switch.counter.port)
    m.d.comb += counters.number.eq(switch.counter.number)
    m.d.comb += switch.counter.data.eq(counters.data)
    for port, unit in enumerate(inputs):
        events = port_events(
            params,
            unit,
            sent=allocator.sent[port],
            drained=allocator.drained[port],
            tail=crossbar.sink[port].tail,
            link=links[port] if links else None,
        )
        if params.prediction and params.has_cache:
            confirmed, flit = outputs[port].confirmed, outputs[port].link.flit.payload
            m.d.comb += counters.again[port][Counter.FLITS_OUT].eq(confirmed)
            m.d.comb += counters.again[port][Counter.PACKETS_OUT].eq(confirmed & flit.tail)
        for number in range(COUNTERS):
            m.d.comb += counters.events[port][number].eq(events.get(Counter(number), 0))
