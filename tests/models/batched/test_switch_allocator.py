"""Switch allocation of a batch without a VC stage against single switches (`models.allocate.switch_allocator`)."""

import numpy as np

from models.allocate.switch_allocator import (
    block_heads,
    hold,
    request_outputs,
    switch_begin,
    switch_drain,
    switch_grant,
)
from models.allocate.vc_allocator import advance_vc_order
from models.batched.crossbar import chosen_of, leaving_of, taken_of
from models.batched.flit import HEAD, TAIL, flit_vc
from models.batched.head_delay import end_head_delays
from models.batched.matching import DRAINS, NOTHING, SENDS
from models.batched.output_sets import set_outputs
from models.batched.switch_allocator import allocate_batch, any_output_held
from models.batched.vc_sets import lane_value, set_lane
from models.buffer.head_delay import end_delays
from models.jit.bits import each_member
from models.jit.compiled import compiled
from models.jit.lanes import batch_of, lane_of
from models.jit.simd import number_in
from models.jit.simd_type import LANES
from models.transfer.output_unit import output_own

OUT, VC, OUT_VC, IS_HEAD, IS_TAIL = range(5)  # columns of a move


@compiled
def _of_batches(st, moves, results, held, cycle):
    if st.k.head_delay:
        end_head_delays(st, cycle)
    for batch in range(st.batch_count):
        results[batch] = allocate_batch(st, batch)
        held[batch] = any_output_held(st, batch)
        for s in range(len(st.switch)):
            if batch_of(s) == batch:
                for i in range(st.k.ports):
                    lane = lane_of(s)
                    if number_in(st.batch_scratch, (st.k.chosen + i) * LANES + lane):
                        flit = leaving_of(st, i, lane)
                        o = taken_of(st, i, lane)
                        moves[s, i, OUT], moves[s, i, VC] = o, chosen_of(st, i, lane)
                        moves[s, i, OUT_VC] = flit_vc(flit) if o < st.k.ports else 0
                        moves[s, i, IS_HEAD], moves[s, i, IS_TAIL] = flit & HEAD != 0, flit & TAIL != 0


@compiled
def _of_each(st, moves, cycle):
    for s in range(len(st.switch)):
        if st.k.head_delay:
            end_delays(st, s, cycle)
        switch_begin(st, s, cycle)
        request_outputs(st, s)
        if st.k.static:
            block_heads(st, s)
        for i in each_member(int(st.switch[s].draining)):
            switch_drain(st, s, i)
            _note(st, s, i, st.k.ports, 0, 0, moves[s, i])
        for o in each_member(int(st.switch[s].outputs)):
            i = switch_grant(st, s, o)
            w, v = int(st.input[s, i].choice_vc), int(st.input[s, i].choice)
            vc = st.vc[s, i, v]
            head = 1 - int(vc.active)
            advance_vc_order(st, s, o, w, head)
            _note(st, s, i, o, w, head, moves[s, i])
            vc.active, vc.out_vc = 1, w
            output_own(st, s, o, w, 1)
            if st.k.hold:
                hold(st, s, i, v, o, 1 - int(moves[s, i, IS_TAIL]))


@compiled
def _note(st, s, i, o, w, head, move):
    v = int(st.input[s, i].choice)
    move[OUT], move[VC], move[OUT_VC], move[IS_HEAD] = o, v, w, head
    move[IS_TAIL] = int(st.flits[s, i, v, st.vc[s, i, v].read]) & 1
    if st.k.static:
        st.vc[s, i, v].blocked = move[IS_TAIL] & int(st.vc[s, i, v].count > 1)


def test_moves_are_the_same(one_step_twins):
    """No flit leaves its buffer, so that requests repeat: arbiters, connections and owners of VCs change."""
    twins = one_step_twins
    shape = len(twins.one.switch), twins.params.ports, IS_TAIL + 1
    different = set()
    for _ in range(12):
        found, expected = np.full((2, *shape), -1)
        results, held = np.zeros((2, twins.batch.batch_count), np.int64)
        _of_batches(twins.batch, found, results, held, twins.cycle)
        _of_each(twins.one, expected, twins.cycle)
        twins.cycle += 1
        assert np.array_equal(found, expected)
        twins.check()
        for batch, result in enumerate(results):
            lanes = slice(batch * LANES, (batch + 1) * LANES)
            outputs = found[lanes, :, OUT]
            moves = SENDS if (outputs >= 0).any() else NOTHING
            assert result == (DRAINS if (outputs == twins.params.ports).any() else moves)
            goes_on = (outputs >= 0) & (outputs < twins.params.ports) & (found[lanes, :, IS_TAIL] == 0)
            assert held[batch] == (twins.params.hold_packets and goes_on.any())
        different.add(found.tobytes())
    assert len(different) > 4


def test_nothing_moves_after_a_reset(one_step_twins):
    twins = type(one_step_twins)(one_step_twins.params)
    moves = np.full((len(twins.one.switch), twins.params.ports, IS_TAIL + 1), -1)
    results, held = np.full((2, twins.batch.batch_count), DRAINS)
    set_lane(twins.batch, 3, twins.batch.k.connected + 1, 1)
    set_outputs(twins.batch, 3, twins.batch.k.held_outputs, 1)
    _of_batches(twins.batch, moves, results, held, twins.cycle)
    assert (results == NOTHING).all()
    assert not held.any()
    assert (moves == -1).all()
    assert lane_value(twins.batch, 3, twins.batch.k.connected + 1) == 0 or not twins.params.hold_packets
