"""Ends of packets in a batch against those in single switches (`models.switch.traverse`)."""

import numpy as np

from models.allocate.matching import accept, accepted, match_outputs, output_vc
from models.allocate.vc_stage import vc_stage_choose, vc_stage_claim
from models.batched.crossbar import scratch
from models.batched.matching import match_batch
from models.batched.output_unit import batch_spend_and_credit
from models.batched.release import batch_advance_packets, batch_end_packets
from models.batched.vc_buffer import batch_take_and_put
from models.batched.vc_sets import spread
from models.batched.vc_stage import batch_vcs_choose, batch_vcs_claim
from models.buffer.head_delay import end_delays
from models.jit.bits import each_member
from models.jit.compiled import compiled
from models.route.route_queue import release
from models.state.route_word import route_out
from models.switch import traverse
from models.transfer.crossbar import discard


@compiled
def _of_batches(st, cycle):
    """Make flits leave, and packets end, that may do so in a cycle without arrivals."""
    asking = batch_vcs_choose(st, cycle)
    for batch in range(st.batch_count):
        if match_batch(st, batch):
            batch_end_packets(st, batch)
            for p in range(st.k.ports):
                batch_take_and_put(st, batch, p, scratch(st, st.k.chosen + p), spread(st, 0))
                batch_spend_and_credit(st, batch, p, scratch(st, st.k.sent_vcs + p), spread(st, 0))
            batch_advance_packets(st, batch, cycle)
    batch_vcs_claim(st, asking, cycle)


@compiled
def _of_each(st, cycle, ended):
    """Do the same in single switches; record the outputs of which a packet frees a VC."""
    for s in range(len(st.switch)):
        if st.k.head_delay:
            end_delays(st, s, cycle)
        ports = match_outputs(st, s)
        vc_stage_choose(st, s)
        vc_stage_claim(st, s)
        for i in each_member(ports):
            o, v, _ = accept(st, s, i)
            accepted(st, s, i, v, o)
            if o == st.k.ports:
                if discard(st, s, i, v, cycle).flit & 1:
                    release(st, s, i, v, cycle)
            else:
                move = traverse(st, s, i, v, o, output_vc(st, s, i, v, o), cycle)
                ended[s, o] |= move.flit & 1


def _aside(twins):
    """Return the blocked heads [switches, ports, VCs], and the outputs for which they wait."""
    words = twins.batched("ROUTE")
    return twins.batched("ASIDE") == 1, np.array([route_out(int(word)) for word in words.ravel()]).reshape(words.shape)


def test_packets_end_as_one_by_one(twins):
    """VCs are freed, the packets behind come to the front, and heads blocked on such a VC request again."""
    aside, woken = _aside(twins)[0], 0
    for _ in range(8):
        ended = np.zeros((len(aside), twins.params.ports), np.int64)
        _of_batches(twins.batch, twins.cycle)
        _of_each(twins.one, twins.cycle, ended)
        twins.cycle += 1
        twins.check()
        before = aside
        aside, outputs = _aside(twins)
        wanted = np.take_along_axis(ended[:, None, :], outputs.reshape(len(ended), 1, -1) % twins.params.ports, axis=2)
        wanted = wanted.reshape(outputs.shape) == 1
        assert not (aside & wanted).any()
        assert not (before & ~aside & ~wanted).any()
        woken += (before & wanted).sum()
    assert woken > 20
