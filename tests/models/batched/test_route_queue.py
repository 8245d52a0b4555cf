"""Positions in the route queues of a batch against those of single switches (`models.route.route_queue`)."""

import numpy as np

from models.batched.route_queue import batch_advance, batch_claim_slot, batch_front, batch_release
from models.jit.compiled import compiled
from models.jit.simd import broadcast, nonzero_mask, simd_load, simd_store
from models.route.route_queue import claim_position, release


@compiled
def _claim(one, st, wanted, positions):
    """Claim an entry in queues [switches, ports, VCs] of both; record its position."""
    for s in range(len(wanted)):
        for i in range(st.k.ports):
            for v in range(st.k.vcs):
                if wanted[s, i, v]:
                    positions[0, s, i, v] = claim_position(one, s, i, v)
                    positions[1, s, i, v] = batch_claim_slot(st, s, i, v)
                    batch_advance(st, s, i, v, positions[1, s, i, v])


@compiled
def _release_of_batches(st, gone, behind):
    for n in range(st.batch_count * st.k.ports * st.k.vcs):
        batch, queue = n // (st.k.ports * st.k.vcs), n % (st.k.ports * st.k.vcs)
        leaves = simd_load(gone, n)
        others = batch_release(st, batch, queue // st.k.vcs, queue % st.k.vcs, nonzero_mask(leaves, leaves))
        simd_store(behind, n, nonzero_mask(others, others) & broadcast(others, 1))


@compiled
def _release_of_each(st, gone, cycle):
    for s in range(len(gone)):
        for i in range(st.k.ports):
            for v in range(st.k.vcs):
                release(st, s, i, v, cycle, gone[s, i, v])


@compiled
def _fronts(st, fronts):
    for s in range(len(fronts)):
        for i in range(st.k.ports):
            for v in range(st.k.vcs):
                fronts[s, i, v] = batch_front(st, s, i, v)


def test_queues_fill_and_empty_as_one_by_one(fresh_twins):
    one, batch, rng = fresh_twins.one, fresh_twins.batch, fresh_twins.rng
    held = np.zeros(one.vc.shape, np.int64)
    depth, most = fresh_twins.params.depth, 0
    for odds in np.tile([0.8, 0.2], 10):
        wanted = (held < depth) & (rng.random(held.shape) < odds)
        positions = np.zeros((2, *held.shape), np.int64)
        _claim(one, batch, wanted, positions)
        assert np.array_equal(*positions)
        held += wanted
        most += (held == depth).sum()
        gone = ((held > 0) & (rng.random(held.shape) >= odds)).astype(np.int64)
        behind = fresh_twins.vectors(np.zeros((len(held), held[0].size)))
        _release_of_batches(batch, fresh_twins.vectors(gone.reshape(len(gone), -1)), behind)
        _release_of_each(one, gone, 0)
        held -= gone
        fronts = np.zeros_like(held)
        _fronts(batch, fronts)
        assert np.array_equal(fronts, one.vc["front"])
        assert np.array_equal(fresh_twins.numbers(behind).reshape(held.shape), gone & (held > 0))
    assert most > 100
