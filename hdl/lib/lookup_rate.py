"""Rate of lookups in a table that stands in for the CAM; the benches of the tables cover it."""

from __future__ import annotations

from amaranth.hdl import Module, Signal

from models.params import index_width


def add_ready(m: Module, request_ready: Signal, accept: Signal, occupancy: int) -> None:
    """Build `request_ready`: 0 for `occupancy` − 1 cycles after an accepted request."""
    if occupancy == 1:
        m.d.comb += request_ready.eq(1)
        return
    ready = Signal(init=1)
    remaining = Signal(index_width(occupancy))
    m.d.comb += request_ready.eq(ready)
    with m.If(accept):
        m.d.sync += ready.eq(0)
        m.d.sync += remaining.eq(occupancy - 2)
    with m.Elif(~ready):
        m.d.sync += remaining.eq(remaining - 1)
        with m.If(remaining == 0):
            m.d.sync += ready.eq(1)
