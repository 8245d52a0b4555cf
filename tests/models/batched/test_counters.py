"""Counters of a batch against those of single switches (`models.counters`)."""

import numpy as np
import pytest

from models.batched.counters import (
    batch_count_in,
    batch_count_out,
    batch_visited,
    batched_counters_reset,
    batched_flits_sent,
    most_visits,
)
from models.batched.flit import TAIL, flit_on
from models.batched.vc_sets import set_lane
from models.counters import FLITS_IN, FLITS_OUT, PACKETS_IN, PACKETS_OUT, count
from models.jit.compiled import compiled
from models.jit.simd import decode_one_hot, simd_load
from models.readout import counted

VISITS = 97  # different visits, which are repeated


@compiled
def _visit(st, flits, vectors):
    """Count flits in and out, the same at all ports, in one visit after the other."""
    for visit in range(len(flits)):
        for batch in range(st.batch_count):
            batch_visited(st, batch)
            for p in range(st.k.ports):
                n = batch * st.k.ports + p
                numbers = simd_load(vectors, (flits[visit] * st.batch_count * st.k.ports) + n)
                batch_count_in(st, batch, p, numbers)
                batch_count_out(st, batch, p, numbers, decode_one_hot(numbers))


@compiled
def _count(st, visits, came, tails, sent):
    """Count the same events one by one, `VISITS` different ones in turn."""
    for kind in range(len(visits)):
        for s in range(len(st.switch)):
            for p in range(st.k.ports):
                if came[kind, s, p] >= 0:
                    count(st, s, p, FLITS_IN, visits[kind])
                    count(st, s, p, FLITS_OUT, visits[kind])
                    count(st, s, p, PACKETS_IN, visits[kind] * tails[kind, s, p])
                    count(st, s, p, PACKETS_OUT, visits[kind] * tails[kind, s, p])
                    sent[s, p, came[kind, s, p]] += visits[kind]


@compiled
def _forget(st, s):
    batched_counters_reset(st, s, 0)
    for which in range(st.k.batch_counts):
        set_lane(st, s, which, 0)


@compiled
def _read(st, values):
    for s in range(len(st.switch)):
        for p in range(st.k.ports):
            for counter in range(values.shape[2]):
                values[s, p, counter] = counted(st, s, p, counter)


def _counters(st):
    values = np.zeros(st.counters.shape, np.int64)
    _read(st, values)
    return values


@pytest.mark.parametrize("visits", [1000, (1 << 16) + 1000])
def test_counts_are_those_of_each(fresh_twins, visits):
    """Fewer events than a lane can count, and more; a counter that is reset starts from 0."""
    one, batch, rng, params = (getattr(fresh_twins, name) for name in ("one", "batch", "rng", "params"))
    shape = VISITS, len(one.switch), params.ports
    came = rng.integers(-1, params.vcs, shape)
    tails = rng.integers(0, 2, shape)
    on_vc = np.array([flit_on(w) for w in range(params.vcs)])
    numbers = np.where(came >= 0, on_vc[came] | tails * TAIL, 0)
    vectors = np.concatenate([fresh_twins.vectors(each) for each in numbers])
    assert (visits > most_visits(batch)) == (visits > 1 << 16)
    begun = 0
    sent = np.zeros((len(one.switch), params.ports, params.vcs), np.int64)
    for end in (visits // 2, visits):
        flits = np.arange(begun, end) % VISITS
        _visit(batch, flits, vectors)
        _count(one, np.bincount(flits, minlength=VISITS), came, tails, sent)
        assert np.array_equal(_counters(batch), _counters(one))
        assert np.array_equal(batched_flits_sent(batch), sent)
        begun = end
        _forget(batch, 3)
        one.counters[3] = 0
        sent[3] = 0
        assert np.array_equal(_counters(batch), _counters(one))
    assert sent.max() > visits / 20
