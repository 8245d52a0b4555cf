"""Links of batched switches: flits and credits visible at their pins, per cycle.

A timing wheel holds, for each cycle and batch, one vector per input port (the flit visible there,
`models.batched.flit`) and one vector per output port (the VC of the credit, one-hot). Behind them, in batches of their
own, are the pins of sources, to which switches return credits, and one pin that nothing reads. If threads advance parts
of the switches, pins of all batches follow that stand for those of other parts (`models.parts`).
"""

from __future__ import annotations

import numpy as np

from models.jit.bits import assume_u32
from models.jit.compiled import compiled
from models.jit.lanes import batch_of, lane_of
from models.jit.simd import set_number
from models.jit.simd_type import LANES, SHIFT, batches_of
from models.state.declare import NOTHING, Registers, Sizes, apart, number, view
from models.state.registers import SwitchState

DUE_WORD = 8  # batches per word of `batch_due`, `pins_due`


def due_words(batches: int) -> int:
    """Return the words of `batch_due`, and of one cycle of `pins_due`: one byte per batch, at least one word."""
    return -(-max(batches, 1) // DUE_WORD)


def pin_shift(ports: int) -> int:
    """Return the width in bits of a pin's index within its batch."""
    return (2 * ports - 1).bit_length() + SHIFT


def _own_words(n: Sizes) -> int:
    """Return the words of a cycle of `pins_due` whose pins are visited; of other pins, the last batch has `no_pin`."""
    return due_words(n.batches) + due_words(batches_of(n.others) + 1)


def _slot_words(n: Sizes) -> int:
    """Return the words of a cycle of `pins_due`."""
    return _own_words(n) + due_words(n.batches) * n.parts


class BatchedLinkRegisters(Registers):
    """What is visible at pins, by cycle, and which batches are due."""

    pin_slots: int = number(lambda n: n.pin_slots)  # slots of the wheel, a power of two
    # words of a slot of `pins_due` whose pins are visited: those of switches come first
    pin_words: int = number(_own_words)
    # batches of a slot: those of `batch_due`, of pins other than switches', and of pins of other parts
    pin_batches: int = number(lambda n: _slot_words(n) * DUE_WORD)
    # timing wheel of flits and credits at pins
    pins: np.ndarray = apart(
        lambda n: n.vc_lanes,
        NOTHING,
        lambda n: (n.pin_slots * _slot_words(n) * DUE_WORD << pin_shift(n.ports),),
        built=lambda n: n.batched,
    )
    pins_due_words: np.ndarray = apart(np.int64, NOTHING, lambda n: (n.pin_slots * _slot_words(n),))
    # by slot and batch: 1: anything is visible at the pins of a batch
    pins_due: np.ndarray = view("pins_due_words", np.uint8)
    batch_due_words: np.ndarray = apart(np.int64, NOTHING, lambda n: (due_words(n.batches),))
    # by batch, and up to 7 more: 1: a batch of switches is to be visited
    batch_due: np.ndarray = view("batch_due_words", np.uint8)


@compiled
def pins_slot(st: SwitchState, cycle: int) -> int:
    """Return the slot of the wheel for `cycle`."""
    return cycle & (st.pin_slots - 1)


@compiled
def pins_at(st: SwitchState, slot: int, batch: int, which: int) -> int:
    """Return the index in `st.pins` of a batch's vector: `which` is an input port, or P + an output port."""
    return ((slot * st.pin_batches + batch) << st.k.pin_shift - SHIFT) + which


@compiled
def pin_of(st: SwitchState, s: int, which: int) -> int:
    """Return the index, among the pins of a cycle, of pin `which` of switch `s`."""
    return assume_u32((batch_of(s) << st.k.pin_shift) + which * LANES + lane_of(s))


@compiled
def other_batch(st: SwitchState, n: int) -> int:
    """Return the number of the n-th batch of pins that are not switches'."""
    return assume_u32(len(st.batch_due) + n)


@compiled
def other_pin(st: SwitchState, n: int) -> int:
    """Return the index, among the pins of a cycle, of the n-th pin that is not a switch's."""
    return assume_u32((other_batch(st, batch_of(n)) << st.k.pin_shift) + lane_of(n))


@compiled
def no_pin(st: SwitchState) -> int:
    """Return the index of the pin that nothing reads."""
    return assume_u32(st.pin_words * DUE_WORD - 1 << st.k.pin_shift)


@compiled
def put_pin(st: SwitchState, cycle: int, pin: int, value: int) -> None:
    """Make `value` visible at a pin in `cycle`."""
    first = pins_slot(st, cycle) * st.pin_batches
    set_number(st.pins, (first << st.k.pin_shift) + pin, value)
    set_number(st.pins_due, first + (pin >> st.k.pin_shift), 1)


@compiled
def put_flit(st: SwitchState, cycle: int, s: int, p: int, value: int) -> None:
    """Make a flit, encoded as in `models.batched.flit`, visible at input port `p` in `cycle`."""
    put_pin(st, cycle, pin_of(st, s, p), value)


@compiled
def put_credit(st: SwitchState, cycle: int, s: int, o: int, w: int) -> None:
    """Make a credit for VC `w` visible at output port `o` in `cycle`."""
    put_pin(st, cycle, pin_of(st, s, st.k.ports + o), 1 << w)


@compiled
def pins_words(st: SwitchState, slot: int) -> int:
    """Return the index in `pins_due_words` of the first word of a cycle; words of switches come first."""
    return assume_u32(slot * st.pin_batches // DUE_WORD)


@compiled
def any_pins(st: SwitchState, cycle: int) -> bool:
    """Return whether anything is visible in `cycle`, which the wheel must still hold."""
    first = pins_words(st, pins_slot(st, cycle))
    due = 0
    for word in range(st.pin_words):
        due |= st.pins_due_words[first + word]
    return due != 0
