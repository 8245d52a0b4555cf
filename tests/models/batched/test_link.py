"""Pins of batched switches: a value is visible in the cycle in which its link delivers it."""

import numpy as np

from cocotb_tests.runner.run_bench import seed
from models.batched.flit import flit_on
from models.batched.link import (
    any_pins,
    other_pin,
    pin_of,
    pins_at,
    pins_slot,
    pins_words,
    put_credit,
    put_flit,
    put_pin,
)
from models.jit.compiled import compiled
from models.jit.lanes import batch_of, lane_of
from models.jit.simd import number_in, set_number
from models.jit.simd_type import LANES
from models.power_up import new_state_beside
from models.transfer.link import link_arrival

SLOTS, OTHERS = 8, 70


@compiled
def _send(st, cycle, delays, flits, credits, others):
    """Put the payloads sent in `cycle` at pins, behind links of several latencies."""
    for s in range(len(st.switch)):
        for p in range(st.k.ports):
            at = link_arrival(cycle, delays[s, p])
            if flits[s, p]:
                put_flit(st, at, s, p, flits[s, p])
            if credits[s, p] >= 0:
                put_credit(st, at, s, p, credits[s, p])
    for n in range(len(others)):
        if others[n]:
            put_pin(st, cycle + 1, other_pin(st, n), others[n])


@compiled
def _visible(st, cycle, flits, credits, others, due):
    """Read the values visible in `cycle`, and the batches that have any, and remove them."""
    slot = pins_slot(st, cycle)
    for s in range(len(st.switch)):
        for p in range(2 * st.k.ports):
            place = pins_at(st, slot, batch_of(s), p) * LANES + lane_of(s)
            if place != (pins_at(st, slot, 0, 0) * LANES) + pin_of(st, s, p):
                raise AssertionError
            if p < st.k.ports:
                flits[s, p] = number_in(st.pins, place)
            else:
                credits[s, p - st.k.ports] = number_in(st.pins, place)
            set_number(st.pins, place, 0)
    for n in range(len(others)):
        place = (pins_at(st, slot, 0, 0) * LANES) + other_pin(st, n)
        others[n] = number_in(st.pins, place)
        set_number(st.pins, place, 0)
    seen = any_pins(st, cycle)
    for batch in range(st.pin_batches):
        due[batch] = st.pins_due[slot * st.pin_batches + batch]
    for word in range(st.pin_batches // 8):
        st.pins_due_words[pins_words(st, slot) + word] = 0
    return seen


def test_flits_and_credits_are_visible_when_they_arrive(params):
    switches = LANES + 6
    st, _ = new_state_beside(params, switches, None, batched=True, pin_slots=SLOTS, others=OTHERS)
    rng = np.random.default_rng(seed())
    shape = switches, params.ports
    numbers = np.array([flit_on(w) for w in range(params.vcs)])
    delays = rng.integers(0, SLOTS - 2, shape)
    coming = [(np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(OTHERS, np.int64)) for _ in range(80)]
    for cycle in range(60):
        busy = cycle % 20 < 8  # then a pause
        flits = np.where(rng.random(shape) < 0.3 * busy, numbers[rng.integers(0, params.vcs, shape)], 0)
        credits = np.where(rng.random(shape) < 0.3 * busy, rng.integers(0, params.vcs, shape), -1)
        others = (rng.random(OTHERS) < 0.3 * busy) * 2
        _send(st, cycle, delays, flits, credits, others)
        for s, p in np.ndindex(shape):
            coming[cycle + 1 + delays[s, p]][0][s, p] = flits[s, p]
            coming[cycle + 1 + delays[s, p]][1][s, p] = 1 << credits[s, p] if credits[s, p] >= 0 else 0
        coming[cycle + 1][2][:] = others
        found = [np.zeros_like(each) for each in coming[0]]
        due = np.zeros(st.pin_batches, np.int64)
        seen = _visible(st, cycle + 1, *found, due)
        for got, expected in zip(found, coming[cycle + 1], strict=True):
            assert np.array_equal(got, expected), cycle
        some = (coming[cycle + 1][0] | coming[cycle + 1][1]).any(axis=1)
        assert due[: st.batch_count].tolist() == [some[:LANES].any(), some[LANES:].any()]
        assert due.sum() == seen == 0 or (due.any() and seen)
    assert sum(flits.any() for flits, _, _ in coming) > 25
