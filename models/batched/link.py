"""Pins of batched switches: the flits and credits that are visible at their links, by cycle.

Each batch of switches has, for every cycle of a wheel, a vector for each input port, the flit that is visible
there (`models.batched.flit`), and one for each output port, the VC of the credit as the only bit. Behind them is room
for pins of others, whom switches give credits back to, in batches of their own, and for what is of nobody.
"""

from __future__ import annotations

from models.jit.bits import assume_u32
from models.jit.compiled import compiled
from models.jit.simd import set_number
from models.jit.simd_type import LANES, SHIFT, batch_of, batches_of, lane_of
from models.state.registers import SwitchState

DUE_WORD = 8  # batches of a word of `batch_due`, `pins_due`


def due_words(batches: int) -> int:
    """Return the words of `batch_due`, and of a cycle of `pins_due`: a byte for each batch, one at least."""
    return -(-max(batches, 1) // DUE_WORD)


def pin_shift(ports: int) -> int:
    """Return the bits of a pin's place within its batch of switches."""
    return (2 * ports - 1).bit_length() + SHIFT


def other_words(others: int) -> int:
    """Return the words of a cycle of `pins_due` that are of others than switches; their last batch is nobody's."""
    return due_words(batches_of(others) + 1)


@compiled
def pins_slot(st: SwitchState, cycle: int) -> int:
    """Return which place of the wheel is of a cycle."""
    return cycle & (st.pin_slots - 1)


@compiled
def pins_at(st: SwitchState, slot: int, batch: int, which: int) -> int:
    """Return the number in `st.pins` of a vector of a batch: `which` is an input port, or P + an output port."""
    return ((slot * st.pin_batches + batch) << st.k.pin_shift - SHIFT) + which


@compiled
def pin_of(st: SwitchState, s: int, which: int) -> int:
    """Return the place of a pin among those of a cycle."""
    return assume_u32((batch_of(s) << st.k.pin_shift) + which * LANES + lane_of(s))


@compiled
def other_batch(st: SwitchState, n: int) -> int:
    """Return which batch the n-th batch of others is."""
    return assume_u32(len(st.batch_due) + n)


@compiled
def other_pin(st: SwitchState, n: int) -> int:
    """Return the place of the pin of the n-th of others among those of a cycle."""
    return assume_u32((other_batch(st, batch_of(n)) << st.k.pin_shift) + lane_of(n))


@compiled
def no_pin(st: SwitchState) -> int:
    """Return the place of a pin that is nobody's."""
    return assume_u32(st.pin_batches - 1 << st.k.pin_shift)


@compiled
def put_pin(st: SwitchState, cycle: int, pin: int, value: int) -> None:
    """Have a value visible in `cycle` at a pin."""
    first = pins_slot(st, cycle) * st.pin_batches
    set_number(st.pins, (first << st.k.pin_shift) + pin, value)
    set_number(st.pins_due, first + (pin >> st.k.pin_shift), 1)


@compiled
def put_flit(st: SwitchState, cycle: int, s: int, p: int, value: int) -> None:
    """Have a flit visible in `cycle` at input port `p`, as `models.batched.flit` says it."""
    put_pin(st, cycle, pin_of(st, s, p), value)


@compiled
def put_credit(st: SwitchState, cycle: int, s: int, o: int, w: int) -> None:
    """Have a credit for VC `w` visible in `cycle` at output port `o`."""
    put_pin(st, cycle, pin_of(st, s, st.k.ports + o), 1 << w)


@compiled
def pins_words(st: SwitchState, slot: int) -> int:
    """Return where in `pins_due_words` the words of a cycle begin; those of switches come first."""
    return assume_u32(slot * st.pin_batches // DUE_WORD)


@compiled
def any_pins(st: SwitchState, cycle: int) -> bool:
    """Return whether anything is visible in a cycle that the wheel holds."""
    first = pins_words(st, pins_slot(st, cycle))
    due = 0
    for word in range(st.pin_batches // DUE_WORD):
        due |= st.pins_due_words[first + word]
    return due != 0
