"""Adaptive choices of a batch against those of single switches (`models.route.adaptive`)."""

import numpy as np
import pytest

from cocotb_tests.runner.run_bench import seed
from models.batched.adaptive import batch_choose, batch_install
from models.batched.output_sets import outputs_number
from models.batched.vc_sets import batch_chooses, change_bit, lane_value, set_lane
from models.batched.vectors import of_bit, of_vc
from models.jit.compiled import compiled
from models.jit.simd_type import LANES
from models.params import AdaptiveParams, SwitchParams
from models.route.adaptive import adaptive_choose, adaptive_install, forget_choice
from models.state.route_word import route_drop, route_out, route_vcs, route_word
from models.state.vc_set import insert
from models.transfer.output_unit import head_need
from tests.models.batched.conftest import SWITCHES, Twins

PORTS, VCS, DEPTH = 5, 9, 4
TORUS = {"routing": "dimension_order", "radix": (4, 4), "wrap": True, "ports": PORTS, "vcs": VCS, "depth": DEPTH}


@compiled
def _fill(one, st, words):
    """Put a head with a route into each input VC that has a word, in both forms."""
    for s in range(len(one.switch)):
        for i in range(one.k.ports):
            for v in range(one.k.vcs):
                if words[s, i, v]:
                    one.vc[s, i, v].count = 1
                    insert(one, one.filled, s, i, v)
                    one.routes[s, i, v, 0] = words[s, i, v]
                    st.batch_routes[s, i, v, 0] = words[s, i, v]
                    batch_chooses(st, s, i, v)


@compiled
def _credit(one, st, credits, free):
    """Give output VCs credits, and have packets own some, in both forms."""
    for s in range(len(one.switch)):
        for o in range(one.k.ports):
            output = one.output[s, o]
            output.free, output.credited, output.roomy = free[s, o], 0, 0
            for w in range(one.k.vcs):
                number = credits[s, o, w]
                one.credits[s, o, w] = number
                output.credited |= int(number > 0) << w
                output.roomy |= int(number >= head_need(one, w)) << w
                for bit in range(st.k.credit_bits):
                    change_bit(st, s, st.k.credits + of_bit(st, o, bit), w, number >> bit & 1)
            set_lane(st, s, st.k.free + o, int(output.free))
            set_lane(st, s, st.k.credited + o, int(output.credited))
            set_lane(st, s, st.k.roomy + o, int(output.roomy))


@compiled
def _leave(st, leaves, undecided):
    """Have heads leave (0), or come back (1)."""
    for s in range(len(st.switch)):
        for i in range(st.k.ports):
            for v in range(st.k.vcs):
                if leaves[s, i, v]:
                    change_bit(st, s, st.k.undecided + i, v, undecided)


@compiled
def _step(one, st, leaves, cycle, changed):
    """Choose in both forms, and install what heads that do not leave chose."""
    for s in range(len(one.switch)):
        count = adaptive_choose(one, s)
        for i in range(one.k.ports):
            for v in range(one.k.vcs):
                if leaves[s, i, v]:
                    forget_choice(one, s, i, v)
        adaptive_install(one, s, count, cycle)
        changed[0, s // LANES] |= one.switch[s].chosen_anew
    for batch in range(st.batch_count):
        count = batch_choose(st, batch)
        _leave(st, leaves, 0)
        changed[1, batch] = int(batch_install(st, count))
        _leave(st, leaves, 1)


@compiled
def _chosen(one, st, found):
    """Write the output and the VCs that each head asks for, in both forms."""
    for s in range(len(one.switch)):
        for i in range(one.k.ports):
            for v in range(one.k.vcs):
                word = int(one.vc[s, i, v].route)
                found[0, s, i, v, 0] = 1 << (one.k.ports if route_drop(word) else route_out(word)) if word else 0
                found[0, s, i, v, 1] = 0 if route_drop(word) else route_vcs(word) if word else 0
                found[1, s, i, v, 0] = outputs_number(st, s, st.k.granted_output + of_vc(st, i, v))
                asks = lane_value(st, s, st.k.heads + i) >> v & 1
                found[1, s, i, v, 1] = lane_value(st, s, st.k.allowed + of_vc(st, i, v)) if asks else 0


@pytest.mark.parametrize("selection", ["credits", "order", "route"])
def test_heads_choose_as_one_by_one(selection):
    params = SwitchParams(**TORUS, adaptive=AdaptiveParams(selection=selection))
    twins = Twins(params)
    rng = np.random.default_rng(seed())
    shape = SWITCHES, PORTS, VCS
    words = np.zeros(shape, np.int64)
    for at in np.ndindex(shape):
        if rng.random() < 0.3:
            drop = int(rng.random() < 0.1)
            words[at] = route_word(int(rng.integers(4)), 0, 1, drop, int(rng.integers(16)))
    _fill(twins.one, twins.batch, words)
    different = set()
    for cycle in range(12):
        credits = rng.integers(0, DEPTH + 1, shape) * (rng.random(shape) < 0.7)
        full = rng.random(shape) < 0.3
        credits[full] = DEPTH
        free = rng.integers(0, 1 << VCS, shape[:2])
        _credit(twins.one, twins.batch, credits, free)
        changed = np.zeros((2, twins.batch.batch_count), np.int64)
        leaves = (rng.random(shape) < 0.1) & (words & 3 == 1)  # of heads that are not dropped
        _step(twins.one, twins.batch, leaves, cycle, changed)
        found = np.zeros((2, *shape, 2), np.int64)
        _chosen(twins.one, twins.batch, found)
        assert np.array_equal(*found), f"TSUJI_SEED={seed()}"
        assert np.array_equal(*changed), f"TSUJI_SEED={seed()}"
        different.add(found[0].tobytes())
    assert len(different) > 6
