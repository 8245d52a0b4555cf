"""The language of a proof: assumptions, claims, invariants."""

from __future__ import annotations

from amaranth.asserts import AnyConst
from amaranth.hdl import Assert, Assume, Module, Signal, ValueLike
from amaranth.lib import wiring

from synth.formal.inside import Inside


class Proof:
    """A module that contains a component, its environment, and the claims about them.

    The statements below may be used within `m.If` and the like. Reset is free as well: it may come in any cycle, and
    resets the proof's own registers in `m.d.sync` together with the component.

    Parameters
    ----------
    strengthened : bool
        Whether invariants are asserted. For a mutant they are not: it must violate a claim, not an invariant.

    Attributes
    ----------
    m : Module
    """

    def __init__(self, strengthened: bool = True) -> None:
        self.m = Module()
        self._strengthened = strengthened

    def assume(self, condition: ValueLike) -> None:
        """Exclude cycles in which `condition` does not hold."""
        self.m.d.comb += Assume(condition, src_loc_at=1)

    def claim(self, condition: ValueLike) -> None:
        """Assert a property that is to be proved."""
        self.m.d.comb += Assert(condition, src_loc_at=1)

    def invariant(self, condition: ValueLike) -> None:
        """Assert a relation between registers, so that induction starts only in states that can occur."""
        if self._strengthened:
            self.m.d.comb += Assert(condition, src_loc_at=1)

    def any_constant(self, name: str, count: int) -> Signal:
        """Return a constant below `count` of unknown value: a proof about it holds for all values."""
        signal = Signal(range(max(2, count)), name=name)
        self.m.d.comb += signal.eq(AnyConst(len(signal)))
        self.assume(signal < count)
        return signal

    def inside(self, component: wiring.Component, **options: object) -> Inside:
        """Add a component to the proof (see `Inside`)."""
        return Inside(self.m, component, **options)  # type: ignore[arg-type]
