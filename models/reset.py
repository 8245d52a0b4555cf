"""Reset of a switch: registers get the values that are declared with them (microarchitecture.md, conventions)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models.components import RESETS
from models.jit.compiled import compiled_apart, compiled_noinline
from models.state.declare import Reset
from models.state.registers import SwitchState


def _in_turn(resets: Sequence[Reset]) -> Reset:
    """Return a function that calls all of `resets`, one after the other."""
    if not resets:
        return _restore_blocks
    before, last = _in_turn(resets[:-1]), resets[-1]

    @compiled_noinline
    def both(st: SwitchState, s: int, cycle: int) -> None:
        before(st, s, cycle)
        last(st, s, cycle)

    return both


@compiled_noinline
def _restore(memory: np.ndarray, s: int, at_reset: np.ndarray) -> None:
    for word in range(memory.shape[1]):
        memory[s, word] = memory[s, word] & at_reset[0, word] | at_reset[1, word]


@compiled_noinline
def _restore_blocks(st: SwitchState, s: int, cycle: int) -> None:
    _restore(st.block, s, st.block_at_reset)
    _restore(st.second_block, s, st.second_block_at_reset)
    _restore(st.rest, s, st.rest_at_reset)


_every_reset = _in_turn(RESETS)


@compiled_apart
def reset(st: SwitchState, s: int, cycle: int) -> None:
    """Reset a switch, the reset being last asserted in `cycle`. Tables keep their contents."""
    _every_reset(st, s, cycle)


@compiled_noinline
def reset_every(st: SwitchState, switches: int) -> None:
    """Reset switches 0 to `switches` − 1, the reset being last asserted in the cycle before cycle 0."""
    for s in range(switches):
        reset(st, s, -1)
