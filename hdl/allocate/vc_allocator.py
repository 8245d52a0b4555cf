"""VC allocation: the output VC that a head may claim (microarchitecture.md, section 8)."""

from __future__ import annotations

from amaranth.hdl import C, Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.lib.logic import first_cyclic
from models.params import SwitchParams


def routes_allow_all(params: SwitchParams) -> bool:
    """Return whether every route that is not a drop allows all output VCs.

    Then an output port has one candidate for everybody, and one VC allocator; else every input VC needs its own.
    """
    return params.computed and params.adaptive is None and params.longest_ring < 4


def in_range(first: Value, last: Value, vcs: int) -> Value:
    """Return the VCs from `first` to `last`, one bit each."""
    # A comparison with the end of the numbers is always true.
    from_first = Cat(first <= vc if vc < (1 << len(first)) - 1 else C(1) for vc in range(vcs))
    to_last = Cat(last >= vc if vc else C(1) for vc in range(vcs))
    return from_first & to_last


class VcAllocator(wiring.Component):
    """Finds the first available VC of a range in cyclic order.

    Parameters
    ----------
    params : SwitchParams

    Ports
    -----
    available : In(vcs)
    first, last : In(vc_bits)
        Range of VCs allowed.
    pointer : In(vc_bits)
        Where to begin.
    any : Out(1)
        There is one, in the same cycle.
    vc : Out(vc_bits)
        Its number; anything if there is none.
    """

    def __init__(self, params: SwitchParams) -> None:
        self._params = params
        bits = params.vc_bits
        super().__init__(
            {
                "available": In(params.vcs),
                "first": In(bits),
                "last": In(bits),
                "pointer": In(bits),
                "any": Out(1),
                "vc": Out(bits),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the mask and the finder."""
        m = Module()
        candidates = Signal(self._params.vcs)
        m.d.comb += candidates.eq(self.available & in_range(self.first, self.last, self._params.vcs))
        found, number = first_cyclic(m, candidates, self.pointer, "candidate")
        m.d.comb += self.any.eq(found)
        m.d.comb += self.vc.eq(number)
        return m
