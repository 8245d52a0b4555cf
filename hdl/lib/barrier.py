"""A wire that synthesis does not look through: plumbing, which behaves as if it were not there and has no bench."""

from __future__ import annotations

from amaranth.hdl import Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Barrier(wiring.Component):
    """Passes its input on, as a module that synthesis keeps.

    A mapper that thinks of speed first makes one wide table of two narrow ones in a row, at several times their size;
    on an FPGA, where a wide table is built of narrow ones, that gains next to nothing. A barrier between them stops it:
    it is a module that `hdl.verilog` tells synthesis to keep.

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
        # Mere wires would leave no module.
        m.d.comb += self.sink.eq(~~self.source)
        return m


def barrier(m: Module, name: str, value: Value) -> Value:
    """Return `value` behind a barrier."""
    wire = Barrier(len(value))
    # `hdl.verilog` marks modules of such names.
    m.submodules[f"apart_{name}"] = wire
    m.d.comb += wire.source.eq(value)
    return wire.sink
