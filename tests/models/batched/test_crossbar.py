"""Flits that leave a batch, against the moves of single switches (`models.transfer.crossbar`)."""

import numpy as np

from models.allocate.matching import accept, accepted, match_outputs, output_vc
from models.batched.crossbar import chosen_of, leaving_of, list_bodies, list_leaving, taken_of
from models.batched.flit import HEAD, TAIL, flit_on
from models.batched.lane_lists import BODIES, HEADS, TAILS, see_list
from models.batched.matching import match_batch
from models.batched.output_sets import spread_outputs
from models.jit.bits import each_member
from models.jit.compiled import compiled
from models.jit.lanes import batch_of, lane_of
from models.jit.simd import number_in, simd_load
from models.jit.simd_type import LANES
from models.transfer.crossbar import discard, send

VC, OUT, NUMBER = range(3)  # columns of a flit that leaves an input port
SENT, SENT_VC = range(2)  # columns of a flit that an output sends
IN_HEADS, IN_TAILS, IN_BODIES = range(3)  # columns: number of entries in each list


@compiled
def _see(listed, s, i, lane, cycle):
    if lane != lane_of(s):
        raise AssertionError
    listed[s, i] += 1


@compiled
def _of_batches(st, nodes, leaving, sent, listed):
    for batch in range(st.batch_count):
        if match_batch(st, batch):
            list_leaving(st, simd_load(nodes, batch) | spread_outputs(st, 1 << st.k.ports))
            see_list(st, batch, HEADS, _see, listed[IN_HEADS], 0)
            see_list(st, batch, TAILS, _see, listed[IN_TAILS], 0)
            list_bodies(st, simd_load(nodes, batch))
            see_list(st, batch, BODIES, _see, listed[IN_BODIES], 0)
        for s in range(len(st.switch)):
            lane = lane_of(s)
            if batch_of(s) == batch:
                for p in range(st.k.ports):
                    sent[s, p, SENT] = number_in(st.batch_scratch, (st.k.sent + p) * LANES + lane)
                    sent[s, p, SENT_VC] = number_in(st.batch_scratch, (st.k.sent_vcs + p) * LANES + lane)
                    if number_in(st.batch_scratch, (st.k.chosen + p) * LANES + lane):
                        leaving[s, p, VC] = chosen_of(st, p, lane)
                        leaving[s, p, OUT] = taken_of(st, p, lane)
                        leaving[s, p, NUMBER] = leaving_of(st, p, lane)


@compiled
def _of_each(st, cycle, leaving, sent):
    for s in range(len(st.switch)):
        ports = match_outputs(st, s)
        for i in each_member(ports):
            o, v, _ = accept(st, s, i)
            accepted(st, s, i, v, o)
            if o == st.k.ports:
                move = discard(st, s, i, v, cycle)
            else:
                move = send(st, s, i, v, o, output_vc(st, s, i, v, o), cycle)
            number = (TAIL if move.flit & 1 else 0) | (HEAD if move.head else 0)
            if move.out >= 0:
                number |= flit_on(move.out_vc)
                sent[s, move.out, SENT] = number
                sent[s, move.out, SENT_VC] = 1 << move.out_vc
            leaving[s, i, VC] = v
            leaving[s, i, OUT] = o
            leaving[s, i, NUMBER] = number


def test_what_leaves_is_what_each_sends(twins):
    """Lists contain heads to other switches, flits to nodes, and tails, those of the drain port included."""
    ports, switches = twins.params.ports, len(twins.one.switch)
    nodes = twins.rng.integers(0, 1 << ports, switches)
    leaving, expected = np.full((2, switches, ports, 3), -1)
    sent, expected_sent = np.zeros((2, switches, ports, 2), np.int64)
    listed = np.zeros((3, switches, ports), np.int64)
    _of_batches(twins.batch, twins.vectors(nodes[:, None], twins.batch.batch_outputs), leaving, sent, listed)
    _of_each(twins.one, twins.cycle, expected, expected_sent)
    drained = expected[..., OUT] == ports
    leaving[drained, NUMBER] &= HEAD | TAIL  # a drained flit has no output VC
    assert np.array_equal(leaving, expected)
    assert np.array_equal(sent, expected_sent)
    moves = expected[..., OUT] >= 0
    head, tail = (moves & (expected[..., NUMBER] & bit != 0) for bit in (HEAD, TAIL))
    given = moves & (nodes[:, None] >> np.maximum(expected[..., OUT], 0) & 1 == 1)
    ends = given | drained
    assert np.array_equal(listed[IN_HEADS], head & ~ends)
    assert np.array_equal(listed[IN_TAILS], tail & ends)
    assert np.array_equal(listed[IN_BODIES], given & ~tail)
    for some in drained, head & ~ends, head & ends, tail & ~ends, tail & ends, given & ~tail:
        assert some.any()
