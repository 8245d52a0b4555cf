"""Speculation: heads request the crossbar during VA (Peh and Dally, HPCA 2001; microarchitecture.md, section 13)."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.lib.logic import one_hot
from models.params import SwitchParams


class Speculation(wiring.Component):
    """Tells whether the head of a VC requests the crossbar speculatively, and whether a grant would be in vain.

    Parameters
    ----------
    params : SwitchParams

    Ports
    -----
    ask : In(vcs)
        VCs of its output that the head requests; 0 without a request.
    has_credit : In(vcs)
        VCs of that output that have a credit.
    claims, claimed_vc : In(1), In(vc_bits)
        VC allocation gives the head an output VC; the VC.
    speculates : Out(1)
        The head requests the crossbar: at least one of the requested VCs has a credit.
    misspeculated : Out(1)
        The head gets no VC, or one without a credit: a grant of the crossbar would be in vain.
    """

    def __init__(self, params: SwitchParams) -> None:
        self._vcs = params.vcs
        super().__init__(
            {
                "ask": In(params.vcs),
                "has_credit": In(params.vcs),
                "claims": In(1),
                "claimed_vc": In(params.vc_bits),
                "speculates": Out(1),
                "misspeculated": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Evaluate all requested VCs, and the allocated one, in parallel with the allocators."""
        m = Module()
        paid = Signal()
        m.d.comb += self.speculates.eq((self.ask & self.has_credit).any())
        m.d.comb += paid.eq((one_hot(self.claimed_vc, self._vcs) & self.has_credit).any())
        m.d.comb += self.misspeculated.eq(self.speculates & ~(self.claims & paid))
        return m


def foremost(m: Module, requests: Value, sure: Value, name: str) -> Signal:
    """Return a signal `name`, the requests to choose among: `sure` if any bit of it is 1, else `requests`."""
    chosen = Signal(len(requests), name=name)
    m.d.comb += chosen.eq(requests & Mux(sure.any(), sure, ~0))
    return chosen
