"""Reset of switches in a batch against that of single switches (`models.reset`)."""

import numpy as np

from models.reset import reset


def test_who_is_reset_forgets_all_and_others_nothing(twins):
    switches = np.flatnonzero(twins.rng.random(len(twins.one.switch)) < 0.4)
    before = twins.registers()[1]
    for s in switches:
        reset(twins.one, s, twins.cycle - 1)
        reset(twins.batch, s, twins.cycle - 1)
    twins.check()
    after = twins.registers()[1]
    others = np.setdiff1d(np.arange(len(twins.one.switch)), switches)
    assert len(others)
    for old, new in zip(before, after, strict=True):
        assert np.array_equal(old[others], new[others])
        assert not np.array_equal(old[switches], new[switches])
