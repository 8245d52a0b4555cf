"""Kinds of vectors of a batch: their places, and what a switch has in them at reset."""

from typing import get_type_hints

import numpy as np
import pytest

from models.batched.vectors import Places
from models.constants import Constants
from models.jit.simd_type import LANES
from models.params import SwitchParams
from models.power_up import new_state
from models.reset import reset

STAGED = {"allocator": "output_first", "vc_stage": True, "hold_packets": False}


def test_no_two_constants_have_the_same_name():
    kinds = [name for each in Places.__bases__ for name in get_type_hints(each)]
    assert len(set(kinds)) == len(kinds) > 30
    assert not set(kinds) & set(Constants.__annotations__)
    assert not set(kinds) & set(dir(tuple))


@pytest.mark.parametrize("more", [{}, {"arbiter": "matrix", "buffering": "dynamic", "max_packet": 3}, STAGED])
def test_a_switch_is_reset_alone(more):
    """Vectors before `credits` are 0, those of credits have the depth in binary; no other lane changes."""
    params = SwitchParams(ports=4, vcs=3, depth=5, **more)
    state = new_state(params, LANES + 2, batched=True)
    state.batch_vcs[:] = state.batch_outputs[:] = 9
    reset(state, LANES + 1, -1)
    for array, count in (state.batch_vcs, state.k.batch_vectors), (state.batch_outputs, state.k.batch_output_vectors):
        assert array.size == 2 * count * LANES
        lanes = array.reshape(2, count, LANES).transpose(0, 2, 1).reshape(-1, count)
        assert (np.delete(lanes, LANES + 1, axis=0) == 9).all()
    found = state.batch_vcs.reshape(2, -1, LANES)[1, :, 1].tolist()
    end = state.k.credits + params.ports * state.k.credit_bits
    assert found[: state.k.credits] == [0] * state.k.credits
    assert found[state.k.credits : end] == [7, 0, 7] * params.ports
    assert found[state.k.free : state.k.free + params.ports] == [7] * params.ports
    if params.arbiter == "matrix":
        assert found[state.k.vc_rows :] == [6, 4, 0] * params.ports
