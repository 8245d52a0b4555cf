"""Waiting heads of batched switches against those of single switches (`models.buffer.head_delay`)."""

import numpy as np

from models.batched.head_delay import (
    batch_on_head_ready,
    batched_head_delay_reset,
    block_on_output,
    head_request,
    heads_slot,
    wake_blocked_heads,
)
from models.batched.output_sets import outputs_number
from models.batched.vectors import of_vc
from models.buffer.head_delay import end_delays, head_waits, on_head_ready, on_vc_allocated
from models.jit.compiled import compiled
from models.state.request_word import request_of
from models.state.route_word import route_word
from models.state.vc_set import contains


@compiled
def _become_ready(one, st, words, cycle):
    """Put heads with routes [switches, ports, VCs] that are not 0 at the front of their VCs."""
    for s in range(len(words)):
        for i in range(st.k.ports):
            for v in range(st.k.vcs):
                due = int(words[s, i, v] != 0)
                if due:
                    st.batch_routes[s, i, v, 0] = words[s, i, v]
                    on_head_ready(one, s, i, v, words[s, i, v], cycle)
                batch_on_head_ready(st, s, i, v, words[s, i, v], cycle, due)


@compiled
def _asking(one, st, cycle, asked, requests):
    """Find the heads that request in a cycle (single: 1; batched: their requests), and remove them from the wheel."""
    for s in range(len(one.switch)):
        if one.k.head_delay:
            end_delays(one, s, cycle)
        for i in range(one.k.ports):
            for v in range(one.k.vcs):
                asked[s, i, v] = int(contains(one, one.heads, s, i, v) and not head_waits(one, s, i, v))
    slot = heads_slot(st, cycle)
    for n in range(st.batch_heads_end[slot]):
        request = int(st.batch_heads[slot, n])
        s, i, v, o, vcs = request_of(request)
        if requests[s, i, v] != 0:
            raise AssertionError
        if request != head_request(st, s, i, v):
            raise AssertionError
        requests[s, i, v] = o << 16 | vcs
    st.batch_heads_end[slot] = 0


@compiled
def _put_aside(st, aside):
    for s in range(len(aside)):
        for i in range(st.k.ports):
            for v in range(st.k.vcs):
                if aside[s, i, v]:
                    block_on_output(st, head_request(st, s, i, v))


@compiled
def _allocated(one, got):
    for s in range(len(got)):
        for i in range(one.k.ports):
            for v in range(one.k.vcs):
                if got[s, i, v]:
                    on_vc_allocated(one, s, i, v)


@compiled
def _wake(st, outputs, cycle):
    for s in range(len(outputs)):
        for o in range(st.k.ports):
            if outputs[s, o]:
                wake_blocked_heads(st, s, o, cycle)


@compiled
def _forget(st, switches):
    for s in range(len(switches)):
        if switches[s]:
            st.blocked_heads[s, :] = 0
            batched_head_delay_reset(st, s, 0)


@compiled
def _drained(st, found):
    for s in range(len(found)):
        for i in range(st.k.ports):
            for v in range(st.k.vcs):
                found[s, i, v] = outputs_number(st, s, st.k.granted_output + of_vc(st, i, v)) >> st.k.ports


def test_heads_ask_in_the_same_cycles(fresh_twins):
    """A third of the requesting heads get a VC, the others are blocked; then some outputs have a free VC."""
    one, batch, rng, params = (getattr(fresh_twins, name) for name in ("one", "batch", "rng", "params"))
    shape = one.vc.shape
    outputs = rng.integers(0, params.ports, shape)
    last = rng.integers(0, params.vcs, shape)
    dropped = rng.random(shape) < 0.1
    words = np.vectorize(route_word)(outputs, last // 2, last, dropped.astype(int), 0)
    wanted = outputs << 16 | (2 << last) - (1 << last // 2)
    came, aside, woken = (np.zeros(shape, bool) for _ in range(3))
    gone = dropped.copy()
    asks = 0
    for cycle in range(30 + params.head_delay):
        asked, requests = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        _asking(one, batch, cycle, asked, requests)
        expected = (asked != 0) & ~aside
        assert np.array_equal(requests, np.where(expected, wanted, 0)), cycle
        asks += expected.sum()
        got = expected & (rng.random(shape) < 0.3)
        _allocated(one, got)
        gone |= got
        _put_aside(batch, expected & ~got)
        aside |= expected & ~got
        free = rng.random(shape[:2]) < 0.2
        _wake(batch, free, cycle + 1)
        woken = aside & np.take_along_axis(free[:, None, :], outputs.reshape(len(free), 1, -1), axis=2).reshape(shape)
        aside &= ~woken
        if cycle == 20 + params.head_delay:
            reset = rng.random(len(free)) < 0.3
            _forget(batch, reset)
            _allocated(one, np.repeat(reset, params.ports * params.vcs).reshape(shape))
            gone[reset] = True
            came[reset] = True
            aside[reset] = False
        ready = ~came & (rng.random(shape) < 0.2)
        _become_ready(one, batch, np.where(ready, words, 0), cycle)
        came |= ready
    drained = np.zeros(shape, np.int64)
    _drained(batch, drained)
    assert np.array_equal(drained, dropped & came & (batch.batch_routes[..., 0] != 0))
    assert asks > came.sum()
    assert gone.sum() > shape[0]
