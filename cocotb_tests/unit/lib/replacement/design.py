"""A replacement policy as a component: the state of one set."""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.lib.replacement import policy
from models.params import CacheParams


class OneSet(wiring.Component):
    """The replacement state of a set.

    Parameters
    ----------
    params : CacheParams
        Policy and number of ways, at least two.

    Ports
    -----
    used, way, evicts : In(1), In(ways), In(1)
        Way `way` (one-hot) is used; it is the victim of a fill.
    clear : In(1)
        The set is flushed.
    victim : Out(ways)
        Victim, one-hot, for the state before the use.
    state : Out
        The state before the use, as the state memory holds it.
    """

    def __init__(self, params: CacheParams) -> None:
        self._params = params
        ways = params.ways
        super().__init__(
            {
                "used": In(1),
                "way": In(ways),
                "evicts": In(1),
                "clear": In(1),
                "victim": Out(ways),
                "state": Out(params.replacement_bits),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the state and the policy's functions of it."""
        m = Module()
        replacement = policy(self._params.policy, self._params.ways)
        touched = Signal(self._params.replacement_bits)
        m.d.comb += touched.eq(replacement.touched(m, self.state, self.way, self.evicts))
        m.d.comb += self.victim.eq(replacement.victim(self.state))
        with m.If(self.clear):
            m.d.sync += self.state.eq(0)
        with m.Elif(self.used):
            m.d.sync += self.state.eq(touched)
        return m
