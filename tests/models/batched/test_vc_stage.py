"""VC stage of batched switches against that of single switches (`models.allocate.vc_stage`)."""

import numpy as np

from models.allocate.vc_stage import vc_stage_choose, vc_stage_claim
from models.batched.vc_stage import batch_vcs_choose, batch_vcs_claim
from models.buffer.head_delay import end_delays
from models.jit.compiled import compiled


@compiled
def _of_batches(st, cycle):
    batch_vcs_claim(st, batch_vcs_choose(st, cycle), cycle)


@compiled
def _of_each(st, cycle):
    for s in range(len(st.switch)):
        if st.k.head_delay:
            end_delays(st, s, cycle)
        vc_stage_choose(st, s)
        vc_stage_claim(st, s)


def test_heads_get_the_same_vcs(twins):
    """Some heads request at once, some later; losers request again, and are blocked when no VC is free."""
    aside = 0
    for _ in range(twins.params.head_delay + 5):
        _of_batches(twins.batch, twins.cycle)
        _of_each(twins.one, twins.cycle)
        twins.cycle += 1
        twins.check()
        for name in "vc_after", "vc_by_priority":
            assert np.array_equal(getattr(twins.one, name), getattr(twins.batch, name)), name
        aside = max(aside, twins.batched("ASIDE").sum())
    assert aside > 20
