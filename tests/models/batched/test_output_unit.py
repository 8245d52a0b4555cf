"""Credits of a batch against those of single switches (`models.transfer.output_unit`)."""

import numpy as np

from models.batched.output_unit import batch_spend_and_credit
from models.jit.compiled import compiled
from models.jit.simd import simd_load
from models.jit.simd_type import LANES
from models.transfer.output_unit import output_credit, output_spend


@compiled
def _of_batches(st, spent, came, woken):
    for n in range(st.batch_count * st.k.ports):
        batch, o = n // st.k.ports, n % st.k.ports
        woken[n] = batch_spend_and_credit(st, batch, o, simd_load(spent, n), simd_load(came, n))


@compiled
def _of_each(st, spent, came):
    for s in range(len(st.switch)):
        for o in range(st.k.ports):
            if spent[s, o] >= 0:
                output_spend(st, s, o, spent[s, o])
            if came[s, o] >= 0:
                output_credit(st, s, o, came[s, o])


def test_credits_are_spent_and_come_as_one_by_one(twins):
    """Owners of VCs that lose their last credit, or get one, are updated; batches with such a VC are visited."""
    _compare(twins, {1})


def test_credits_that_heads_need(one_step_twins):
    """Batches in which a VC has enough credits for a head are visited, too."""
    _compare(one_step_twins, {1, one_step_twins.params.credit_need})


def _compare(twins, needs):
    depth, ports = twins.params.depth, twins.params.ports
    gained = 0
    for odds in np.tile([0.9, 0.2], 15):
        before = np.array(twins.one.credits)
        spent, came = twins.any_of(before > 0, odds), twins.any_of(before < depth, 1 - odds)
        woken = np.zeros(twins.batch.batch_count * ports, np.uint64)
        masks = [twins.vectors((vcs >= 0) << np.maximum(vcs, 0)) for vcs in (spent, came)]
        _of_batches(twins.batch, *masks, woken)
        _of_each(twins.one, spent, came)
        twins.check()
        gains = np.any([(before < need) & (twins.one.credits >= need) for need in needs], axis=0).any(axis=2)
        gained += gains.sum()
        lanes = np.array([[word >> n & 1 for n in range(LANES)] for word in woken.tolist()])
        assert np.array_equal(
            lanes.reshape(-1, ports, LANES).transpose(0, 2, 1).reshape(-1, ports)[: len(gains)], gains
        )
    assert gained > 100
