"""Speculation: heads ask for the crossbar in the cycle of VC allocation (microarchitecture.md, section 13)."""

from __future__ import annotations

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.lib.logic import one_hot
from models.params import SwitchParams


class Speculation(wiring.Component):
    """Says whether the head of a VC asks for the crossbar, and whether a grant of it would be lost.

    Parameters
    ----------
    params : SwitchParams

    Ports
    -----
    ask : In(vcs)
        The VCs behind its output that the head asks for; 0 if it does not ask.
    has_credit : In(vcs)
        Which of them have a credit.
    claims, claimed_vc : In(1), In(vc_bits)
        The head gets that VC.
    speculates : Out(1)
        It asks for the crossbar: one of the VCs could take it.
    misspeculated : Out(1)
        It gets no VC, or one without a credit.
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
        """Look among all VCs, and at the one that it gets, beside the allocators."""
        m = Module()
        paid = Signal()
        m.d.comb += self.speculates.eq((self.ask & self.has_credit).any())
        m.d.comb += paid.eq((one_hot(self.claimed_vc, self._vcs) & self.has_credit).any())
        m.d.comb += self.misspeculated.eq(self.speculates & ~(self.claims & paid))
        return m


def foremost(m: Module, requests: Value, sure: Value, name: str) -> Signal:
    """Return, as wires `name`, the requests among which to choose: those that are sure, else all."""
    chosen = Signal(len(requests), name=name)
    m.d.comb += chosen.eq(requests & Mux(sure.any(), sure, ~0))
    return chosen
