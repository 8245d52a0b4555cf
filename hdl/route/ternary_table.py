"""Ternary table, the stand-in for a ternary CAM: tags are compared under a mask (microarchitecture.md, section 7)."""

from __future__ import annotations

from amaranth.hdl import C, Cat, Module, Signal, Value
from amaranth.lib import memory, wiring

from hdl import formats
from hdl.lib.delay import DelayLine
from hdl.lib.logic import first_cyclic
from hdl.lib.lookup_rate import add_ready
from hdl.route.route_table import table_ports
from models.params import SwitchParams
from models.params.parts import LEAST_TERNARY_LATENCY

# Cycles from an accepted request until its entry's route is read: comparing, then choosing the entry.
_BEFORE_READ = 2


class TernaryTable(wiring.Component):
    """Entries with masks, all compared at once, with the latency and lookup rate of the CAM; the lowest match wins.

    Parameters
    ----------
    params : SwitchParams
        With routing = "table" and cam.match = "ternary".

    Ports
    -----
    request : In(stream of cam_request)
    answer_valid, answer : Out(1), Out(cam_answer)
    program : In(ValidSignature(program))
        Write one entry, seen by requests accepted in later cycles. Entries survive reset, and are empty at power-up.
    """

    def __init__(self, params: SwitchParams) -> None:
        if not params.ternary:
            raise ValueError('TernaryTable needs routing = "table" and cam.match = "ternary"')
        self._params = params
        super().__init__(table_ports(params))

    def elaborate(self, platform: object) -> Module:
        """Build the entries, and the three stages of a lookup: compare, choose, read."""
        m = Module()
        params, cam = self._params, self._params.cam
        accept = Signal()
        m.d.comb += accept.eq(self.request.valid & self.request.ready)
        add_ready(m, self.request.ready, accept, cam.occupancy)

        matches = Signal(cam.entries, reset_less=True)
        m.d.sync += matches.eq(Cat(self._elaborate_entry(m, number) for number in range(cam.entries)))
        any_match, lowest = first_cyclic(m, matches, C(0, cam.index_bits), "match")
        found, number = Signal(reset_less=True), Signal(cam.index_bits, reset_less=True)
        m.d.sync += [found.eq(any_match), number.eq(lowest)]

        m.submodules.routes = routes = memory.Memory(shape=formats.route(params), depth=cam.entries, init=[])
        read = routes.read_port()
        m.d.comb += read.addr.eq(number)
        self._elaborate_write(m, routes.write_port())

        valid, asked = accept, self.request.payload.port
        for stage in range(_BEFORE_READ + 1):
            now, port = Signal(name=f"valid_{stage}"), Signal(params.port_bits, name=f"port_{stage}", reset_less=True)
            m.d.sync += [now.eq(valid), port.eq(asked)]
            valid, asked = now, port
        is_known = Signal(reset_less=True)
        m.d.sync += is_known.eq(found)

        m.submodules.delay = delay = DelayLine(formats.cam_answer(params), cam.latency - LEAST_TERNARY_LATENCY)
        m.d.comb += delay.source.valid.eq(valid)
        m.d.comb += delay.source.payload.port.eq(asked)
        m.d.comb += delay.source.payload.found.eq(is_known)
        for field in formats.route(params).members:
            m.d.comb += delay.source.payload[field].eq(read.data[field])
        m.d.comb += self.answer_valid.eq(delay.sink.valid)
        m.d.comb += self.answer.eq(delay.sink.payload)
        return m

    def _elaborate_entry(self, m: Module, number: int) -> Value:
        """Build an entry; return whether it matches the requested tag."""
        width, program = self._params.tag_width, self.program.payload
        tag, mask = (Signal(width, name=f"{name}_{number}", reset_less=True) for name in ("tag", "mask"))
        used = Signal(name=f"used_{number}", reset_less=True)
        with m.If(self.program.valid & (program.entry == number)):
            m.d.sync += [tag.eq(program.tag), mask.eq(program.mask), used.eq(program.found)]
        return used & ~((self.request.payload.tag ^ tag) & mask).any()

    def _elaborate_write(self, m: Module, write: memory.WritePort) -> None:
        """Build the write of a route: so late that lookups that matched the entry's old tag read its old route."""
        valid, payload = self.program.valid, self.program.payload
        entry, route = payload.entry, Cat(payload[field] for field in formats.route(self._params).members)
        for stage in range(_BEFORE_READ):
            now = Signal(name=f"write_{stage}", reset_less=True)
            where = Signal(len(entry), name=f"write_entry_{stage}", reset_less=True)
            what = Signal(len(route), name=f"write_route_{stage}", reset_less=True)
            m.d.sync += [now.eq(valid), where.eq(entry), what.eq(route)]
            valid, entry, route = now, where, what
        m.d.comb += [write.en.eq(valid), write.addr.eq(entry), write.data.eq(route)]
