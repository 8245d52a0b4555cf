"""VC buffers of a batch against those of single switches (`models.buffer.vc_buffer`)."""

import numpy as np

from models.batched.flit import TAIL, flit_on
from models.batched.vc_buffer import batch_take_and_put
from models.buffer.vc_buffer import pop, push
from models.jit.compiled import compiled
from models.jit.simd import simd_load


@compiled
def _of_batches(st, taken, put):
    for n in range(st.batch_count * st.k.ports):
        batch, i = n // st.k.ports, n % st.k.ports
        batch_take_and_put(st, batch, i, simd_load(taken, n), simd_load(put, n))


@compiled
def _of_each(st, taken, put, tails):
    for s in range(len(st.switch)):
        for i in range(st.k.ports):
            if taken[s, i] >= 0:
                pop(st, s, i, taken[s, i])
            if put[s, i] >= 0:
                push(st, s, i, put[s, i], tails[s, i])


def test_flits_are_taken_and_put_as_one_by_one(twins):
    rng, depth = twins.rng, twins.params.depth
    on_vc = np.array([flit_on(w) for w in range(twins.params.vcs)])
    full = 0
    for odds in np.tile([0.9, 0.2], 15):
        count = np.array(twins.one.vc["count"])
        taken, put = twins.any_of(count > 0, 1 - odds), twins.any_of(count < depth, odds)
        tails = rng.integers(0, 2, put.shape)
        numbers = np.where(put >= 0, on_vc[put] | tails * TAIL, 0)
        _of_batches(twins.batch, twins.vectors((taken >= 0) << np.maximum(taken, 0)), twins.vectors(numbers))
        _of_each(twins.one, taken, put, tails)
        twins.check("ROUTE")  # some of the popped flits have a packet that owns no VC
        full += (count == depth).sum()
    assert full > 100
