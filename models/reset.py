"""Reset of a switch: the resets of its components, one after the other (microarchitecture.md, conventions)."""

from __future__ import annotations

from functools import reduce

from models.components import RESETS
from models.jit.compiled import compiled_noinline
from models.state.declare import Reset
from models.state.registers import SwitchState


def _then(first: Reset, second: Reset) -> Reset:
    @compiled_noinline
    def both(st: SwitchState, s: int, cycle: int) -> None:
        first(st, s, cycle)
        second(st, s, cycle)

    return both


_reset_all = reduce(_then, RESETS)


@compiled_noinline
def reset(st: SwitchState, s: int, cycle: int) -> None:
    """Reset a switch, the reset being last asserted in `cycle`. Tables keep their contents."""
    _reset_all(st, s, cycle)


@compiled_noinline
def reset_every(st: SwitchState, switches: int) -> None:
    """Reset switches 0 to `switches` − 1, the reset being last asserted in the cycle before cycle 0."""
    for s in range(switches):
        reset(st, s, -1)
