"""Linear forwarding table of an input port, indexed by the tag (as in InfiniBand; microarchitecture.md, section 5)."""

from __future__ import annotations

from amaranth.hdl import Cat, Module
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from models.params import SwitchParams


class LinearTable(wiring.Component):
    """Direct-indexed routes, read in the cycle of the tag: distributed memory, one copy per input port.

    Parameters
    ----------
    params : SwitchParams
        With routing = "linear".

    Ports
    -----
    tag : In(tag_width)
    route : Out(route_or_drop)
        In the same cycle. `drop`: the tag is beyond the table, or its entry is empty.
    program : In(ValidSignature(program))
        Write one entry, seen by tags of later cycles; a tag beyond the table changes nothing. Entries survive reset,
        and are empty at power-up.
    """

    def __init__(self, params: SwitchParams) -> None:
        if not params.linear:
            raise ValueError('LinearTable needs routing = "linear"')
        self._params = params
        super().__init__(
            {
                "tag": In(params.tag_width),
                "route": Out(formats.route_or_drop(params)),
                "program": In(formats.ValidSignature(formats.program(params))),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the memory and the range check."""
        m = Module()
        params, program = self._params, self.program.payload
        index = params.programmed_entries.bit_length() - 1
        fields = list(formats.route(params).members)
        entry = data.StructLayout({"found": 1, "route": formats.route(params)})
        m.submodules.entries = entries = memory.Memory(shape=entry, depth=1 << index, init=[])
        write, read = entries.write_port(), entries.read_port(domain="comb")
        m.d.comb += write.en.eq(self.program.valid & ~program.tag[index:].any())
        m.d.comb += write.addr.eq(program.tag[:index])
        m.d.comb += write.data.eq(Cat(program.found, *(program[field] for field in fields)))
        m.d.comb += read.addr.eq(self.tag[:index])
        drop = ~read.data.found | self.tag[index:].any()
        m.d.comb += self.route.eq(Cat(*(read.data.route[field] for field in fields), drop))
        return m
