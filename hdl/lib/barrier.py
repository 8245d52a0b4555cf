"""Optimisation barrier: a wire that synthesis does not optimise across. In simulation a plain wire, so no bench."""

from __future__ import annotations

from amaranth.hdl import Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Barrier(wiring.Component):
    """Passes `source` to `sink` through a module that synthesis keeps.

    A LUT mapper that optimises for speed merges two narrow tables in series into one wide table, at several times the
    area. On an FPGA, where wide tables are built of narrow ones, that saves almost no delay. A barrier between the
    tables prevents it: `hdl.verilog` gives its module the attribute that makes synthesis keep it.

    Ports
    -----
    source : In(width)
    sink : Out(width)
    """

    def __init__(self, width: int) -> None:
        super().__init__({"source": In(width), "sink": Out(width)})

    def elaborate(self, platform: object) -> Module:
        """Build wires."""
        m = Module()
        # With a plain assignment Amaranth would emit no module.
        m.d.comb += self.sink.eq(~~self.source)
        return m


def barrier(m: Module, name: str, value: Value) -> Value:
    """Return `value` behind a barrier, an instance `name` in `m`."""
    wire = Barrier(len(value))
    # `hdl.verilog` marks modules whose names begin like this.
    m.submodules[f"apart_{name}"] = wire
    m.d.comb += wire.source.eq(value)
    return wire.sink
