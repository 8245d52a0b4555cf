"""Output buffers of a batch against those of single switches (`models.transfer.output_buffer`)."""

import numpy as np
import pytest

from cocotb_tests.runner.run_bench import seed
from models.batched.output_buffer import batch_depart, batch_full_outputs
from models.batched.output_sets import outputs_number
from models.jit.compiled import compiled
from models.jit.lanes import batch_of
from models.jit.simd import simd_load, simd_store
from models.params import SwitchParams
from models.transfer.output_buffer import buffered, depart, full_outputs
from tests.models.batched.conftest import SWITCHES, Twins

RING = {"routing": "dimension_order", "radix": (5,), "wrap": True, "ports": 3, "vcs": 9}


@compiled
def _step(st, one, sent, goes, cycle, found):
    """Look for full buffers in both forms, then send flits; write full outputs, and which buffers may hold a flit."""
    for batch in range(st.batch_count):
        batch_full_outputs(st, batch, cycle)
        for o in range(st.k.ports):
            simd_store(st.batch_scratch, st.k.sent + o, simd_load(sent, batch * st.k.ports + o))
        for s in range(len(one.switch)):
            if batch_of(s) == batch:
                found[s, 0] = outputs_number(st, s, st.k.full_outputs)
                found[s, 1] = full_outputs(one, s, cycle)
                found[s, 2] = int(st.switch[s].full)
                found[s, 3] = outputs_number(st, s, st.k.buffering_outputs)
                found[s, 4] = 0
                for o in range(st.k.ports):
                    found[s, 4] |= int(buffered(one, s, o, cycle)) << o
        batch_depart(st, batch, cycle)
    for s in range(len(one.switch)):
        for o in range(st.k.ports):
            if goes[s, o]:
                depart(one, s, o, cycle)


@pytest.mark.parametrize(("speedup", "flits"), [(2, 4), (4, 2)])
def test_buffers_are_full_as_one_by_one(speedup, flits):
    twins = Twins(SwitchParams(**RING, speedup=speedup, output_buffer=flits))
    rng = np.random.default_rng(seed())
    full = np.zeros((SWITCHES, 3), np.int64)
    for cycle in range(300):
        # A full buffer gets no flit.
        busy = rng.random((SWITCHES, 1)) < (0.9 if cycle // 40 % 2 else 0.05)
        goes = busy & (rng.random((SWITCHES, 3)) < 0.8) & (full == 0)
        found = np.zeros((SWITCHES, 5), np.int64)
        _step(twins.batch, twins.one, twins.vectors(goes.astype(int)), goes, cycle, found)
        assert np.array_equal(found[:, 0], found[:, 1]), f"TSUJI_SEED={seed()}"
        assert np.array_equal(found[:, 2], found[:, 1])
        assert np.array_equal(found[:, 3], found[:, 4])
        assert np.array_equal(twins.batch.departed, twins.one.departed)
        full = found[:, :1] >> np.arange(3) & 1
    assert (twins.one.departed > 250).all()
