"""Parts of a network's switches, each advanced by a thread of its own.

The threads share the registers of switches, of which each belongs to one part. What is one for all switches, scratch
and the wheels of batches, a part has by itself. A batch is in one part as a whole.

In batches, what a part sends to a batch of another part becomes visible at pins that stand for those of that batch:
they are memory of the sender. The other part takes it from there before the cycle in which it is visible.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from models.batched.link import DUE_WORD, pins_at, pins_slot, pins_words
from models.components import REGISTERS
from models.jit.compiled import compiled
from models.jit.simd import movemask, number_in, set_number, simd_load, simd_store
from models.state.declare import NOTHING, Array, Made
from models.state.layout import aligned
from models.state.registers import SwitchState

OWN = tuple(
    name
    for name, register in REGISTERS.items()
    if isinstance(register, Array) and register.of == NOTHING and not register.of_batches
)
VIEWS = {
    name: register.viewed for name, register in REGISTERS.items() if isinstance(register, Made) and register.viewed
}


def own_copy(array: np.ndarray) -> np.ndarray:
    """Return a copy of an array, aligned as `models.state.layout.aligned`."""
    copy = aligned(array.shape, array.dtype)
    copy[...] = array
    return copy


def state_of_part(state: SwitchState) -> SwitchState:
    """Return the state of the same switches, with registers of its own where these are one for all switches."""
    whole: Any = state
    own = {name: own_copy(getattr(whole, name)) for name in OWN}
    own |= {name: own[viewed].view(getattr(whole, name).dtype) for name, viewed in VIEWS.items()}
    part: SwitchState = whole._replace(**own)
    return part


@compiled
def batch_elsewhere(st: SwitchState, batch: int) -> int:
    """Return the number of the batch of pins that stands for those of a batch of another part."""
    return st.pin_words * DUE_WORD + batch


@compiled
def any_elsewhere(st: SwitchState, cycle: int, cycles: int) -> bool:
    """Return whether anything that this part sent to batches of others is visible in `cycles` cycles from `cycle` on.

    The wheel must hold these cycles, and no other part may take it yet.
    """
    for at in range(cycle, cycle + cycles):
        first = pins_words(st, pins_slot(st, at))
        for word in range(st.pin_words, st.pin_batches // DUE_WORD):
            if st.pins_due_words[first + word]:
                return True
    return False


@compiled
def take_pins(st: SwitchState, pins: np.ndarray, pins_due: np.ndarray, batch: int, cycle: int) -> None:
    """Make what another part sent to a batch of this part visible in `cycle`.

    Parameters
    ----------
    st : SwitchState
        The switches, as this part sees them.
    pins, pins_due : array
        `st.pins` and `st.pins_due` of the other part.
    batch, cycle : int
        Batch and cycle.
    """
    slot = pins_slot(st, cycle)
    there = batch_elsewhere(st, batch)
    if not number_in(pins_due, slot * st.pin_batches + there):
        return
    set_number(pins_due, slot * st.pin_batches + there, 0)
    set_number(st.pins_due, slot * st.pin_batches + batch, 1)
    for which in range(2 * st.k.ports):
        sent = pins_at(st, slot, there, which)
        came = simd_load(pins, sent)
        if movemask(came):
            here = pins_at(st, slot, batch, which)
            simd_store(st.pins, here, simd_load(st.pins, here) | came)
            simd_store(pins, sent, came ^ came)
