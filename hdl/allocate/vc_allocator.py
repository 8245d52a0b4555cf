"""VC allocator: the output VC that a head may claim (Dally and Towles, chapter 16; microarchitecture.md, section 8)."""

from __future__ import annotations

from amaranth.hdl import C, Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.lib.logic import first_cyclic
from models.params import SwitchParams


def routes_allow_all(params: SwitchParams) -> bool:
    """Return whether all VCs are allowed by every route that is not a drop.

    Then all input VCs see the same candidate, and one VC allocator per output port is enough; else one per input VC.
    """
    return params.computed and params.adaptive is None and not params.has_vc_classes


def in_range(first: Value, last: Value, vcs: int) -> Value:
    """Return a mask of `vcs` bits: VCs `first` to `last`."""
    # A comparison with the largest number of that width is always true.
    from_first = Cat(first <= vc if vc < (1 << len(first)) - 1 else C(1) for vc in range(vcs))
    to_last = Cat(last >= vc if vc else C(1) for vc in range(vcs))
    return from_first & to_last


class VcAllocator(wiring.Component):
    """Finds the first available VC in a range, in cyclic order from `pointer`.

    Parameters
    ----------
    params : SwitchParams

    Ports
    -----
    available : In(vcs)
    first, last : In(vc_bits)
        First and last VC allowed.
    pointer : In(vc_bits)
        VC at which the search starts.
    any : Out(1)
        A VC is available, in the same cycle.
    vc : Out(vc_bits)
        Its number; undefined if `any` is 0.
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
        """Build the mask of allowed VCs and the cyclic search."""
        m = Module()
        candidates = Signal(self._params.vcs)
        m.d.comb += candidates.eq(self.available & in_range(self.first, self.last, self._params.vcs))
        found, number = first_cyclic(m, candidates, self.pointer, "candidate")
        m.d.comb += self.any.eq(found)
        m.d.comb += self.vc.eq(number)
        return m
