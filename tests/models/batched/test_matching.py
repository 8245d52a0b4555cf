"""Switch allocation of a batch against that of single switches (`models.allocate.matching`)."""

import numpy as np

from models.allocate.matching import accept, accepted, match_outputs
from models.batched.crossbar import chosen_of, taken_of
from models.batched.matching import DRAINS, NOTHING, SENDS, match_batch
from models.jit.bits import each_member
from models.jit.compiled import compiled
from models.jit.lanes import batch_of, lane_of
from models.jit.simd import number_in
from models.jit.simd_type import LANES


@compiled
def _of_batches(st, outputs, vcs, results):
    for batch in range(st.batch_count):
        results[batch] = match_batch(st, batch)
        for s in range(len(st.switch)):
            if batch_of(s) == batch:
                for i in range(st.k.ports):
                    if number_in(st.batch_scratch, (st.k.chosen + i) * LANES + lane_of(s)):
                        outputs[s, i] = taken_of(st, i, lane_of(s))
                        vcs[s, i] = chosen_of(st, i, lane_of(s))


@compiled
def _of_each(st, outputs, vcs, cycle):
    for s in range(len(st.switch)):
        ports = match_outputs(st, s)
        for i in each_member(ports):
            o, v, _ = accept(st, s, i)
            accepted(st, s, i, v, o)
            outputs[s, i], vcs[s, i] = o, v


def test_matches_are_the_same(twins):
    """Repeat the same requests: only the arbiters change."""
    shape = len(twins.one.switch), twins.params.ports
    matches = set()
    for _ in range(12):
        (outputs, vcs), expected = (np.full((2, *shape), -1) for _ in range(2))
        results = np.zeros(twins.batch.batch_count, np.int64)
        _of_batches(twins.batch, outputs, vcs, results)
        _of_each(twins.one, *expected, twins.cycle)
        assert np.array_equal([outputs, vcs], expected)
        twins.check("CLAIMED")
        drained = outputs == twins.params.ports
        for batch, result in enumerate(results):
            lanes = slice(batch * LANES, (batch + 1) * LANES)
            moves = SENDS if (outputs[lanes] >= 0).any() else NOTHING
            assert result == (DRAINS if drained[lanes].any() else moves)
        matches.add(outputs.tobytes())
    assert len(matches) > 4


def test_nothing_is_matched_where_nothing_asks(fresh_twins):
    shape = len(fresh_twins.one.switch), fresh_twins.params.ports
    outputs, vcs = np.full((2, *shape), -1)
    results = np.full(fresh_twins.batch.batch_count, DRAINS)
    _of_batches(fresh_twins.batch, outputs, vcs, results)
    assert (results == NOTHING).all()
    assert (outputs == -1).all()
