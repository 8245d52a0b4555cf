"""A switch in a batch against the same single switch (`models.switch`): equal on every output in every cycle."""

from itertools import pairwise

import numpy as np
import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.runner.run_bench import seed
from cocotb_tests.soak.stimulus import Stimulus
from models.jit.simd_type import lane_bits
from models.params import AdaptiveParams, CacheParams, CamParams, LpiParams, SwitchParams
from models.top import COUNTER_DATA, PortInput, Top, TopInput

PLAIN = {"allocator": "output_first", "vc_stage": True, "hold_packets": False}
RING = {"routing": "dimension_order", "radix": (5,), "wrap": True}
TORUS = {"routing": "dimension_order", "radix": (4, 4), "wrap": True}
SMALL_CAM = CamParams(latency=5, occupancy=2, entries=64)
SWITCHES = {
    "computed": PLAIN | RING | {"ports": 3, "vcs": 4},
    "fixed classes, head delay": PLAIN | RING | {"ports": 3, "vcs": 3, "ring_classes": "fixed", "head_delay": 2},
    "one VC of one flit": PLAIN | RING | {"ports": 3, "vcs": 1, "wrap": False, "depth": 1},
    "cached, to oneself": PLAIN | {"ports": 4, "vcs": 2, "u_turn": True, "cam": SMALL_CAM},
    "CAM": PLAIN | {"cache": CacheParams(entries=0), "cam": SMALL_CAM, "vcs": 5},
    "input first, linear table": PLAIN
    | {"vc_allocator": "input_first", "routing": "linear", "table_entries": 16, "vcs": 15, "ports": 3},
    "a queue of 256": PLAIN | RING | {"ports": 3, "vcs": 2, "depth": 256},
    "a queue of 257": PLAIN | RING | {"ports": 3, "vcs": 2, "depth": 257},
    "nine ports": PLAIN | {"ports": 9, "vcs": 2, "routing": "linear", "table_entries": 16},
    "one step": RING | {"ports": 3, "vcs": 4},
    "one step, head delay, nothing held": RING
    | {"ports": 3, "vcs": 3, "ring_classes": "fixed", "head_delay": 2, "hold_packets": False},
    "one step, one VC of one flit": RING | {"ports": 3, "vcs": 1, "wrap": False, "depth": 1},
    "one step, low-power idle": RING | {"ports": 3, "vcs": 4, "lpi": LpiParams(idle=5, sleep=3, wake=4)},
    "one step, low-power idle at once, nothing held": RING
    | {"ports": 3, "vcs": 2, "hold_packets": False, "lpi": LpiParams(idle=0, sleep=1, wake=1)},
    "one step, low-power idle, CAM": {
        "cache": CacheParams(entries=0),
        "cam": SMALL_CAM,
        "lpi": LpiParams(idle=9, sleep=7, wake=11, refresh_interval=30, refresh=4),
    },
    "one step, cut-through": RING
    | {"ports": 3, "vcs": 4, "depth": 6, "buffering": "dynamic", "max_packet": 4, "hold_packets": False},
    "one step, cut-through, sixteen bits": RING
    | {"ports": 3, "vcs": 9, "depth": 12, "buffering": "dynamic", "max_packet": 11},
    "one step, static buffering": RING | {"ports": 3, "vcs": 4, "depth": 6, "buffering": "static", "max_packet": 4},
    "one step, static buffering, head delay, matrix arbiters": RING
    | {"ports": 3, "vcs": 2, "depth": 6, "buffering": "static", "max_packet": 6, "head_delay": 2, "arbiter": "matrix"},
    "one step, static buffering, low-power idle": RING
    | {"ports": 3, "vcs": 9, "buffering": "static", "max_packet": 4, "lpi": LpiParams(idle=5, sleep=3, wake=4)},
    "matrix arbiters": PLAIN | {"ports": 5, "vcs": 2, "u_turn": True, "cam": SMALL_CAM, "arbiter": "matrix"},
    "one step, matrix arbiters": RING | {"ports": 3, "vcs": 4, "arbiter": "matrix"},
    "one step, matrix arbiters, nine ports": {
        "ports": 9,
        "vcs": 2,
        "routing": "linear",
        "table_entries": 16,
        "arbiter": "matrix",
        "hold_packets": False,
    },
    "one step, matrix arbiters, fifteen VCs": {
        "routing": "linear",
        "table_entries": 16,
        "vcs": 15,
        "ports": 3,
        "arbiter": "matrix",
    },
    "one step, output buffers": RING | {"ports": 3, "vcs": 4, "speedup": 2},
    "one step, small output buffers, head delay": {
        **(RING | {"ports": 3, "vcs": 9, "head_delay": 2, "hold_packets": False}),
        "speedup": 4,
        "output_buffer": 2,
        "stage_delay": 2,
    },
    "one step, output buffers, adaptive, static buffering": {
        **(TORUS | {"vcs": 4, "depth": 6, "buffering": "static", "max_packet": 3, "speedup": 2}),
        "adaptive": AdaptiveParams(),
    },
    "one step, adaptive": TORUS | {"vcs": 4, "adaptive": AdaptiveParams()},
    "one step, adaptive, lowest output, matrix arbiters": {
        **(TORUS | {"vcs": 3, "arbiter": "matrix", "hold_packets": False}),
        "adaptive": AdaptiveParams(selection="order"),
    },
    "one step, adaptive, cut-through, sixteen bits": {
        **(TORUS | {"vcs": 9, "depth": 6, "buffering": "dynamic", "max_packet": 3, "head_delay": 2}),
        "adaptive": AdaptiveParams(),
    },
    "one step, adaptive, static buffering": {
        **(TORUS | {"vcs": 4, "depth": 6, "buffering": "static", "max_packet": 3}),
        "adaptive": AdaptiveParams(selection="route"),
    },
    "one step, adaptive, CAM, to oneself": {
        "ports": 4,
        "vcs": 2,
        "u_turn": True,
        "cam": SMALL_CAM,
        "adaptive": AdaptiveParams(escape_vcs=1),
    },
    "one step, adaptive by steps": {
        "ports": 5,
        "vcs": 3,
        "routing": "hyperx",
        "radix": (3, 3),
        "adaptive": AdaptiveParams(kind="step"),
    },
    "one step, cached, to oneself": {"ports": 4, "vcs": 2, "u_turn": True, "cam": SMALL_CAM},
    "one step, CAM, five VCs": {"cache": CacheParams(entries=0), "cam": SMALL_CAM, "vcs": 5},
    "one step, linear table, fifteen VCs": {"routing": "linear", "table_entries": 16, "vcs": 15, "ports": 3},
    "one step, nine ports": {"ports": 9, "vcs": 2, "routing": "linear", "table_entries": 16},
    "one step, largest number of ports": {"ports": 15, "vcs": 2, "routing": "linear", "table_entries": 16},
    "largest number of ports": PLAIN | {"ports": 15, "vcs": 2, "routing": "linear", "table_entries": 16},
}


# Lanes of 8 bits, of 16 bits, and both; each width is compiled separately.
USUAL = ["computed", "fixed classes, head delay", "one VC of one flit", "cached, to oneself", "CAM"]
USUAL += ["input first, linear table", "nine ports", "one step", "one step, head delay, nothing held"]
USUAL += [
    "one step, low-power idle",
    "one step, low-power idle, CAM",
    "one step, cached, to oneself",
    "one step, nine ports",
    "one step, cut-through",
    "one step, cut-through, sixteen bits",
    "one step, static buffering",
    "one step, output buffers",
    "one step, adaptive",
    "one step, adaptive, CAM, to oneself",
    "matrix arbiters",
    "one step, matrix arbiters",
]


@pytest.mark.parametrize("name", tiered(SWITCHES, USUAL))
def test_in_a_batch_as_by_itself(name):
    """Random neighbours, dropped packets, resets and reprogramming; compared are all outputs."""
    params = SwitchParams(**SWITCHES[name])
    position = (2,) * len(params.radix) if params.computed else ()
    runs = [
        Stimulus(params, seed(), reset_odds=1 << 14, position=position, batched=batched).block(20_000)
        for batched in (True, False)
    ]
    for of_batch, by_itself in zip(*runs, strict=True):
        assert np.array_equal(of_batch, by_itself), f"TSUJI_SEED={seed()}"
    assert runs[0][2][:, :, 0].sum() > 2000


@pytest.mark.parametrize(
    ("name", "most"),
    tiered([("one VC of one flit", 1 << 8), ("input first, linear table", 1 << 16)], [("one VC of one flit", 1 << 8)]),
)
def test_counters_beyond_what_a_lane_can_count(name, most):
    params = SwitchParams(**SWITCHES[name])
    position = (2,) * len(params.radix) if params.computed else ()
    runs = [Stimulus(params, seed(), reset_odds=0, position=position, batched=batched) for batched in (True, False)]
    assert 1 << lane_bits(runs[0].state.batch_vcs) == most
    told, wanted = (run.block(most + 2000)[3] for run in runs)
    assert np.array_equal(told, wanted), f"TSUJI_SEED={seed()}"
    assert np.array_equal(runs[0].counts, runs[1].counts)
    assert told[most:, COUNTER_DATA].max() > most / 16


def test_what_a_held_output_refused_goes_one_cycle_later():
    """Nothing arrives in between, so that nothing else makes the batch due."""
    params = SwitchParams(ports=3, vcs=2, routing="dimension_order", radix=(5,))
    east = 4  # both packets go to the last switch of the line
    sent = []
    for batched in True, False:
        top = Top(params, (2,), batched=batched)
        sent.append([])
        for cycle in range(12):
            ports = [PortInput() for _ in range(3)]
            if cycle == 1:
                ports[1] = PortInput(flit=(0, 0, east))  # a head, whose tail does not come
            if cycle == 2:
                ports[2] = PortInput(flit=(1, 1, east))
            top.step(TopInput(ports))
            sent[-1] += [(cycle, p, *flit[:2]) for p, flit in enumerate(top.outputs().flits) if flit]
    assert sent[0] == sent[1]
    assert [(port, tail) for _, port, _, tail in sent[1]] == [(0, 0), (0, 1)]
    assert sent[1][1][0] - sent[1][0][0] == 2


def test_what_a_full_buffer_refused_goes_when_there_is_room():
    """Two packets share an output, whose link takes a flit every four cycles; nothing arrives while they wait."""
    params = SwitchParams(
        ports=3,
        vcs=2,
        depth=8,
        routing="dimension_order",
        radix=(5,),
        speedup=4,
        output_buffer=2,
        hold_packets=False,
    )
    east, flits = 4, 6
    sent = []
    for batched in True, False:
        top = Top(params, (2,), batched=batched)
        sent.append([])
        for cycle in range(4 * (2 * flits + 2)):
            ports = [PortInput() for _ in range(3)]
            number, idle = divmod(cycle, 4)
            if not idle and number < flits:
                tail = int(number == flits - 1)
                ports[1:] = [PortInput(flit=(vc, tail, east)) for vc in (0, 1)]
            top.step(TopInput(ports))
            sent[-1] += [(cycle, p, *flit[:2]) for p, flit in enumerate(top.outputs().flits) if flit]
    assert sent[0] == sent[1]
    assert [port for _, port, *_ in sent[1]] == [0] * 2 * flits
    assert {after[0] - before[0] for before, after in pairwise(sent[1])} == {4}
