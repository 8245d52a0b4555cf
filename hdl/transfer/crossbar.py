"""Crossbar: one multiplexer per output port (Dally and Towles, 17.2; microarchitecture.md, section 8)."""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Module, Mux, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from hdl.lib.logic import select_index
from models.params import SwitchParams


class Crossbar(wiring.Component):
    """Connects each output port to the input port that its `select` names.

    Parameters
    ----------
    params : SwitchParams

    Ports
    -----
    source : In(flit).array(ports)
        Flit per input port.
    select : In.array(ports)
        Per output port: the input port, numbered as in `formats.inputs`.
    sink : Out(flit).array(ports)
        Flit per output port.
    """

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        shape, ports = formats.flit(params), params.ports
        super().__init__(
            {
                "source": In(shape).array(ports),
                "select": In(formats.select_bits(params)).array(ports),
                "sink": Out(shape).array(ports),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build one multiplexer per output port."""
        m = Module()
        for o in range(self._params.ports):
            sources = [self.source[i] for i in formats.inputs(self._params, o)]
            number = self.select[o]
            m.d.comb += self.sink[o].vc.eq(select_index(number, [source.vc for source in sources]))
            m.d.comb += self.sink[o].tail.eq(select_index(number, [source.tail for source in sources]))
            m.d.comb += self.sink[o].data.eq(multiplexer(m, f"data_{o}", number, [source.data for source in sources]))
        return m


def multiplexer(m: Module, name: str, number: Value, sources: Sequence[Value]) -> Value:
    """Return sources[number], undefined out of range, at two LUT4 per bit for every four sources.

    A LUT mapper that optimises for speed takes four to eight LUT4 per bit. So the two LUT4 are modules of their own,
    which synthesis keeps separate (`hdl.verilog`). The second LUT4 would also need the low bit of `number`, for which
    it has no input left: it gets that bit through the first LUT4, while the high bit says that none of the first two
    sources is selected.
    """
    sources = list(sources)
    level = 0
    while len(sources) > 1:
        low, high = number[2 * level], number[2 * level + 1 : 2 * level + 2]
        groups = []
        for k in range(0, len(sources), 4):
            group = sources[k : k + 4]
            if len(group) <= 2:
                groups.append(Mux(low, group[-1], group[0]))
                continue
            label = f"{name}_{level}_{k}"
            m.submodules[f"apart_first_{label}"] = first = FirstHalf(len(group[0]))
            m.submodules[f"apart_second_{label}"] = second = SecondHalf(len(group[0]))
            m.d.comb += [first.a.eq(group[0]), first.b.eq(group[1]), first.low.eq(low), first.high.eq(high)]
            m.d.comb += [second.first.eq(first.y), second.c.eq(group[2]), second.d.eq(group[-1]), second.high.eq(high)]
            groups.append(second.y)
        sources = groups
        level += 1
    return sources[0]


class FirstHalf(wiring.Component):
    """First LUT4 of a four-to-one multiplexer, per bit: a or b as `low` says; `low` itself if `high` is 1.

    Ports
    -----
    a, b : In(width)
    low, high : In(1)
    y : Out(width)
    """

    def __init__(self, width: int) -> None:
        super().__init__({"a": In(width), "b": In(width), "low": In(1), "high": In(1), "y": Out(width)})

    def elaborate(self, platform: object) -> Module:
        """Build one LUT4 per bit."""
        m = Module()
        m.d.comb += self.y.eq(Mux(self.high, self.low.replicate(len(self.y)), Mux(self.low, self.b, self.a)))
        return m


class SecondHalf(wiring.Component):
    """Second LUT4 of a four-to-one multiplexer, per bit: `first` if `high` is 0; else c or d as `first` says.

    Ports
    -----
    first : In(width)
    c, d : In(width)
    high : In(1)
    y : Out(width)
    """

    def __init__(self, width: int) -> None:
        super().__init__({"first": In(width), "c": In(width), "d": In(width), "high": In(1), "y": Out(width)})

    def elaborate(self, platform: object) -> Module:
        """Build one LUT4 per bit."""
        m = Module()
        m.d.comb += self.y.eq(Mux(self.high, (self.first & self.d) | (~self.first & self.c), self.first))
        return m
