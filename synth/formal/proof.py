"""What a proof is written with: assumptions, claims, and what an induction needs beside them."""

from __future__ import annotations

from amaranth.asserts import AnyConst
from amaranth.hdl import Assert, Assume, Module, Signal, ValueLike
from amaranth.lib import wiring

from synth.formal.inside import Inside


class Proof:
    """A module that holds a component, its surroundings and what is claimed of them.

    The statements below can stand within `m.If` and the like. Reset is free, too: it may come in any cycle, and what
    the proof remembers in `m.d.sync` is then forgotten with the component's state.

    Parameters
    ----------
    strengthened : bool
        Whether invariants count. A mutant must make a claim false; that it breaks an invariant shows nothing.

    Attributes
    ----------
    m : Module
    """

    def __init__(self, strengthened: bool = True) -> None:
        self.m = Module()
        self._strengthened = strengthened

    def assume(self, condition: ValueLike) -> None:
        """Exclude cycles in which a condition does not hold."""
        self.m.d.comb += Assume(condition, src_loc_at=1)

    def claim(self, condition: ValueLike) -> None:
        """Assert what is to be proved."""
        self.m.d.comb += Assert(condition, src_loc_at=1)

    def invariant(self, condition: ValueLike) -> None:
        """Assert how registers hang together, so that the induction starts in states that can be."""
        if self._strengthened:
            self.m.d.comb += Assert(condition, src_loc_at=1)

    def any_constant(self, name: str, count: int) -> Signal:
        """Return a number less than `count` that stays the same: what is proved of it is proved of each."""
        signal = Signal(range(max(2, count)), name=name)
        self.m.d.comb += signal.eq(AnyConst(len(signal)))
        self.assume(signal < count)
        return signal

    def inside(self, component: wiring.Component, **options: object) -> Inside:
        """Put a component into the proof (see `Inside`)."""
        return Inside(self.m, component, **options)  # type: ignore[arg-type]
