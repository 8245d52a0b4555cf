"""Reset of a switch: the resets of its components, one after the other (microarchitecture.md, conventions)."""

from __future__ import annotations

from collections.abc import Sequence

from models.components import RESETS
from models.jit.compiled import compiled_apart, compiled_noinline
from models.state.declare import Reset
from models.state.registers import SwitchState


def _in_turn(resets: Sequence[Reset]) -> Reset:
    """Return a function that calls all of `resets`; a tree, as each caller is linked with all that it calls."""
    if len(resets) == 1:
        return resets[0]
    half = len(resets) // 2
    first, second = _in_turn(resets[:half]), _in_turn(resets[half:])

    @compiled_noinline
    def both(st: SwitchState, s: int, cycle: int) -> None:
        first(st, s, cycle)
        second(st, s, cycle)

    return both


_HALF = len(RESETS) // 2
_first, _second = _in_turn(RESETS[:_HALF]), _in_turn(RESETS[_HALF:])


@compiled_apart
def _reset_first(st: SwitchState, s: int, cycle: int) -> None:
    _first(st, s, cycle)


@compiled_apart
def _reset_second(st: SwitchState, s: int, cycle: int) -> None:
    _second(st, s, cycle)


@compiled_noinline
def reset(st: SwitchState, s: int, cycle: int) -> None:
    """Reset a switch, the reset being last asserted in `cycle`. Tables keep their contents."""
    _reset_first(st, s, cycle)
    _reset_second(st, s, cycle)


@compiled_noinline
def reset_every(st: SwitchState, switches: int) -> None:
    """Reset switches 0 to `switches` − 1, the reset being last asserted in the cycle before cycle 0."""
    for s in range(switches):
        reset(st, s, -1)
