"""Bin of a latency in the histogram of a board's node: the bins of the simulator's histograms, and one for overflow."""

from __future__ import annotations

from amaranth.hdl import C, Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

EXACT_BITS = 6  # below 2 to this power, bins are 1 cycle wide; above, 1/64 to 1/32 of the latency
LATENCY_BITS = 16  # from 2 to this power on, latencies overflow
BINS = (LATENCY_BITS - EXACT_BITS + 2) << (EXACT_BITS - 1)
OVERFLOW = BINS  # number of the bin of all longer latencies


def bin_start(number: int) -> int:
    """Return the lowest latency of a bin, cycles."""
    half = 1 << (EXACT_BITS - 1)
    shift = max(number // half - 1, 0)
    return number - half * shift << shift


class LatencyBin(wiring.Component):
    """Number of a latency's bin, combinational.

    Ports
    -----
    latency : In(width)
    bin : Out
        From 0 on in the order of latencies; `OVERFLOW` from 2^16 cycles on.
    """

    def __init__(self, width: int) -> None:
        if width <= LATENCY_BITS:
            raise ValueError(f"width = {width}: must be above {LATENCY_BITS}")
        super().__init__({"latency": In(width), "bin": Out(range(OVERFLOW + 1))})

    def elaborate(self, platform: object) -> Module:
        """Build a shift by 8, 4, 2, 1 bits as needed, and the number of bits shifted out."""
        m = Module()
        value: Value = self.latency[:LATENCY_BITS]
        shifted = Signal(4)
        # All that is above the highest `EXACT_BITS` bits that are kept is shifted out.
        for by in (8, 4, 2, 1):
            needed = Signal(name=f"by_{by}")
            above = value[EXACT_BITS + by - 1 :]
            m.d.comb += needed.eq(above.any())
            m.d.comb += shifted[by.bit_length() - 1].eq(needed)
            moved = Signal(len(value), name=f"moved_{by}")
            with m.If(needed):
                m.d.comb += moved.eq(value >> by)
            with m.Else():
                m.d.comb += moved.eq(value)
            value = moved
        m.d.comb += self.bin.eq(Cat(C(0, EXACT_BITS - 1), shifted) + value[:EXACT_BITS])
        with m.If(self.latency[LATENCY_BITS:].any()):
            m.d.comb += self.bin.eq(OVERFLOW)
        return m
