"""Redundant state of batched switches must be consistent: heads and owners, buffers, connections, arbiters."""

from itertools import pairwise

import numpy as np

from models.batched.flit import flit_on
from models.batched.output_sets import outputs_number
from models.batched.vc_sets import lane_value
from models.batched.vectors import of_level, of_vc
from models.jit.simd_type import lane_bits
from models.readout import show_registers
from models.state.route_word import route_choices, route_drop, route_out, route_vcs
from models.state.vc_set import vc_number


def check_vcs(state):
    """Assert that heads, owners and buffers are consistent; return the VCs owned behind each output, as masks."""
    owned = np.zeros(state.output.shape, np.int64)
    for s, i, v in np.ndindex(state.vc.shape):
        vc = state.vc[s, i, v]
        word = int(vc.route)
        granted_output = way = starved = 0
        chosen = outputs_number(state, s, state.k.granted_output + of_vc(state, i, v))
        asks = not state.k.vc_stage and lane_value(state, s, state.k.heads + i) >> v & 1
        if not state.k.vc_stage and lane_value(state, s, state.k.undecided + i) >> v & 1:
            assert state.k.adaptive
            assert word
            assert not vc.active
            assert (chosen != 0) == asks
            assert chosen & ~(1 << route_out(word) | route_choices(word)) == 0, (s, i, v)
            granted_output = chosen
        elif word and route_drop(word):
            granted_output = 1 << state.k.ports
        elif asks:
            assert word
            assert not vc.active
            granted_output = 1 << route_out(word)
            assert lane_value(state, s, state.k.allowed + of_vc(state, i, v)) == route_vcs(word), (s, i, v)
        elif vc.active and not state.k.vc_stage:
            o, w = route_out(word), int(vc.out_vc)
            granted_output = 1 << o
            owned[s, o] |= 1 << w
            assert lane_value(state, s, state.k.allowed + of_vc(state, i, v)) == 1 << w, (s, i, v)
        elif vc.active:
            o, w = route_out(word), int(vc.out_vc)
            granted_output, way = 1 << o, flit_on(w)
            owned[s, o] |= 1 << w
            assert state.holder[s, o, w] == vc_number(state, i, v)
            assert not int(state.output[s, o].free) >> w & 1
            starved = int(state.credits[s, o, w] == 0)
        assert lane_value(state, s, state.k.blocked + i) >> v & 1 == starved, (s, i, v)
        assert chosen == granted_output, (s, i, v)
        assert not way or lane_value(state, s, state.k.output_vc + of_vc(state, i, v)) == way, (s, i, v)
        assert vc.active or not vc.claimed, (s, i, v)
        check_buffer(state, s, i, v, vc)
    return owned


def check_buffer(state, s, i, v, vc):
    """Assert that the flits of an input VC lie one behind another, and its tails with its packets."""
    held = [lane_value(state, s, state.k.held + of_level(state, i, n)) >> v & 1 for n in range(state.k.depth + 1)]
    tails = [lane_value(state, s, state.k.tails + of_level(state, i, n)) >> v & 1 for n in range(state.k.depth + 1)]
    assert held == [1] * int(vc.count) + [0] * (state.k.depth + 1 - int(vc.count)), (s, i, v)
    assert all(n < vc.count for n, tail in enumerate(tails) if tail), (s, i, v)
    # Each packet there, except the last, has its tail; the front packet may lack its head.
    packets = (vc.claim - vc.front) % state.k.depth
    whole = state.k.depth if packets == 0 and vc.count else packets
    assert sum(tails) in (whole, whole - 1) or packets == 0 == sum(tails), (s, i, v)


def check_batches(state):
    """Assert that the redundant state of batches is consistent: heads and owners, buffers, arbiters."""
    show_registers(state)
    owned = check_vcs(state)
    for s in range(len(state.switch)):
        turns = [outputs_number(state, s, state.k.input_order + p) for p in range(state.k.ports)]
        # The arbiter of an output starts its search at one input port.
        assert all(before & ~after & (1 << state.k.ports) - 1 == 0 for before, after in pairwise(turns)), (s, turns)
        for p in range(state.k.ports):
            of_vcs = lane_value(state, s, state.k.vc_order + p), state.batch_vcs
            of_outputs = outputs_number(state, s, state.k.output_order + p), state.batch_outputs
            for order, batches in (of_vcs, of_outputs):
                lowest = -order & (1 << lane_bits(batches)) - 1
                assert lowest.bit_count() <= 1, (s, p, order)
        for o, w in np.ndindex(state.k.ports, state.k.vcs if state.k.vc_stage else 0):
            if not int(state.output[s, o].free) >> w & 1:
                i, v = divmod(int(state.holder[s, o, w]), 1 << state.k.vc_shift)
                assert outputs_number(state, s, state.k.granted_output + of_vc(state, i, v)) == 1 << o, (s, o, w)
                assert lane_value(state, s, state.k.output_vc + of_vc(state, i, v)) == flit_on(w), (s, o, w)
        if not state.k.vc_stage:
            check_connections(state, s)
        for o in range(state.k.ports):
            credited = sum(1 << w for w in range(state.k.vcs) if state.credits[s, o, w])
            assert lane_value(state, s, state.k.credited + o) == credited
            assert lane_value(state, s, state.k.free + o) == (1 << state.k.vcs) - 1 & ~owned[s, o], (s, o)
            assert lane_value(state, s, state.k.blocked_outputs + o) == state.blocked_heads[s, o].any(), (s, o)
    assert 0 <= state.credits.min() <= state.credits.max() <= state.k.depth


def check_connections(state, s):
    """Assert that each connection that a switch holds is of one packet that owns a VC, and that its output is held."""
    outputs = 0
    for i in range(state.k.ports):
        connected = lane_value(state, s, state.k.connected + i)
        assert connected & (connected - 1) == 0, (s, i)
        if connected:
            v = connected.bit_length() - 1
            assert state.vc[s, i, v].active, (s, i, v)
            outputs |= outputs_number(state, s, state.k.granted_output + of_vc(state, i, v))
    assert outputs_number(state, s, state.k.held_outputs) == outputs, s
