"""States of parts of the switches: what they share, and what each has by itself."""

import numpy as np
import pytest

from models.batched.flit import flit_on
from models.batched.link import pins_at, pins_slot, put_flit
from models.components import REGISTERS
from models.jit.compiled import compiled
from models.jit.native_types import kind_of
from models.jit.simd import number_in
from models.jit.simd_type import LANES
from models.params import SwitchParams
from models.parts import OWN, VIEWS, batch_elsewhere, state_of_part, take_pins
from models.power_up import new_state_beside
from models.state.registers import SwitchState

ONE_BY_ONE = SwitchParams(ports=5)
BATCHED = SwitchParams(ports=5, allocator="output_first", vc_stage=True, hold_packets=False)


def state_of(params, batched):
    return new_state_beside(params, 130, 5, batched=batched, pin_slots=4, parts=True)[0]


@pytest.mark.parametrize(("params", "batched"), [(ONE_BY_ONE, False), (BATCHED, True)])
def test_registers_of_switches_are_shared_and_no_others(params, batched):
    """Of the same type as before, so that the same compiled code takes them."""
    state = state_of(params, batched)
    part = state_of_part(state)
    assert kind_of(part) == kind_of(state)
    for name in REGISTERS:
        before, after = getattr(state, name), getattr(part, name)
        if not isinstance(before, np.ndarray) or before.size == 0:
            continue
        own = name in OWN or name in VIEWS
        assert np.shares_memory(before, after) != own, name
    for name, viewed in VIEWS.items():
        if getattr(part, name).size:
            assert np.shares_memory(getattr(part, name), getattr(part, viewed))


def test_scratch_is_own_and_vectors_of_batches_are_shared():
    assert {"grants", "ready", "asking", "chosen", "sent", "batch_scratch", "batch_due_words", "pins"} <= set(OWN)
    assert not {"batch_vcs", "batch_outputs", "batch_totals", "vc", "counters"} & set(OWN)


@compiled
def _send(st: SwitchState, cycle: int, s: int, p: int, value: int) -> None:
    put_flit(st, cycle, s, p, value)


@compiled
def _seen(st: SwitchState, cycle: int, batch: int, p: int, lane: int) -> int:
    return number_in(st.pins, pins_at(st, pins_slot(st, cycle), batch, p) * LANES + lane)


def test_what_is_sent_elsewhere_is_taken_once():
    state = state_of(BATCHED, True)
    here, there = state_of_part(state), state_of_part(state)
    elsewhere = (batch_elsewhere(state, 1)) * LANES
    _send(there, 6, elsewhere + 3, 2, flit_on(1))
    _send(here, 6, LANES + 5, 2, flit_on(0))
    for cycle in (5, 6, 6):
        take_pins(here, there.pins, there.pins_due, 1, cycle)
    assert [_seen(here, 6, 1, 2, lane) for lane in (3, 4, 5)] == [flit_on(1), 0, flit_on(0)]
    assert here.pins_due[2 * state.pin_batches + 1] == 1
    assert not there.pins.any()
    assert not there.pins_due.any()
